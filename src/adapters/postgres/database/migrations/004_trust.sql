-- What people say of tokens, and the orders that need it: trusted tokens, and tokens by market capitalisation.

-- Of contracts, whether or not the ledger has met them.
create table token_note (
  address bytea primary key,
  trusted boolean not null,         -- stands on a configured token list
  texts   jsonb not null,           -- website, description, …: never empty texts
  digest  text not null             -- of both: tells a note that is the same from one that changed
);

-- Of an ERC-20 whose note says so, from birth on. In both tables always the same: each has orders of its own.
alter table token add column trusted boolean not null default false;
alter table token_stat
  add column trusted    boolean not null default false,
  -- US dollars with 18 decimals, whole numbers; null = no trustworthy price. They stand here and not in `token` because the
  -- tokens without a market_cap are listed by `holders`.
  add column price      numeric,
  add column market_cap numeric;

-- No `standard` in the keys of trusted tokens: so nothing but these indexes serves their orders.
create index token_trusted_by_time on token (sort_time desc, address) where trusted;
create index token_trusted_by_name on token (name desc, address) where trusted;
create index token_stat_trusted_by_holders on token_stat (holders desc, address) where trusted;
create index token_stat_trusted_by_transfers on token_stat (last_24h desc, address) where trusted;
create index token_stat_trusted_by_cap on token_stat (market_cap desc, address) where trusted and market_cap is not null;
create index token_stat_trusted_without_cap on token_stat (holders desc, address) where trusted and market_cap is null;
create index token_stat_by_cap on token_stat (standard, market_cap desc, address) where market_cap is not null;
create index token_stat_without_cap on token_stat (holders desc, address) where standard = 20 and market_cap is null;
