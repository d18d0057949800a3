-- Whether a holder is a contract, as the chain's node said after a block. Learned beside the ledger, and again in a new one.
create table account_code (
  address      bytea primary key,
  is_contract  boolean not null,
  block_number int4 not null,
  asked_at     int8 not null           -- seconds; code may have come to it since
);
