/** Every flag of the chain server, with its default. */

export const chainFlags = {
  /** 0 = any free port; it is printed. */
  port: 0,
  seed: 1,
  chainId: 990_001,
  /** ERC-20 transfers made before the server answers; `blocks` above 0 makes so many blocks instead. */
  logs: 300_000,
  blocks: 0,
  /** Blocks lie in a file, some 90 bytes a log, and not in memory. */
  stream: false,
  logsPerBlock: 150,
  /** How far a block's number of transfers may be from that, 0 to 1. */
  spread: 0.5,
  /** Tokens there from the start. */
  tokens: 200,
  /** ERC-721 and ERC-1155 logs beside each ERC-20 transfer, on average: 0 to 0.8. Two in three are ERC-721. */
  nfts: 0.03,
  /** Whether logs carry `blockTimestamp`. */
  logTimes: true,
  finality: 64,
  /** Milliseconds between new blocks after `POST /start`; 0 = none. */
  blockTime: 0,
  /** Transfers in those blocks; 0 = as in the others. */
  liveLogsPerBlock: 0,
  /** Every so many new blocks `reorgDepth` of them are replaced; 0 = never. */
  reorgs: 0,
  reorgDepth: 3,
  /** Milliseconds before each answer. */
  latency: 0,
  /** Shares of requests that fail, and of answers that are behind the head or empty. */
  errors: 0,
  stale: 0,
  maxRange: 1_000_000,
  maxResults: 1_000_000,
  /** Calls in one request. */
  maxBatch: 1000,
}

export type ServerOptions = typeof chainFlags
