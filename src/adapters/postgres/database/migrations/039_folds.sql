-- How the texts that tokens are searched by were folded, as numbered in `model/search/searchText.ts`. A writer folds them anew where its own number is another.
alter table state add column folds int4 not null default 0;
