-- As 042, which had left these out. Each look at prices writes the rows of those that moved, and their old places lie in front of
-- the first page by market cap.
alter table token_stat set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);

-- These only grow. A year of prices is read off an index alone, where its pages are known to be visible to all.
alter table price_point set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table odd_log set (autovacuum_vacuum_insert_scale_factor = 0.02);
