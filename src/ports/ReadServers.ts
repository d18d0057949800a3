/** The database servers that reads may go to: how each stands, which one is in use, and a choice of one for an answer. */
import { Context, Effect } from "effect"

/** A server as it was found last. */
export interface ReadServer {
  /** Scheme, host and port; holds no secret. */
  readonly label: string
  /** Whether it is the server of DATABASE_URL: the last that is tried. */
  readonly isPrimary: boolean
  /** Whether it replays another server's log: it takes no writes, and `LISTEN` does not run there. */
  readonly isStandby: boolean
  /** Whether a new session may write. */
  readonly takesWrites: boolean
  /** Whether it answered the last look, and may be read: nothing is known that rules it out, and it has the primary's log. */
  readonly isReached: boolean
  /** Milliseconds that it is behind, at most; 0 where it is no standby, absent = not known. */
  readonly lagMs?: number
  /** Whether reads go there now. */
  readonly isUsed: boolean
  /** Why it is passed over, in plain words; absent = it is not. */
  readonly problem?: string
}

export class ReadServers extends Context.Service<
  ReadServers,
  {
    /** In the order in which they are tried. Empty = the store is no server. */
    readonly list: () => ReadonlyArray<ReadServer>
    /** The same effect, all of whose reads go to the server at `place` of the list; undefined = wherever is best. */
    on<A, E, R>(place: number | undefined, reading: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** The place that `on` chose for whoever asks; undefined = wherever is best. */
    readonly chosen: Effect.Effect<number | undefined>
  }
>()("cowry/ReadServers") {}

/** Of a store that is one: there is nothing to choose. */
export const noChoice: ReadServers["Service"] = {
  list: () => [],
  on: (_, reading) => reading,
  chosen: Effect.succeed(undefined),
}

/** Connections to a server: for reads, and of what says how the service is. Servers are sized by it. */
export const mostReaders = 14
export const mostProbes = 2
/** Those that keep the plans of statements over many chains: each of them takes memory on each. */
export const mostWide = 3
/** Beside those for reads: for statements that are not reads, when a ledger is opened or rebuilt. */
export const spareReaders = 5
