/** How the embedded server is configured: two cores, little memory, one writer that appends in bulk. */

/** Given on the command line at every start, so a data folder follows the version of Cowry that runs it. */
export const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  // TCP with a random password and no unix socket: any client can use the url, and no path is too long for it.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  // A statement over all chains locks every table and index it names: about nine a chain.
  max_locks_per_transaction: "1024",
  max_connections: "100",
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  // Bulk appends fill the write-ahead log; rare checkpoints write each page once instead of many times.
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  // Nothing replicates from here.
  wal_level: "minimal",
  max_wal_senders: "0",
  random_page_cost: "1.1",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  log_min_messages: "warning",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
}
