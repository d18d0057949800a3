-- So many of the moves of `revision` were blocks that were appended.
alter table state add column appended int8 not null default 0;
