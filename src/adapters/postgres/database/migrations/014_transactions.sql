-- In the registry: what nodes told of transactions of final blocks, for columns that no log has. Nothing of a ledger hangs on it.
create table kept_transaction (
  chain_id       int8 not null,
  tx_hash        bytea not null,
  place          int8 not null generated always as identity, -- ascending as they came: the oldest go first
  block_number   int8 not null,
  block_hash     bytea not null,
  tx_index       int4 not null,
  nonce          numeric not null,
  gas            numeric not null,
  gas_price      numeric not null,
  gas_used       numeric not null,
  cumulative_gas numeric not null,
  method_id      bytea not null,          -- four bytes, or none
  primary key (chain_id, tx_hash)
);
create index kept_transaction_place on kept_transaction (place);
