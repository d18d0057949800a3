/** A node that answers while its chain stands still, where another node's goes on: it is left. */
import { Effect, Option } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { RangeRefused, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { FollowState } from "../state/FollowState.ts"

/** Between two looks, and before the first: others are asked once a chain has made no block for so long. Sooner of one below the ledger. */
const stillMs = { usual: 30_000, below: 10_000 } as const
/** One that is slow, or gone, is not waited for: blocks may come meanwhile. */
const longestLookMs = 2000

export interface StandingNode {
  /** To be called whenever there was nothing to store. */
  readonly look: Effect.Effect<void>
  /** There was something. */
  readonly moved: Effect.Effect<void>
}

/** For as long as the ledger is open. */
export const makeStandingNode = (state: FollowState): Effect.Effect<StandingNode> =>
  Effect.gen(function* () {
    const { ledger, report, source } = state
    const { nodes } = source.verifier.node
    let movedAt = yield* steadyMillis
    let lookedAt = movedAt
    /** It has the very next block and one more: what came just now is no sign of anything. */
    const goesOn = Effect.fnUntraced(function* (node: number) {
      const { head, nextBlock } = ledger.checkpoint()
      for (const number of [nextBlock, nextBlock + 1]) {
        const found = yield* nodes!.logs(node, number, number)
        if (found === undefined || found instanceof RangeRefused) return false
        if (number === nextBlock && found.head.parentHash !== head?.hash) return false
      }
      return true
    })
    return {
      moved: Effect.map(steadyMillis, (now) => {
        movedAt = now
      }),
      look: Effect.gen(function* () {
        const now = yield* steadyMillis
        if (nodes === undefined || nodes.labels.length < 2) return
        const isBelow = state.nodeHead < ledger.checkpoint().nextBlock - 1
        if (now - Math.max(movedAt, lookedAt) < stillMs[isBelow ? "below" : "usual"]) return
        lookedAt = now
        const inUse = nodes.current()
        const others = [...nodes.labels.keys()].filter((node) => node !== inUse)
        const looks = others.map((node) => Effect.timeoutOption(goesOn(node), longestLookMs))
        const answers = (yield* Effect.all(looks, { concurrency: "unbounded" })).map(Option.getOrUndefined)
        const going = others.find((_, at) => answers[at] === true)
        if (going === undefined) return
        const standsAt = ledger.checkpoint().nextBlock - 1
        const message = `${nodes.labels[inUse]} has had no block above ${standsAt} for ${Math.round((now - movedAt) / 1000)} s, and ${nodes.labels[going]} goes on: another node is asked`
        yield* report.refused(new SourceUnavailable({ kind: "behind", message }))
        yield* source.failover
      }),
    }
  })
