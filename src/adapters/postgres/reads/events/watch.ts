/** Hears of commits that changed a ledger, on a connection of its own; where that cannot be, the ledger is looked at often. */
import { Effect } from "effect"
import type { ChainId } from "../../../../model/primitives.ts"
import type { DatabaseShape } from "../../database/Database.ts"

/** With and without calls: a standby makes none. */
const lookMs = { called: 1000, alone: 100 }
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
      let isOver = false
      let heard = 0
      let timer: ReturnType<typeof setTimeout> | undefined
      let client = database.connect({ max: 1 })
      let begun = performance.now()
      const listen = async (chainId: ChainId): Promise<void> => {
        const call = () => wake(chainId)
        // The driver listens again by itself where the connection was lost.
        await client.listen(database.chainSchema(chainId), call, call)
        heard++
      }
      const beginLater = (): void => {
        if (isOver) return
        timer = setTimeout(begin, retryMs)
        timer.unref()
      }
      const begin = (): void => {
        heard = 0
        begun = performance.now()
        // A standby refuses it, and its log would say so each time.
        const isStandby = database.servers.list().some(({ isUsed, isStandby }) => isUsed && isStandby)
        if (isStandby) beginLater()
        else Promise.all(chains.map(listen)).catch(beginLater)
      }
      begin()
      return {
        lookMs: () => (heard >= chains.length ? lookMs.called : lookMs.alone),
        missed: () => {
          if (isOver || heard < chains.length || performance.now() - begun < missedMs) return
          client.end({ timeout: 0 }).catch(() => {})
          client = database.connect({ max: 1 })
          begin()
        },
        end: () => {
          isOver = true
          clearTimeout(timer)
          client.end({ timeout: 0 }).catch(() => {})
        },
      }
    }),
    ({ end }) => Effect.sync(end),
  )
