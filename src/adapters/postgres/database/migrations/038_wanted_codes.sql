-- In the registry: accounts of lists that callers read, of whom nobody knows whether they are contracts. The process that follows the chain asks
-- its node about them, and takes them out.
create table wanted_code (
  chain_id int8 not null,
  address  bytea not null,
  place    int8 not null generated always as identity, -- ascending as they came
  primary key (chain_id, address)
);
create index wanted_code_place on wanted_code (chain_id, place);
