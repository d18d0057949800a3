/** The port's LedgerWriter: what a writer does, one thing at a time; a failure ends its sessions. */
import { Effect, Semaphore } from "effect"
import {
  appendIsOpen,
  missingRefusal,
  rollbackRefusal,
  segmentRefusal,
} from "../../../domain/ingest/decode/segmentRefusals.ts"
import type { Checkpoint, Segment } from "../../../model/event.ts"
import { type LedgerUnavailable, type LedgerWriter, SegmentRefused } from "../../../ports/Ledger.ts"
import { discardAppend, extendAppend } from "./append.ts"
import { beginLoad, confirmLoad, deriveNext, loadIsDerived, loadIsOpen, progressOfLoad, takesRows } from "./bulkLoad.ts"
import { commitAppend } from "./commit.ts"
import { enrichment } from "./enrichment.ts"
import { healRows } from "./heal/heal.ts"
import { attempt, GivenUp, unavailable } from "./ledgerErrors.ts"
import { rollbackTo } from "./rollback.ts"
import { loadHeaders, loadLandmarks } from "./state/blocks.ts"
import { confirmPosition, loadBirth, loadPosition } from "./state/checkpoint.ts"
import { clearCaches, closeAppend, isFull, type WriterState, type Written } from "./writerState.ts"
import { letZeroAddressHold } from "./zeroAddressBalances.ts"

export const writerOf = (written: Written, writer: WriterState): LedgerWriter => {
  const { database, chain, settings } = written
  const { wrappedNative } = settings
  const mutex = Semaphore.makeUnsafe(1)
  const { session, limits } = writer
  /** One at a time, to its end even when interrupted. A failure ends the sessions: whoever goes on opens again. */
  const serialized = <A>(work: () => Promise<A>) => Effect.uninterruptible(serializedFor(limits.deadlineMs, work))
  const serializedFor = <A>(
    deadlineMs: number,
    work: () => Promise<A>,
  ): Effect.Effect<A, SegmentRefused | LedgerUnavailable> =>
    mutex.withPermit(
      Effect.tryPromise({
        try: async () => {
          const deadline = Number.isFinite(deadlineMs) ? setTimeout(giveUp, deadlineMs) : undefined
          try {
            return await work()
          } finally {
            clearTimeout(deadline)
          }
        },
        catch: (cause) => {
          if (cause instanceof SegmentRefused) return cause
          end(cause)
          return unavailable(cause)
        },
      }),
    )
  const giveUp = () => end(new GivenUp(limits.deadlineMs))
  const end = (cause: unknown): void => {
    closeAppend(writer)
    session.fail(cause)
    writer.reader?.fail(cause)
    writer.load?.indexer?.session.fail(cause)
    clearCaches(writer)
  }
  const alive = async (): Promise<void> => {
    const failure = session.failure()
    if (failure !== undefined) throw failure
  }
  const unrefused = <A>(effect: Effect.Effect<A, SegmentRefused | LedgerUnavailable>) =>
    Effect.catchTag(effect, "SegmentRefused", Effect.die)
  const refuse = (message: string | undefined): void => {
    if (message !== undefined) throw new SegmentRefused({ message })
  }
  const extend = async (segment: Segment, alone: boolean): Promise<number> => {
    await alive()
    refuse(loadIsDerived(writer))
    // Ahead of the transaction, which would keep the empty ledger's tables from whoever puts another there.
    if (writer.open === undefined) await confirmLoad(writer)
    refuse(segmentRefusal(writer.open?.checkpoint ?? writer.position.checkpoint, segment))
    return extendAppend(writer, segment, alone, giveUp)
  }
  const commit = async (): Promise<Checkpoint> => {
    await alive()
    await commitAppend(writer)
    return writer.position.checkpoint
  }
  return {
    checkpoint: unrefused(serialized(() => alive().then(() => writer.position.checkpoint))),
    confirm: unrefused(
      serialized(async () => {
        await alive()
        // An open append is confirmed by its own next write.
        if (writer.open !== undefined) return
        if (writer.load === undefined) await confirmPosition(session, writer.position)
        else await confirmLoad(writer)
      }),
    ),
    birth: unrefused(
      serialized(async () => {
        await writer.open?.flushed
        return loadBirth(session)
      }),
    ),
    recentHeaders: unrefused(
      serialized(async () => {
        await writer.open?.flushed
        return loadHeaders(session)
      }),
    ),
    landmarks: (limit) =>
      unrefused(
        serialized(async () => {
          await writer.open?.flushed
          return loadLandmarks(session, limit)
        }),
      ),
    append: (segment) =>
      serialized(async () => {
        const unknownPool = await extend(segment, writer.open === undefined && writer.load === undefined)
        return { checkpoint: await commit(), unknownPool }
      }),
    extend: (segment) =>
      serialized(async () => {
        const unknownPool = await extend(segment, false)
        return { checkpoint: writer.open!.checkpoint, unknownPool, full: isFull(writer) }
      }),
    commit: unrefused(serialized(commit)),
    discard: unrefused(serialized(() => alive().then(() => discardAppend(writer)))),
    rollback: (fromBlock) =>
      serialized(async (): Promise<Checkpoint> => {
        await alive()
        refuse(writer.open && appendIsOpen)
        const { checkpoint } = writer.position
        refuse(fromBlock < checkpoint.nextBlock ? loadIsOpen(writer) : undefined)
        refuse(rollbackRefusal(checkpoint, await loadHeaders(session), fromBlock))
        if (fromBlock < checkpoint.nextBlock) await rollbackTo(writer, fromBlock)
        return writer.position.checkpoint
      }),
    letZeroAddressHold: (tokens) =>
      serialized(async () => {
        await alive()
        refuse((writer.open && appendIsOpen) ?? loadIsOpen(writer))
        const kept = tokens.filter(({ standard, address }) => standard === "erc20" && !wrappedNative.includes(address))
        if (kept.length > 0) await letZeroAddressHold(writer, kept)
      }),
    heal: (missing) =>
      serialized(async () => {
        await alive()
        refuse(writer.open && appendIsOpen)
        refuse(loadIsOpen(writer))
        refuse(missingRefusal(writer.position.checkpoint, await loadHeaders(session), missing))
        try {
          const rows = await healRows(writer, missing)
          writer.position = await loadPosition(session)
          return rows
        } finally {
          // Also what a refused one found: tokens that are not stored.
          clearCaches(writer)
          writer.tokens.sequence = writer.position.tokenSequence
        }
      }),
    bulk: {
      isLoading: () => writer.load !== undefined,
      takesRows: () => takesRows(writer),
      isHeldUp: () => writer.load?.isHeldUp === true,
      begin: serialized(async () => {
        await alive()
        refuse(writer.open && appendIsOpen)
        refuse(writer.position.checkpoint.head && "the ledger is not empty")
        if (writer.load === undefined) await beginLoad(written, writer)
      }),
      // However long an index takes; a stop ends it with its session.
      derive: Effect.onInterrupt(
        Effect.interruptible(
          serializedFor(Number.POSITIVE_INFINITY, async () => {
            await alive()
            refuse(writer.open && appendIsOpen)
            await confirmLoad(writer)
            return deriveNext(writer)
          }),
        ),
        () => Effect.sync(() => end(new Error("the writer was stopped"))),
      ),
      progress: attempt(() => progressOfLoad(written, writer)),
    },
    ...enrichment(database, chain),
  }
}
