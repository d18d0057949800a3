-- The orders of tokens by a count go by its step: the count itself up to 127, beyond that its leading seven bits. Hot tokens'
-- counts change with every block, their steps seldom. A row whose steps stay has no index entry made anew (a HOT update), so
-- the tops of these orders hold no dead entries. `reads/tokens/steps.ts` computes the same.
drop index token_stat_by_holders;
drop index token_stat_by_transfers;
drop index token_stat_trusted_by_holders;
drop index token_stat_trusted_by_transfers;
drop index token_stat_trusted_without_cap;
drop index token_stat_without_cap;

-- Room for the versions of a row that readers may still see, from the rewrite below on.
alter table token_stat set (fillfactor = 50);

-- Off by one at a power of two, the logarithm gives the same step.
alter table token_stat
  add column holders_step int4 not null generated always as (
    case when holders < 128 then holders
         else (floor(ln(holders::float8) / ln(2::float8))::int8 - 6) * 64
              + (holders >> (floor(ln(holders::float8) / ln(2::float8))::int4 - 6)) end) stored,
  add column last_24h_step int4 not null generated always as (
    case when last_24h < 128 then last_24h
         else (floor(ln(last_24h::float8) / ln(2::float8))::int4 - 6) * 64
              + (last_24h >> (floor(ln(last_24h::float8) / ln(2::float8))::int4 - 6)) end) stored;
create index token_stat_by_holders on token_stat (standard, holders_step desc, address);
create index token_stat_by_transfers on token_stat (standard, last_24h_step desc, address);
create index token_stat_trusted_by_holders on token_stat (holders_step desc, address) where trusted;
create index token_stat_trusted_by_transfers on token_stat (last_24h_step desc, address) where trusted;
-- An expression, so that nothing but these indexes serves their order: another walks past all that have a market_cap.
create index token_stat_trusted_without_cap on token_stat ((holders_step + 0) desc, address) where trusted and market_cap is null;
create index token_stat_without_cap on token_stat ((holders_step + 0) desc, address) where standard = 20 and market_cap is null;
