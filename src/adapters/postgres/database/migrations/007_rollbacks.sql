-- The first block of each rollback: a walk as of a block that was not final goes on while none of these took it back.
create table rollback (
  rollback_no int4 primary key,     -- 1, 2, …
  from_block  int4 not null
);
