-- The registry, in the installation's own schema: which chains live here. The migration journal is made by migrate.ts.
create table chain (
  chain_id     text primary key,
  schema_name  text not null unique,
  genesis_hash text not null,
  created_at   timestamptz not null default now()
);
