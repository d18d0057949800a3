/** What a writer does, one thing at a time: append, roll back, put right; a failure ends its sessions. */
import { Effect, Semaphore } from "effect"
import { appendIsOpen, rollbackRefusal, segmentRefusal } from "../../../domain/ingest/decode/segmentRules.ts"
import type { Checkpoint, Segment } from "../../../model/event.ts"
import {
  type LedgerSettings,
  type LedgerUnavailable,
  type LedgerWriter,
  SegmentRefused,
} from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { commitAppend, discardAppend, extendAppend } from "./append.ts"
import { letZeroAddressHold } from "./burnt.ts"
import { loadHeaders } from "./checkpoint.ts"
import { enrichment } from "./enrichment.ts"
import { unavailable } from "./ledgerErrors.ts"
import { rollbackTo } from "./rollback.ts"
import { clearCaches, forget, isFull, type Writer } from "./writer.ts"

export const writerOf = (
  database: DatabaseShape,
  schema: string,
  { wrappedNative }: LedgerSettings,
  writer: Writer,
): LedgerWriter => {
  const turn = Semaphore.makeUnsafe(1)
  const { session, limits } = writer
  /** One at a time, to its end even when interrupted. A failure ends the sessions: whoever goes on opens again. */
  const inTurn = <A>(work: () => Promise<A>): Effect.Effect<A, SegmentRefused | LedgerUnavailable> =>
    turn.withPermit(
      Effect.uninterruptible(
        Effect.tryPromise({
          try: async () => {
            const late = setTimeout(giveUp, limits.deadline)
            try {
              return await work()
            } finally {
              clearTimeout(late)
            }
          },
          catch: (cause) => {
            if (cause instanceof SegmentRefused) return cause
            end(cause)
            return unavailable(cause)
          },
        }),
      ),
    )
  const giveUp = () => end(new Error(`given up after ${limits.deadline} ms`))
  const end = (cause: unknown): void => {
    forget(writer)
    session.fail(cause)
    writer.reader?.fail(cause)
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
    refuse(segmentRefusal(writer.open?.checkpoint ?? writer.position.checkpoint, segment))
    return extendAppend(writer, segment, alone, giveUp)
  }
  const commit = async (): Promise<Checkpoint> => {
    await alive()
    await commitAppend(writer)
    return writer.position.checkpoint
  }
  return {
    checkpoint: unrefused(inTurn(() => alive().then(() => writer.position.checkpoint))),
    recentHeaders: unrefused(
      inTurn(async () => {
        await writer.open?.sent
        return loadHeaders(session)
      }),
    ),
    append: (segment) =>
      inTurn(async () => {
        const unknownPool = await extend(segment, writer.open === undefined)
        return { checkpoint: await commit(), unknownPool }
      }),
    extend: (segment) =>
      inTurn(async () => {
        const unknownPool = await extend(segment, false)
        return { checkpoint: writer.open!.checkpoint, unknownPool, full: isFull(writer) }
      }),
    commit: unrefused(inTurn(commit)),
    discard: unrefused(inTurn(() => alive().then(() => discardAppend(writer)))),
    rollback: (fromBlock) =>
      inTurn(async (): Promise<Checkpoint> => {
        await alive()
        refuse(writer.open && appendIsOpen)
        const { checkpoint } = writer.position
        refuse(rollbackRefusal(checkpoint, await loadHeaders(session), fromBlock))
        if (fromBlock < checkpoint.nextBlock) await rollbackTo(writer, fromBlock)
        return writer.position.checkpoint
      }),
    letZeroAddressHold: (tokens) =>
      inTurn(async () => {
        await alive()
        refuse(writer.open && appendIsOpen)
        const kept = tokens.filter(({ standard, address }) => standard === "erc20" && !wrappedNative.includes(address))
        if (kept.length > 0) await letZeroAddressHold(writer, kept)
      }),
    ...enrichment(database, schema),
  }
}
