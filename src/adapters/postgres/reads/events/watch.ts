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

export const watchLedgers = (database: DatabaseShape, wake: (chainId: ChainId) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const chainOf = new Map<string, ChainId>()
      const over = new AbortController()
      let held: HeldConnection | undefined
      /** What `held` listens to. */
      let heard = new Set<ChainId>()
      let timer: ReturnType<typeof setTimeout> | undefined
      /** Absent = nobody waits for any chain yet. */
      let begun: number | undefined
      const leave = (): void => {
        held = undefined
        heard = new Set()
      }
      const beginLater = (): void => {
        leave()
        if (over.signal.aborted) return
        timer = setTimeout(begin, retryMs)
        timer.unref()
      }
      const hear = (chainId: ChainId): void => {
        heard.add(chainId)
        // What was committed before it listened.
        wake(chainId)
      }
      /** Where that fails the connection is over, and another one begins with all; else the chain is looked at often. */
      const listenMore = (connection: HeldConnection, schema: string, chainId: ChainId): void => {
        const listening = connection.run((sql) => sql`listen ${sql(schema)}`)
        listening.then(
          () => void (held === connection && hear(chainId)),
          () => {},
        )
      }
      const open = async (): Promise<void> => {
        let first: ReadonlyMap<string, ChainId> = new Map()
        const opened: HeldConnection = await openHeld(database, {
          lost: "the connection that hears of commits was lost",
          first: (sql) => {
            first = new Map(chainOf)
            return Promise.all([...first.keys()].map((schema) => sql`listen ${sql(schema)}`))
          },
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
        for (const [schema, chainId] of chainOf) {
          if (first.has(schema)) hear(chainId)
          else listenMore(opened, schema, chainId)
        }
      }
      const begin = (): void => {
        begun = performance.now()
        // A standby refuses it, and its log would say so each time.
        const isStandby = database.servers.list().some(({ isUsed, isStandby }) => isUsed && isStandby)
        if (isStandby) beginLater()
        else open().catch(beginLater)
      }
      return {
        listen: (chainId: ChainId) => {
          const schema = database.chainSchema(chainId)
          if (chainOf.has(schema)) return
          chainOf.set(schema, chainId)
          if (begun === undefined) begin()
          else if (held !== undefined) listenMore(held, schema, chainId)
        },
        lookMs: (chainId: ChainId) => (heard.has(chainId) ? lookMs.called : lookMs.alone),
        missed: (chainId: ChainId) => {
          const before = held
          if (before === undefined || !heard.has(chainId) || performance.now() - (begun ?? 0) < missedMs) return
          leave()
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
