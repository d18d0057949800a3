-- What comparing tokens with the node has shown. A token that is rolled back takes its record with it.

create table token_audit (
  token_id     int4 primary key references token on delete cascade,
  standard     int2 not null,
  address      bytea not null,
  state        int2 not null,       -- place in the list of states, from 0: exact, drift, rebasing, unverified
  block_number int4 not null,
  time         int8 not null,       -- of that block, seconds
  compared     int4 not null,
  difference   jsonb,
  reason       text,
  watched      jsonb not null,      -- figures to be asked again
  differed     int4[]               -- first and last block at which something differed
);
-- Of a state, and how many.
create index token_audit_by_state on token_audit (state, address, standard);
create index token_audit_by_block on token_audit (block_number, address, standard);

-- Has a row in the above. The others are found by their index, however many there are.
alter table token add column audited boolean not null default false;
create index token_unaudited on token (address, standard) where not audited;
