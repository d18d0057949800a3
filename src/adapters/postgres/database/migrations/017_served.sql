-- In the registry: what processes that do not follow a chain must know to answer for it. Written by the one that does.
alter table chain add column served        text;        -- JSON: settings that answers depend on, and the files its tables were made by
alter table chain add column served_digest text;        -- of that text
alter table chain add column status        text;        -- JSON: how its ingestion is doing
alter table chain add column status_at     timestamptz;
