/** The open append: segments into one transaction, the same path for backfill, catch-up and live. */
import { checkpointAfter } from "../../../domain/ingest/decode/segmentRefusals.ts"
import type { Segment } from "../../../model/event.ts"
import { foldAtOnce } from "./appendAtOnce.ts"
import { storeApprovals, storeOddLogs } from "./asTold.ts"
import { prepareChunk } from "./balances/chunk.ts"
import { encodeChunk } from "./balances/encodeChunk.ts"
import { foldChunk, newFolding } from "./balances/fold.ts"
import { finishLookup, startLookup } from "./balances/lookup.ts"
import { sendRows } from "./flush.ts"
import { resolveLoaded } from "./ids/resolveLoaded.ts"
import { resolveTokens } from "./ids/tokens.ts"
import { loadRows } from "./loadRows.ts"
import { foldNfts } from "./nfts.ts"
import { summarize } from "./state/appendSummary.ts"
import { countPassed, type Passed } from "./state/tokenCounters.ts"
import { type Edges, edgesAhead, leaving } from "./state/windows.ts"
import { foldSwaps } from "./swaps.ts"
import type { Session } from "./wire/session.ts"
import { clearCaches, closeAppend, type OpenAppend, type WriterState } from "./writerState.ts"

/**
 * Takes the segment into the open append, or opens one. `alone`: nothing is to follow but the commit. Gives how many of
 * its swaps are left out.
 * After a failure the writer's caches are worthless: end its sessions.
 */
export const extendAppend = async (
  writer: WriterState,
  segment: Segment,
  alone: boolean,
  giveUp: () => void,
): Promise<number> => {
  const { session, load, tokens, position, limits } = writer
  const { movements, nfts } = segment
  const rows = movements.length + nfts.length
  const reader = await readerFor(writer, alone ? rows : Number.POSITIVE_INFINITY)
  const open = writer.open ?? begin(writer, giveUp)
  open.folding.segment = ++writer.segments
  if (reader === session) await open.flushed
  // By what is stored before the append: over one connection ahead of its rows, over two behind the look-ups.
  if (alone && reader === session) open.edges = edgesAhead(reader, writer, segment)
  const loaded = load && (await resolveLoaded(reader, tokens, load.tokens, segment))
  if (load === undefined) await resolveTokens(reader, tokens, segment, open.touched)
  const before = open.swaps.skipped
  // Rows that hang on no balance go out while balances are looked up.
  await foldSwaps(writer, open, reader, segment)
  await storeApprovals(writer, open, segment)
  await storeOddLogs(writer, open, segment)
  if (reader === session) await open.flushed
  if (loaded !== undefined) await loadRows(writer, open, load!, segment, loaded)
  else if (alone && rows <= limits.rowsAtOnce) await foldAtOnce(writer, open, reader, segment)
  else {
    await foldSegment(writer, open, reader, segment)
    await foldNfts(writer, open, reader, segment)
  }
  if (alone && load === undefined && reader !== session) {
    open.edges = edgesAhead(reader, writer, segment)
    open.passed = open.edges && passedAhead(reader, writer, open.edges)
    // Awaited by the commit.
    open.passed?.catch(() => {})
  }
  writer.open = {
    ...open,
    checkpoint: checkpointAfter(open.checkpoint, segment),
    summary: summarize(open.summary, segment, position.clockGroup),
  }
  return open.swaps.skipped - before
}

const begin = (writer: WriterState, giveUp: () => void): OpenAppend => {
  const deadline = setTimeout(giveUp, writer.limits.deadlineMs)
  const begun = writer.session.run((sql) => sql`begin`).then(() => {})
  // Awaited by whoever sends rows.
  begun.catch(() => {})
  writer.open = {
    folding: newFolding(writer.pairs),
    touched: [],
    swaps: { stored: 0, skipped: 0 },
    checkpoint: writer.position.checkpoint,
    summary: undefined,
    flushed: begun,
    slicesAtOnce: writer.load === undefined ? 0 : writer.limits.loadSlices,
    edges: undefined,
    passed: undefined,
    deadline,
  }
  return writer.open
}

/** What leaves the windows, of rows that are stored before the append. */
const passedAhead = async (
  reader: Session,
  { position: { checkpoint, edges: before } }: WriterState,
  edges: Promise<Edges>,
): Promise<ReadonlyArray<Passed>> => countPassed(reader, leaving(before, await edges, checkpoint.nextBlock))

/** Takes the open append back. Its pairs, ids and tokens are in the caches: they go with it. */
export const discardAppend = async (writer: WriterState): Promise<void> => {
  const { session, open, tokens, position } = writer
  if (open === undefined) return
  await open.flushed
  await session.run((sql) => sql`rollback`)
  closeAppend(writer)
  clearCaches(writer)
  tokens.sequence = position.tokenSequence
}

/**
 * Chunk by chunk: the next one's look-up and this one's COPY are under way while this one is folded. Its history goes out with
 * the next one's rows. On one connection, look-ups wait for the rows that are under way: there all goes out at the end.
 */
const foldSegment = async (
  { session, pairs, tokens, limits: { chunkSize } }: WriterState,
  open: OpenAppend,
  reader: Session,
  { movements }: Segment,
): Promise<void> => {
  const { folding } = open
  const look = (start: number) =>
    startLookup(
      reader,
      session,
      pairs,
      prepareChunk(pairs, tokens.known.erc20, movements.slice(start, start + chunkSize)),
    )
  let next = movements.length === 0 ? undefined : look(0)
  for (let start = 0; next !== undefined; start += chunkSize) {
    const lookup = next as ReturnType<typeof look>
    next = start + chunkSize < movements.length ? look(start + chunkSize) : undefined
    encodeChunk(folding, lookup.chunk)
    if (reader !== session) await sendRows(session, open)
    await finishLookup(pairs, lookup)
    foldChunk(folding, lookup.chunk)
    if (reader === session) await sendRows(session, open)
  }
}

/** So many rows are worth look-ups beside them; with fewer for so many appends the connection is given back. */
const rowsOfReader = 60
const keptForAppends = 300

/** A connection of its own pays where look-ups run beside the rows that are sent; a chain of small blocks does with one. */
const readerFor = async (writer: WriterState, rows: number): Promise<Session> => {
  const { reader, segments } = writer
  if (rows > rowsOfReader) writer.readerUsedAt = segments
  const isWanted = rows > rowsOfReader || segments - writer.readerUsedAt < keptForAppends
  if (reader !== undefined && isWanted && reader.failure() === undefined) return reader
  writer.reader = rows > rowsOfReader ? await writer.openReader() : undefined
  await reader?.close()
  return writer.reader ?? writer.session
}
