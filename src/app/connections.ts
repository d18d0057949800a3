/** How many connections to the database this process needs by its settings: the embedded server is sized by it, another is held against it. */
import type { Config } from "../config/readConfig.ts"
import { mostProbes, mostReaders, mostWide, spareReaders } from "../ports/ReadServers.ts"
import { mostSnapshots } from "../ports/Snapshots.ts"

export interface Connections {
  /** Without so many it cannot work. */
  readonly least: number
  /** So many it takes at most, while every chain is in its first sync. */
  readonly most: number
  /** How they come about, in words. */
  readonly words: string
}

/** Opened for a moment: looks whether sessions are kept, cancellations, a server that takes writes again. */
const passing = 3

export const connectionsOf = ({
  chains,
  role,
  readUrls,
}: Pick<Config, "chains" | "role" | "readUrls">): Connections => {
  const isReader = role === "reader"
  const reads = mostWide + (isReader ? mostReaders : mostReaders + spareReaders)
  // Answers are given over the standbys' connections, and over as many of the primary where none will do.
  const hasStandbys = role === "both" && readUrls.length > 0
  const others = mostProbes + passing + (isReader || hasStandbys ? mostProbes : 0)
  const followed = isReader ? 0 : chains.length
  const fixed = reads + mostSnapshots + others
  const loading = chains.filter(({ bulk }) => bulk !== "off").length
  return {
    least: fixed + followed,
    most: fixed + 2 * followed + (isReader ? 0 : loading),
    words: `${reads} for reads, ${mostSnapshots} for streams, ${others} for looks at the server${followed === 0 ? "" : `, and of ${followed} followed ${followed === 1 ? "chain" : "chains"} one each`}`,
  }
}

/** A command that joins the embedded server while the service runs, with sessions of its own. */
const ofCommand = 40
/** Locks that the server has room for: a statement over all chains takes about nine a chain, an append some dozens. */
const fewestLocks = 102_400
const locksOfChain = 700

/** Settings of the embedded server that follow from it. */
export const embeddedSettings = (config: Parameters<typeof connectionsOf>[0]): Readonly<Record<string, string>> => {
  const connections = Math.max(100, connectionsOf(config).most + ofCommand)
  const locks = Math.max(fewestLocks, locksOfChain * config.chains.length)
  return {
    max_connections: `${connections}`,
    max_locks_per_transaction: `${Math.max(64, Math.ceil(locks / connections))}`,
  }
}
