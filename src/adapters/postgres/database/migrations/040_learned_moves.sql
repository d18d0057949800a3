-- So many of the moves of `revision` changed no figure: what was learned of names, URIs, codes and prices.
alter table state add column learned int8 not null default 0;
