-- Every Approval and ApprovalForAll, where they are stored (APPROVALS): what an owner allows is the last row of a key.
create table approval (
  pos       int8 primary key,       -- block_number << 24 | log_index
  time      int8 not null,          -- seconds
  tx_index  int4,                   -- the transaction's place in its block; null = the node did not say
  kind      int2 not null,          -- place in the list of kinds, from 0: amount, tokenId, operator
  contract  bytea not null,
  owner     bytea not null,
  spender   bytea not null,         -- of an id the zero address: it has one at most
  nft_id    numeric not null,       -- 0 unless of an id
  approved  bytea not null,         -- of an id its spender, else empty
  amount    numeric not null,       -- of an operator 1 = allowed, 0 = not any more
  tx_hash   bytea not null
) with (fillfactor = 100);
alter index approval_pkey set (fillfactor = 100);
create index approval_by_owner on approval (owner, contract, kind, nft_id, spender, pos desc);
