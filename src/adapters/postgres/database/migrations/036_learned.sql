-- A symbol is found whether or not its words are parted: "uni-v2" is kept as "univ2". Folded as `model/search/searchText.ts` does.
update token set symbol_fold = replace(symbol_fold, ' ', '') where symbol_fold like '% %';

-- Everybody is asked again after a while, whoever asked about them first: the oldest answers first.
create index account_code_age on account_code (asked_at);
