-- On the coordinator and on each worker: what a session of Cowry sets for itself does not reach the workers, a role's does.
alter role cowry set enable_seqscan = off;
alter role cowry set enable_bitmapscan = off;
alter role cowry set jit = off;
alter role cowry set max_parallel_workers_per_gather = 0;
