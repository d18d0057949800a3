-- A share of a fifth is late where rows are a billion: 200 million dead ones lie in front of the pages that are read most. A
-- small table is vacuumed as late as ever: a thousand rows and a fiftieth are no fewer than fifty and a fifth, up to 5,000 rows.
alter table balance set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);
alter table unit_balance set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);
alter table nft set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);

-- What only grows: rows that are not frozen yet, and pages that an index alone cannot answer for. The threshold is a thousand rows.
alter table erc20_transfer set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table erc721_transfer set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table erc1155_transfer set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table wrap set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table swap set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table approval set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table balance_history set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table unit_balance_history set (autovacuum_vacuum_insert_scale_factor = 0.02);
