-- Logs of followed contracts and signatures that rows do not give back byte for byte (swaps apart: no row does): of shapes that
-- say nothing sure, batches of fewer than two ids or written otherwise than usual, ERC-2309 ranges of one id.
-- Those of blocks below state.odd_from were not kept.
create table odd_log (
  pos       int8 primary key,       -- block_number << 24 | log_index
  time      int8 not null,          -- seconds
  tx_index  int4,                   -- the transaction's place in its block; null = the node did not say
  has_rows  boolean not null,       -- whether there are rows of it too
  contract  bytea not null,
  tx_hash   bytea not null,
  topic0    bytea,                  -- 32 bytes each, as many as the log has
  topic1    bytea,
  topic2    bytea,
  topic3    bytea,
  data      bytea not null
) with (fillfactor = 100);
alter index odd_log_pkey set (fillfactor = 100);
create index odd_log_by_contract on odd_log (contract, pos);

alter table state add column odd_from int4 not null default 0;
update state set odd_from = next_block;
