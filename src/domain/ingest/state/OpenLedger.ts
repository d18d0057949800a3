/** The ledger that is written: each change of it moves the checkpoint, is told in the chain's status, and wakes those who wait for news. */
import { Effect, Latch } from "effect"
import type { Checkpoint, Segment } from "../../../model/event.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { BulkLoading, Extended, LedgerUnavailable, LedgerWriter, SegmentRefused } from "../../../ports/Ledger.ts"
import { rowsOf } from "../decode/chunk.ts"
import type { FollowedLedger } from "../status/FollowedLedger.ts"
import type { Report } from "../status/report.ts"

/** What changes it ends once it has begun, also when the service is asked to stop. */
export interface OpenLedger extends Pick<FollowedLedger, "checkpoint" | "news"> {
  readonly recentHeaders: LedgerWriter["recentHeaders"]
  readonly confirm: LedgerWriter["confirm"]
  readonly append: (segment: Segment) => Effect.Effect<void, SegmentRefused | LedgerUnavailable>
  /** Hands a segment to the open append; the ledger that people see stays as it is. */
  readonly extend: (segment: Segment) => Effect.Effect<Extended, SegmentRefused | LedgerUnavailable>
  /** Makes visible what was extended, `moving` or empty blocks. */
  readonly commit: (moving: boolean) => Effect.Effect<void, LedgerUnavailable>
  /** Forgets what was extended. */
  readonly discard: Effect.Effect<void, LedgerUnavailable>
  /** Takes in what was missed. */
  readonly heal: LedgerWriter["heal"]
  /** How a long history comes into the empty ledger; absent = the store has no such way. */
  readonly bulk?: BulkLoading
  /** Removes block `fromBlock` and everything above it. */
  readonly rollback: (fromBlock: number) => Effect.Effect<void, SegmentRefused | LedgerUnavailable>
}

interface Opened {
  readonly chainId: ChainId
  readonly writer: LedgerWriter
  readonly report: Report
  readonly onRollback: () => void
  /** A load has begun, which takes the empty ledger's place: another making of it. */
  readonly onLoad: (birth: string) => void
}

export const makeOpenLedger = Effect.fnUntraced(function* ({ chainId, writer, report, onRollback, onLoad }: Opened) {
  let checkpoint: Checkpoint = yield* writer.checkpoint
  const latches = new Set<Latch.Latch>()
  const moveTo = (next: Checkpoint) => {
    checkpoint = next
    report.indexed(checkpoint)
  }
  const wake = () => {
    for (const latch of latches) latch.openUnsafe()
  }
  /** What was loaded is asked about once the blocks behind it are there, whatever they hold: the head comes first. */
  let isLoaded = false
  const wakeWhere = (isNews: boolean) => {
    if (isLoaded || isNews) wake()
    isLoaded = false
  }
  /** A chain without block 0 has nothing there: its ledger is as whole as one that holds it. */
  const fromBeginning = (segment: Segment): Segment =>
    segment.fromBlock === 1 && checkpoint.nextBlock === 0 ? { ...segment, fromBlock: 0 } : segment
  const { bulk } = writer
  return {
    ...(bulk && {
      bulk: {
        ...bulk,
        begin: Effect.andThen(bulk.begin, Effect.map(writer.birth, onLoad)),
        derive: Effect.tap(bulk.derive, (isMore) =>
          isMore
            ? Effect.void
            : Effect.map(writer.checkpoint, (whole) => {
                moveTo(whole)
                isLoaded = true
              }),
        ),
      },
    }),
    checkpoint: () => checkpoint,
    news: () => {
      const latch = Latch.makeUnsafe(true)
      latches.add(latch)
      return latch
    },
    recentHeaders: writer.recentHeaders,
    confirm: writer.confirm,
    append: Effect.fnUntraced(function* (segment) {
      const appended = yield* writer.append(fromBeginning(segment))
      report.taken(segment, appended.unknownPool)
      moveTo(appended.checkpoint)
      wakeWhere(rowsOf(segment) > 0)
    }, Effect.uninterruptible),
    extend: Effect.fnUntraced(function* (segment) {
      const extended = yield* writer.extend(fromBeginning(segment))
      report.taken(segment, extended.unknownPool)
      return extended
    }, Effect.uninterruptible),
    commit: Effect.fnUntraced(function* (moving) {
      moveTo(yield* writer.commit)
      wakeWhere(moving && bulk?.isLoading() !== true)
    }, Effect.uninterruptible),
    discard: Effect.uninterruptible(writer.discard),
    heal: Effect.fnUntraced(function* (missing) {
      const rows = yield* writer.heal(missing)
      report.healed(rows)
      // A token may be among them that nobody knew.
      if (rows > 0) wake()
      return rows
    }, Effect.uninterruptible),
    rollback: Effect.fnUntraced(function* (fromBlock) {
      const before = checkpoint.nextBlock
      const after = yield* writer.rollback(fromBlock)
      onRollback()
      moveTo(after)
      report.reorg(before - after.nextBlock)
      yield* Effect.logWarning(
        `chain ${chainId}: reorg, ${before - fromBlock} blocks taken back, going on at block ${fromBlock}`,
      )
    }, Effect.uninterruptible),
  } satisfies OpenLedger as OpenLedger
})
