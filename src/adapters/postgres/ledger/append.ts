/** The append: one segment, one transaction, the same path for backfill, catch-up and live. */
import type { Segment } from "../../../domain/model/event.ts"
import { settlePairs, storeBalances } from "./balances.ts"
import { storeClock, storeHeaders } from "./blocks.ts"
import type { CacheBudget } from "./cacheBudget.ts"
import { advance, type Position } from "./checkpoint.ts"
import { prepareChunk } from "./chunk.ts"
import { copyIn } from "./copy.ts"
import { encodeChunk, type Folding, foldChunk, historyTarget, newFolding, transferTarget, wrapTarget } from "./fold.ts"
import { finishLookup, type Lookup, startLookup } from "./lookup.ts"
import type { Pairs } from "./pairs.ts"
import { type Session, transaction } from "./session.ts"
import { resolveTokens, settleTokens, storeTokens, type Tokens } from "./tokens.ts"

/** One chain's writer: its sessions, its caches, and where it left the ledger. */
export interface Writer {
  /** Holds the lock, appends. */
  readonly session: Session
  /** Looks pairs up while `session` appends: there while segments have several chunks. */
  reader: Session | undefined
  readonly openReader: () => Promise<Session>
  readonly pairs: Pairs
  readonly tokens: Tokens
  readonly limits: WriterLimits
  /** Shared with the writers of the other chains. */
  readonly budget: CacheBudget
  position: Position
  segments: number
}

export interface WriterLimits {
  /** Memory of the pair caches of all chains together, bytes. */
  readonly cacheBytes: number
  /** Tokens kept in memory. */
  readonly maxTokens: number
  /** Movements folded at a time. */
  readonly chunkSize: number
  /** Milliseconds after which an append or a rollback is given up, and the session with it. */
  readonly deadline: number
}

/** All of the segment or nothing. After a failure the writer's caches are worthless: end its sessions. */
export const appendSegment = async (writer: Writer, segment: Segment): Promise<void> => {
  const { session, pairs, tokens, position } = writer
  const folding = newFolding(pairs, ++writer.segments)
  writer.position = await transaction(session, async () => {
    const touched = await resolveTokens(session, tokens, segment.movements)
    await foldSegment(writer, folding, segment)
    await storeBalances(session, folding)
    const born = await storeTokens(session, touched)
    const checkpoint = await advance(session, position, {
      segment,
      tokens: born,
      transfers: touched.reduce((sum, token) => sum + token.transfers, 0),
      tokenSequence: tokens.sequence,
    })
    await storeHeaders(session, segment, checkpoint.finalizedBlock)
    const clockGroup = await storeClock(session, segment, position.clockGroup)
    settleTokens(tokens, touched, writer.limits.maxTokens)
    return { checkpoint, epoch: position.epoch + 1, tokenSequence: tokens.sequence, clockGroup }
  })
  settlePairs(folding, writer.budget.allowance(pairs))
}

/** Chunk by chunk: the next one's look-up and this one's COPY are under way while this one is folded. */
const foldSegment = async (writer: Writer, folding: Folding, { movements }: Segment): Promise<void> => {
  const { session, pairs, tokens } = writer
  const { chunkSize } = writer.limits
  const reader = await readerFor(writer, movements.length > chunkSize)
  const look = (start: number): Lookup =>
    startLookup(reader, session, pairs, prepareChunk(pairs, tokens.known, movements.slice(start, start + chunkSize)))
  let sent = Promise.resolve()
  let next = movements.length === 0 ? undefined : look(0)
  for (let start = 0; next !== undefined; start += chunkSize) {
    const lookup: Lookup = next
    next = start + chunkSize < movements.length ? look(start + chunkSize) : undefined
    await finishLookup(pairs, lookup)
    foldChunk(folding, lookup.chunk)
    encodeChunk(folding, lookup.chunk)
    await sent
    sent = sendRows(session, folding)
    sent.catch(() => {})
  }
  await sent
}

/** A connection of its own pays where look-ups run beside the fold; a chain that follows its head does with one. */
const readerFor = async (writer: Writer, several: boolean): Promise<Session> => {
  const { reader } = writer
  if (several && reader?.failure() === undefined && reader !== undefined) return reader
  writer.reader = several ? await writer.openReader() : undefined
  await reader?.close()
  return writer.reader ?? writer.session
}

const sendRows = async (session: Session, { transfers, history, wraps }: Folding): Promise<void> => {
  const rows = [
    [transferTarget, transfers],
    [wrapTarget, wraps],
    [historyTarget, history],
  ] as const
  // Taken now: the next chunk is encoded into the same buffers while these go out.
  const parts = rows.filter(([, it]) => it.rows > 0).map(([target, it]) => [target, it.take()] as const)
  for (const [target, slices] of parts) await copyIn(session, target, slices)
}
