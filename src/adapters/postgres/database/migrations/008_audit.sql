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
create index token_audit_by_state on token_audit (state, address, standard);
create index token_audit_by_block on token_audit (block_number, address, standard);

-- Has a row in the above. The others are found by their index, however many there are.
alter table token add column audited boolean not null default false;
create index token_unaudited on token (address, standard) where not audited;

-- How many rows of each state there are: kept by triggers, since rows go by more ways than one.
create table audit_count (
  state  int2 primary key,
  tokens int8 not null default 0
);
insert into audit_count (state) values (0), (1), (2), (3);

create function count_audits() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select state, 1 as n from new_rows'
    when 'DELETE' then 'select state, -1 as n from old_rows'
    else 'select state, 1 as n from new_rows union all select state, -1 from old_rows'
  end;
begin
  execute format(
    'update %I.audit_count c set tokens = c.tokens + d.n
     from (select state, sum(n)::int8 as n from (%s) s group by state having sum(n) <> 0) d where c.state = d.state',
    tg_table_schema, changes);
  return null;
end
$$;
create trigger token_audit_inserted after insert on token_audit
  referencing new table as new_rows for each statement execute function count_audits();
create trigger token_audit_updated after update on token_audit
  referencing old table as old_rows new table as new_rows for each statement execute function count_audits();
create trigger token_audit_deleted after delete on token_audit
  referencing old table as old_rows for each statement execute function count_audits();
