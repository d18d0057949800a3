-- Where every so manieth transfer of a busy account lies: pages far down its list begin there. Counted beside the ledger, in final blocks alone.

-- How far is counted: all accounts below, in all blocks below that one.
create table marking (
  only_row    boolean primary key default true check (only_row),
  next_block  int4 not null,
  rollback_no int4 not null,      -- of the ledger that was counted: a later one of a counted block makes all of it void
  generation  int8 not null,      -- another one when all is counted anew
  stride      int4 not null       -- rows from mark to mark
);

create table marked_account (
  account  bytea not null,
  standard int2 not null,         -- 20, 721, 1155
  rows     int8 not null,         -- transfers from or to it, each once, before marking.next_block
  primary key (account, standard)
) with (fillfactor = 70);

create table account_mark (
  account  bytea not null,
  standard int2 not null,
  mark     int4 not null,         -- 0 = the oldest transfer, 1 = the one a stride of rows behind it, …
  pos      int8 not null,         -- block << 24 | log index
  sub      int4 not null,         -- 0 where a log has one row
  primary key (account, standard, mark)
);
