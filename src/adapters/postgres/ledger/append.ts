/** The append: segments, one transaction, the same path for backfill, catch-up and live. */
import { checkpointAfter } from "../../../domain/ingest/segmentRules.ts"
import type { Checkpoint, Segment } from "../../../domain/model/event.ts"
import { settlePairs, storeBalances } from "./balances.ts"
import { storeClock, storeHeaders } from "./blocks.ts"
import type { CacheBudget } from "./cacheBudget.ts"
import { advance, type Position } from "./checkpoint.ts"
import { prepareChunk } from "./chunk.ts"
import { copyIn } from "./copy.ts"
import { encodeChunk, type Folding, foldChunk, historyTarget, newFolding, transferTarget, wrapTarget } from "./fold.ts"
import { type Joined, join } from "./joined.ts"
import { finishLookup, type Lookup, startLookup } from "./lookup.ts"
import type { Pairs } from "./pairs.ts"
import type { Session } from "./session.ts"
import { resolveTokens, settleTokens, storeTokens, type Token, type Tokens } from "./tokens.ts"

/** One chain's writer: its sessions, its caches, and where it left the ledger. */
export interface Writer {
  /** Holds the lock, appends. */
  readonly session: Session
  /** Looks pairs up while `session` appends: there while appends have several chunks. */
  reader: Session | undefined
  readonly openReader: () => Promise<Session>
  readonly pairs: Pairs
  readonly tokens: Tokens
  readonly limits: WriterLimits
  /** Shared with the writers of the other chains. */
  readonly budget: CacheBudget
  position: Position
  open: OpenAppend | undefined
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

/** What was extended and is not committed yet: a transaction of `session`. */
export interface OpenAppend {
  readonly folding: Folding
  /** Tokens touched so far. */
  readonly touched: Array<Token>
  /** Where the ledger will stand. */
  readonly checkpoint: Checkpoint
  readonly joined: Joined | undefined
  /** The last rows on their way: nothing else may be sent on `session` meanwhile. */
  sent: Promise<void>
  /** Ends the sessions when the append is open for too long. */
  readonly late: NodeJS.Timeout
}

/**
 * Takes the segment into the open append, or opens one. `alone`: nothing is to follow but the commit.
 * After a failure the writer's caches are worthless: end its sessions.
 */
export const extendAppend = async (
  writer: Writer,
  segment: Segment,
  alone: boolean,
  giveUp: () => void,
): Promise<void> => {
  const { session, tokens, position, limits } = writer
  const open = writer.open ?? (await begin(writer, giveUp))
  const reader = await readerFor(writer, !alone || segment.movements.length > limits.chunkSize)
  open.folding.segment = ++writer.segments
  if (reader === session) await open.sent
  await resolveTokens(reader, tokens, segment.movements, open.touched)
  await foldSegment(writer, open, reader, segment)
  writer.open = {
    ...open,
    checkpoint: checkpointAfter(open.checkpoint, segment),
    joined: join(open.joined, segment, position.clockGroup),
  }
}

/** The memory of an open append is used up. */
export const isFull = ({ open, pairs, budget, limits }: Writer): boolean =>
  pairs.isFull(budget.allowance(pairs)) || (open?.touched.length ?? 0) > limits.maxTokens

const begin = async (writer: Writer, giveUp: () => void): Promise<OpenAppend> => {
  const late = setTimeout(giveUp, writer.limits.deadline)
  writer.open = {
    folding: newFolding(writer.pairs),
    touched: [],
    checkpoint: writer.position.checkpoint,
    joined: undefined,
    sent: Promise.resolve(),
    late,
  }
  await writer.session.run((sql) => sql`begin`)
  return writer.open
}

/** Writes what the open append gathered and makes all of it visible. Without one nothing happens. */
export const commitAppend = async (writer: Writer): Promise<void> => {
  const { session, open, tokens, pairs, position, limits } = writer
  if (open?.joined === undefined) return
  const { folding, touched, joined } = open
  await open.sent
  await storeBalances(session, folding)
  const born = await storeTokens(session, touched)
  const checkpoint = await advance(session, position, {
    joined,
    tokens: born,
    transfers: touched.reduce((sum, token) => sum + token.transfers, 0),
    tokenSequence: tokens.sequence,
  })
  await storeHeaders(session, joined.headers, checkpoint.finalizedBlock)
  const clockGroup = await storeClock(session, joined.clock, position.clockGroup)
  await session.run((sql) => sql`commit`)
  forget(writer)
  writer.position = { checkpoint, epoch: position.epoch + 1, tokenSequence: tokens.sequence, clockGroup }
  settleTokens(tokens, touched, limits.maxTokens)
  settlePairs(folding, writer.budget.allowance(pairs))
}

/** Takes the open append back. Its pairs and tokens are in the caches: they go with it. */
export const discardAppend = async (writer: Writer): Promise<void> => {
  const { session, open, tokens, pairs, position } = writer
  if (open === undefined) return
  await open.sent
  await session.run((sql) => sql`rollback`)
  forget(writer)
  pairs.clear()
  tokens.known.clear()
  tokens.sequence = position.tokenSequence
}

/** There is no open append any more. */
export const forget = (writer: Writer): void => {
  clearTimeout(writer.open?.late)
  writer.open = undefined
}

/** Chunk by chunk: the next one's look-up and this one's COPY are under way while this one is folded. */
const foldSegment = async (
  { session, pairs, tokens, limits: { chunkSize } }: Writer,
  open: OpenAppend,
  reader: Session,
  { movements }: Segment,
): Promise<void> => {
  const { folding } = open
  const look = (start: number): Lookup =>
    startLookup(reader, session, pairs, prepareChunk(pairs, tokens.known, movements.slice(start, start + chunkSize)))
  let next = movements.length === 0 ? undefined : look(0)
  for (let start = 0; next !== undefined; start += chunkSize) {
    const lookup: Lookup = next
    next = start + chunkSize < movements.length ? look(start + chunkSize) : undefined
    await finishLookup(pairs, lookup)
    foldChunk(folding, lookup.chunk)
    encodeChunk(folding, lookup.chunk)
    await open.sent
    open.sent = sendRows(session, folding)
    open.sent.catch(() => {})
  }
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
