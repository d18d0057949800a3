-- Prices: what they are read from, and those of each hour.

create index pool_by_assets on pool (asset0, asset1);
create index swap_by_pool on swap (pool_no, time, pos);

-- Made of blocks that never change any more, so no rollback reaches them. A token that is rolled back leaves points that
-- nobody reads: no token_id is used again.
create table price_point (
  token_id   int4 not null,
  hour       int4 not null,         -- hours since 1970: the price at its beginning; 0 = at all times
  until_hour int4 not null,         -- the last hour that it speaks for, if there is no newer one
  price      numeric not null,      -- US dollars with 18 decimals a whole token, a whole number
  primary key (token_id, hour)
);
create index price_point_peg on price_point (token_id) where hour = 0;

create table price_progress (
  only_row  boolean primary key default true check (only_row),
  next_hour int4 not null           -- the first hour without points
);

create index token_stat_priced on token_stat (address) where price is not null;
