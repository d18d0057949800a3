-- Tokens whose creation was given up, by birth: they are asked for again, now and then.
create index token_given_up on token (first_pos) where origin_known and created_time is null and created_tx is null;
