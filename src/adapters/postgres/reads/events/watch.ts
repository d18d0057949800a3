/** Hears of commits that changed a ledger, on a connection of its own; where that cannot be, the ledger is looked at often. */
import { Effect } from "effect"
import type { ChainId } from "../../../../model/primitives.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { type HeldConnection, openHeld } from "../../database/held.ts"

/** With and without calls: a standby makes none. */
const lookMs = { called: 1000, alone: 100 }
/** Between two connections. The driver would listen anew at once, for each chain, as often as it is refused. */
const retryMs = 5000
/** A call may merely be late: not after each one is listened anew. */
const missedMs = 10_000

export const watchLedgers = (
  database: DatabaseShape,
  chains: ReadonlyArray<ChainId>,
  wake: (chainId: ChainId) => void,
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const chainOf = new Map(chains.map((chainId) => [database.chainSchema(chainId), chainId]))
      const over = new AbortController()
      let held: HeldConnection | undefined
      let timer: ReturnType<typeof setTimeout> | undefined
      let begun = performance.now()
      const beginLater = (): void => {
        held = undefined
        if (over.signal.aborted) return
        timer = setTimeout(begin, retryMs)
        timer.unref()
      }
      const open = async (): Promise<void> => {
        const opened: HeldConnection = await openHeld(database, {
          lost: "the connection that hears of commits was lost",
          first: (sql) => Promise.all([...chainOf.keys()].map((schema) => sql`listen ${sql(schema)}`)),
          onNotify: (schema) => {
            const chainId = chainOf.get(schema)
            if (chainId !== undefined) wake(chainId)
          },
          signal: over.signal,
          onLost: () => {
            if (held === opened) beginLater()
          },
        })
        held = opened
        // What was committed before it listened.
        for (const chainId of chains) wake(chainId)
      }
      const begin = (): void => {
        begun = performance.now()
        // A standby refuses it, and its log would say so each time.
        const isStandby = database.servers.list().some(({ isUsed, isStandby }) => isUsed && isStandby)
        if (isStandby) beginLater()
        else open().catch(beginLater)
      }
      begin()
      return {
        lookMs: () => (held === undefined ? lookMs.alone : lookMs.called),
        missed: () => {
          const before = held
          if (before === undefined || performance.now() - begun < missedMs) return
          held = undefined
          before.fail(new Error("its calls are missed"))
          begin()
        },
        end: () => {
          over.abort()
          clearTimeout(timer)
        },
      }
    }),
    ({ end }) => Effect.sync(end),
  )
