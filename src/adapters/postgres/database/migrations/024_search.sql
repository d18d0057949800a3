-- Tokens are found by words. Folded as `model/search/searchText.ts` does; here what is known already, letters beyond ASCII as they are.
alter table token
  add column symbol_fold text collate "C",
  add column name_fold   text collate "C";
update token set
  symbol_fold = nullif(btrim(left(btrim(regexp_replace(lower(symbol), '[!-/:-@[-`{-~[:space:]]+', ' ', 'g')), 64)), ''),
  name_fold = nullif(btrim(left(btrim(regexp_replace(lower(name), '[!-/:-@[-`{-~[:space:]]+', ' ', 'g')), 64)), '')
where name is not null or symbol is not null;

-- The name from its second, third and fourth word on.
alter table token
  add column name_fold2 text collate "C" generated always as (substring(name_fold from '^[^ ]+ (.+)$')) stored,
  add column name_fold3 text collate "C" generated always as (substring(name_fold from '^[^ ]+ [^ ]+ (.+)$')) stored,
  add column name_fold4 text collate "C" generated always as (substring(name_fold from '^[^ ]+ [^ ]+ [^ ]+ (.+)$')) stored;

-- Who copies a name comes later: of one text the oldest first.
create index token_by_symbol on token (standard, trusted, symbol_fold, first_pos) where symbol_fold is not null;
create index token_by_word on token (standard, trusted, name_fold, first_pos) where name_fold is not null;
create index token_by_word2 on token (standard, trusted, name_fold2, first_pos) where name_fold2 is not null;
create index token_by_word3 on token (standard, trusted, name_fold3, first_pos) where name_fold3 is not null;
create index token_by_word4 on token (standard, trusted, name_fold4, first_pos) where name_fold4 is not null;

-- Deposits and Withdrawals can be listed beside transfers, in the order of all chains: those of blocks from state.wraps_from on
-- have their time.
alter table wrap add column time int8;
create index wrap_by_token on wrap (token_id, pos);
alter table state add column wraps_from int4 not null default 0;
update state set wraps_from = next_block where exists (select from wrap);
