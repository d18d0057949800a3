/** How the embedded server is configured: two cores, a part of the memory, one writer that appends in bulk. */
import { totalmem } from "node:os"

/** Given on the command line at every start, so a data folder follows the version of Cowry that runs it. */
export const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  // TCP with a random password and no unix socket: any client can use the url, and no path is too long for it.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  // A statement over all chains locks every table and index it names: about nine a chain.
  max_locks_per_transaction: "1024",
  max_connections: "100",
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
  // A caller who leaves has his read cancelled, which is an error of that read: its statement, some kilobytes each time, is not logged.
  log_min_error_statement: "fatal",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
}

const mebibyte = 2 ** 20
const [leastBuffers, mostBuffers] = [256, 2048]

/** What this process may have of the machine's memory, bytes: what a container is held to, where it is. */
const memory = (): number => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * A sixteenth of `bytes`, 256 MB to 2 GB. A page of a block's pairs that is in no buffer is read, and another one written
 * for it, while the block waits.
 */
export const sharedBuffers = (bytes = memory()): string =>
  `${Math.max(leastBuffers, Math.min(mostBuffers, Math.floor(bytes / 16 / mebibyte)))}MB`
