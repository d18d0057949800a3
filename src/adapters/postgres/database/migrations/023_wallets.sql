-- What tokens cost at the beginnings of days, UTC: a year of them is one stretch of this index.
create index price_point_day on price_point (token_id, hour) include (price) where hour % 24 = 0;

-- In wallets of very many tokens those that are trusted are found from all that are.
create index token_note_trusted on token_note (address) where trusted;
