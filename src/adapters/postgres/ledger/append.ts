/** The append: segments, one transaction, the same path for backfill, catch-up and live. */
import { checkpointAfter } from "../../../domain/ingest/decode/segmentRules.ts"
import type { Segment } from "../../../model/event.ts"
import { settlePairs, storeBalances } from "./balances.ts"
import { storeClock, storeHeaders } from "./blocks.ts"
import { advance } from "./checkpoint.ts"
import { settleOwners, storeOwners } from "./ids/owners.ts"
import { settlePools, storePools } from "./ids/pools.ts"
import { settleUnits, storeUnits } from "./ids/storeUnits.ts"
import { countTouched, resolveTokens, settleTokens, storeBorn } from "./ids/tokens.ts"
import { join } from "./joined.ts"
import { foldNfts } from "./nfts.ts"
import { prepareChunk } from "./pairs/chunk.ts"
import { encodeChunk, foldChunk, newFolding } from "./pairs/fold.ts"
import { finishLookup, startLookup } from "./pairs/lookup.ts"
import { sendRows } from "./send.ts"
import { foldSwaps } from "./swaps.ts"
import { entering, findEdges, leaving, storeCounts } from "./windows.ts"
import type { Session } from "./wire/session.ts"
import { clearCaches, forget, type OpenAppend, type Writer } from "./writer.ts"

/**
 * Takes the segment into the open append, or opens one. `alone`: nothing is to follow but the commit. Gives how many of
 * its swaps are left out.
 * After a failure the writer's caches are worthless: end its sessions.
 */
export const extendAppend = async (
  writer: Writer,
  segment: Segment,
  alone: boolean,
  giveUp: () => void,
): Promise<number> => {
  const { session, tokens, position, limits } = writer
  const open = writer.open ?? (await begin(writer, giveUp))
  const { movements, nfts } = segment
  const reader = await readerFor(writer, !alone || movements.length + nfts.length > limits.chunkSize)
  open.folding.segment = ++writer.segments
  if (reader === session) await open.sent
  await resolveTokens(reader, tokens, segment, open.touched)
  await foldSegment(writer, open, reader, segment)
  await foldNfts(writer, open, reader, segment)
  const before = open.swaps.skipped
  await foldSwaps(writer, open, reader, segment)
  writer.open = {
    ...open,
    checkpoint: checkpointAfter(open.checkpoint, segment),
    joined: join(open.joined, segment, position.clockGroup),
  }
  return open.swaps.skipped - before
}

const begin = async (writer: Writer, giveUp: () => void): Promise<OpenAppend> => {
  const late = setTimeout(giveUp, writer.limits.deadline)
  writer.open = {
    folding: newFolding(writer.pairs),
    touched: [],
    swaps: { stored: 0, skipped: 0 },
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
  const { session, open, tokens, pairs, owners, units, pools, position, limits } = writer
  if (open?.joined === undefined) return
  const { folding, touched, joined, swaps } = open
  await open.sent
  await storeBalances(session, folding)
  await storeOwners(session, owners)
  await storeUnits(session, units)
  await storeBorn(session, touched)
  await storePools(session, pools)
  const clockGroup = await storeClock(session, joined.clock, position.clockGroup)
  const edges = await moveEdges(writer, open, joined.head.time)
  const checkpoint = await advance(session, position, {
    joined,
    ...countTouched(touched),
    tokenSequence: tokens.sequence,
    poolSequence: pools.sequence,
    swaps,
    edges,
  })
  await storeHeaders(session, joined.headers, checkpoint.finalizedBlock)
  await session.run((sql) => sql`commit`)
  forget(writer)
  writer.position = {
    checkpoint,
    epoch: position.epoch + 1,
    tokenSequence: tokens.sequence,
    poolSequence: { ...pools.sequence },
    clockGroup,
    edges,
  }
  settleTokens(tokens, touched, limits.maxTokens)
  settlePairs(folding, writer.budget.allowance(pairs))
  settleOwners(owners, limits.maxIds)
  settleUnits(units, limits.maxIds)
  settlePools(pools, limits.maxPools)
}

/** Counts the append's rows, and those that its time has left behind; gives where the windows begin now. */
const moveEdges = async ({ session, position }: Writer, { touched, checkpoint }: OpenAppend, headTime: number) => {
  const from = position.checkpoint.nextBlock
  const end = checkpoint.nextBlock
  const edges = await findEdges(session, headTime, position.edges, [end, end, end])
  const whole = [edges[0] <= from, edges[1] <= from, edges[2] <= from] as const
  await storeCounts(session, touched, whole, [...leaving(position.edges, edges, from), ...entering(edges, from, end)])
  return edges
}

/** Takes the open append back. Its pairs, ids and tokens are in the caches: they go with it. */
export const discardAppend = async (writer: Writer): Promise<void> => {
  const { session, open, tokens, position } = writer
  if (open === undefined) return
  await open.sent
  await session.run((sql) => sql`rollback`)
  forget(writer)
  clearCaches(writer)
  tokens.sequence = position.tokenSequence
}

/** Chunk by chunk: the next one's look-up and this one's COPY are under way while this one is folded. */
const foldSegment = async (
  { session, pairs, tokens, limits: { chunkSize } }: Writer,
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
