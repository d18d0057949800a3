-- In the registry: calls that callers made in the minute and in the day, of all processes that count together, and which processes those are.
create table limit_use (
  period int4 not null,             -- seconds of a window
  began  int8 not null,             -- its number: seconds since 1970 divided by them
  caller text not null,             -- a digest of its name
  used   int8 not null,
  primary key (period, began, caller)
);
create table limit_process (
  process text primary key,         -- random, of a start
  seen_at timestamptz not null
);
