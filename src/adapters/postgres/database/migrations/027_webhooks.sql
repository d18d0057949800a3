-- In the registry: who is told of events by requests, and how far each has been told.
create table webhook (
  id          text primary key,
  version     int8 not null default 1,      -- +1 whenever somebody but the deliverer changes it
  url         text not null,
  secret      text not null,                -- whsec_<base64>
  chains      text not null,                -- JSON: chain ids
  filter      text not null,                -- JSON
  only_final  boolean not null,
  created_at  int8 not null,                -- milliseconds since 1970, as all times here
  state       text not null default 'active',
  problem     text,                         -- why it is paused, or failing
  positions   text not null,                -- told so far, with the answers to it; empty = nothing
  awaited     text not null default '{}',   -- JSON: by chain the lowest and highest block that were told and not yet called final
  sequence    int8 not null default 0,      -- of the newest batch that was answered for
  -- The batch that is being sent: it is sent again as it is until it is answered for.
  batch_id        text,
  batch_body      text,
  batch_positions text,
  batch_awaited   text,
  attempts      int4 not null default 0,
  failing_since int8,
  next_try_at   int8
);
