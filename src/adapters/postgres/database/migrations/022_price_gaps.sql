-- Hours of the past whose prices are not found yet: from_hour up to, and not with, to_hour. They are found from the newest on.
create table price_gap (
  from_hour int4 primary key,
  to_hour   int4 not null check (to_hour > from_hour)
);
