-- Swaps, and the pools they are made in.

alter table state
  add column swaps         int8 not null default 0,
  add column skipped_swaps int8 not null default 0,  -- at contracts that are no pools, and in pools that nobody knows
  add column pool_seq      int4 not null default 0,  -- last pool_no given out; never given twice, rolled-back pools included
  add column asset_seq     int4 not null default 0;  -- likewise

-- What pools hold: tokens, whether `token` has them or not; the zero address is the native currency.
create table asset (
  asset_no int4 primary key,
  address  bytea not null unique,
  decimals int2 not null,           -- 0 where it does not tell
  since    int4 not null            -- block of the first pool that has it
);
create index asset_since on asset (since);

create table pool (
  pool_no int4 primary key,
  key     bytea not null unique,    -- its contract's address; of a Uniswap V4 pool its manager's, then its id
  asset0  int4 not null,            -- asset_no
  asset1  int4 not null,
  factory bytea,
  since   int4 not null             -- block of its Initialize or of its first swap; its swaps are from there on
);
create index pool_since on pool (since);

-- Paid: qty_in of in_no. Got: qty_out of out_no.
create table swap (
  pos      int8 primary key,        -- block_number << 24 | log_index
  time     int8 not null,           -- seconds
  in_no    int4 not null,           -- asset_no
  out_no   int4 not null,
  pool_no  int4 not null,
  tx_hash  bytea not null,
  qty_in   numeric not null,
  qty_out  numeric not null
);
create index swap_by_in on swap (in_no, pos);
create index swap_by_out on swap (out_no, pos);
create index swap_by_pair on swap (in_no, out_no, pos);
