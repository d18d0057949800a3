-- What tokens cost at the beginnings of days, UTC: a year of them is one stretch of this index.
create index price_point_day on price_point (token_id, hour) include (price) where hour % 24 = 0;
