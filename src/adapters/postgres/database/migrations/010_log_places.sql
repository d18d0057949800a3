-- What a log says beside what moves balances, so that it can be shown as the node has it. Rows of blocks below
-- state.full_from were stored before these columns were, and have none of them.
alter table state add column full_from int4 not null default 0;
update state set full_from = next_block;

-- tx_index: the transaction's place in its block; null also where the node does not say.
alter table erc20_transfer add column tx_index int4;
alter table erc721_transfer add column tx_index int4;
alter table erc1155_transfer
  add column operator bytea,        -- who made the transfer
  add column tx_index int4;
alter table swap add column tx_index int4;
alter table wrap
  add column tx_index   int4,
  add column is_deposit boolean,    -- an amount of zero does not say
  add column tx_hash    bytea;

-- Of that block. It stands where the ledger's chain is what counts: a row is final where block <= state.finalized_block.
alter table clock add column hash bytea;

-- Rows come in the order of these keys: no room is left for others in between.
alter index erc20_transfer_pkey set (fillfactor = 100);
alter index erc721_transfer_pkey set (fillfactor = 100);
alter index erc1155_transfer_pkey set (fillfactor = 100);
alter index swap_pkey set (fillfactor = 100);
alter index wrap_pkey set (fillfactor = 100);
