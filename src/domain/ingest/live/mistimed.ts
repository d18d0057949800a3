/** Blocks that were stored with another time than their node gives them: a lie of then, or of now. */
import { Effect } from "effect"
import type { BlockHeader } from "../../../model/block.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { rebuildCommand } from "../../../ports/Ledger.ts"
import { chainContradiction } from "../decode/chunk.ts"
import type { FollowState } from "../state/FollowState.ts"

/** Headers compared in one go. */
const headersStep = 64
/** Between two looks, which must agree. */
const pauseMs = 150

/**
 * Takes back the blocks from the first one on whose time is another under the same hash; a hash says nothing of a time
 * that nobody computes it from. `kept`: the headers of the window, ascending. True = blocks were taken back.
 */
export const takeBackMistimed = Effect.fn("takeBackMistimed")(function* (
  { ledger, report, settings, source }: Pick<FollowState, "ledger" | "report" | "settings" | "source">,
  kept: ReadonlyArray<BlockHeader>,
) {
  const found = yield* findMistimed(source, kept)
  if (found === undefined) {
    // It denies what it says itself: another one may not.
    yield* source.failover
    return false
  }
  yield* Effect.sleep(pauseMs)
  const again = yield* findMistimed(source, kept)
  if (again?.own.number !== found.own.number || again.time !== found.time) return false
  const { own, time } = found
  const differs = `block ${own.number} is stored with the time ${own.time}, the node gives it ${time}`
  const { firstBlock, finalizedBlock } = ledger.checkpoint()
  const isWhole = own.number === firstBlock && finalizedBlock < firstBlock
  if (own.number === kept[0]?.number && !isWhole) {
    return yield* new SourceUnavailable({
      kind: "time",
      message:
        `${differs}, and is too old to be taken back (final up to block ${finalizedBlock}); nothing was changed. Check ` +
        `the node; if it is right, run: ${rebuildCommand(settings.chainId)}`,
    })
  }
  yield* source.checkGenesis
  yield* report.refused(new SourceUnavailable({ kind: "time", message: `${differs}: it is read again` }))
  yield* ledger.rollback(own.number)
  return true
})

/** The first of these blocks, and the time the node gives it. Undefined also where the node's answers do not fit one another, or end early. */
const findMistimed = Effect.fnUntraced(function* (
  source: Pick<FollowState["source"], "headers">,
  kept: ReadonlyArray<BlockHeader>,
) {
  const theirs: Array<BlockHeader> = []
  for (let begin = 0; begin < kept.length; begin += headersStep) {
    const part = kept.slice(begin, begin + headersStep)
    for (const header of yield* source.headers(part.map(({ number }) => number))) {
      if (header !== undefined) theirs.push(header)
    }
  }
  const isSame = theirs.length === kept.length && theirs.every(({ hash }, place) => hash === kept[place]!.hash)
  if (!isSame || chainContradiction(theirs) !== undefined) return undefined
  const place = kept.findIndex(({ time }, index) => time !== theirs[index]!.time)
  return place === -1 ? undefined : { own: kept[place]!, time: theirs[place]!.time }
})
