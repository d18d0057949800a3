-- The audit asks for tokens' own logs again: how far it has come, what it healed, and who comes first.

alter table token_audit
  add column logs   int4[],  -- first and last block of which the token's own logs were asked again, and the ledger has them
  add column healed int4[];  -- first and last block of rows that a node had left out, and that came in later
create index token_audit_in_doubt on token_audit (block_number, address, standard) where state = 1;
