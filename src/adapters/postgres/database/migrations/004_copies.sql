-- In the registry: last good copies of what came from outside (token lists, published supplies).
create table kept_copy (
  key        text primary key,      -- a digest, never a URL
  text       text not null,
  etag       text,
  checked_at int8 not null          -- milliseconds since 1970
);
