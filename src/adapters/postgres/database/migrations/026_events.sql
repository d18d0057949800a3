-- What consumers of events must hear of later: rows that went or came behind their position.

-- Which making of the ledger this is: a position in another one is not a position in this one.
alter table state add column birth text not null default md5(random()::text || clock_timestamp()::text);

-- Contracts in the order in which they were seen first.
create index token_by_first on token (first_pos);

-- One for each rollback since this migration; a heal is one too.
create table correction (
  rollback_no int4 primary key,
  is_heal     boolean not null,
  at          int8 not null,                  -- seconds since 1970
  forgotten   boolean not null default false  -- its rows are not kept any more
);

-- The rows of it, as consumers know them.
create table corrected_row (
  rollback_no int4 not null,
  pos         int8 not null,                  -- block << 24 | log index
  place       int4 not null,                  -- 0 = the contract was seen first; a row is one more than its place in the log
  added       boolean not null,               -- a heal brought it; else it went
  kind        int2 not null,                  -- 0 = contract, 1 = transfer, 2 = swap
  standard    int2 not null,                  -- 20, 721, 1155
  block_hash  bytea,
  tx_hash     bytea not null,
  token       bytea not null,                 -- of a swap what was paid
  token_out   bytea,
  from_addr   bytea,
  to_addr     bytea,
  nft_id      numeric,
  amount      numeric,
  amount_out  numeric,
  primary key (rollback_no, pos, place, added)
);
