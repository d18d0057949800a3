/** The end of an append: what it gathered goes into the tables, and all of it becomes visible at once. */
import { finalAfter } from "../../../domain/ingest/decode/segmentRefusals.ts"
import { encodeFewPairs, settlePairs, storePairs } from "./balances/storePairs.ts"
import { warmRanks } from "./balances/warmRanks.ts"
import { sendRest } from "./flush.ts"
import { settleOwners, storeFewOwners, storeOwners } from "./ids/storeOwners.ts"
import { settlePools, storePools } from "./ids/storePools.ts"
import { settleTokens, storeBorn } from "./ids/storeTokens.ts"
import { settleUnits, storeFewUnits, storeUnits } from "./ids/storeUnits.ts"
import { bornOf, countTouched } from "./ids/tokens.ts"
import { storeLoaded } from "./loadRows.ts"
import { storeClock, storeHeaders } from "./state/blocks.ts"
import { advance } from "./state/checkpoint.ts"
import { notify } from "./state/corrections.ts"
import { type Passed, storeCounters } from "./state/tokenCounters.ts"
import { type Edges, entering, findEdges, leaving } from "./state/windows.ts"
import { closeAppend, type OpenAppend, type WriterState } from "./writerState.ts"

/** Without an open append nothing happens. */
export const commitAppend = async (writer: WriterState): Promise<void> => {
  const { session, open, load, tokens, pairs, owners, units, pools, position, limits } = writer
  if (open?.summary === undefined) return
  const { folding, touched, summary, swaps } = open
  const { head, headers } = summary
  const isLoading = load !== undefined
  // A load counts at its end.
  const edges = isLoading ? position.edges : await (open.edges ?? edgesAt(writer, open, head.time))
  const rows = folding.dirty.length + owners.moved.length + units.touched.length + touched.length
  const few = !isLoading && rows <= limits.rowsAtOnce
  let clockGroup = position.clockGroup
  let loaded: Awaited<ReturnType<typeof storeLoaded>>
  const move = {
    summary,
    ...(load?.tokens.countsByStandard() ?? countTouched(touched)),
    tokenSequence: tokens.sequence,
    poolSequence: pools.sequence,
    swaps,
    edges,
  }
  let checkpoint = position.checkpoint
  const finalBefore = checkpoint.finalizedBlock
  if (few && writer.reader !== undefined) warmRanks(writer.reader, folding)
  // A few are put together while rows go out.
  const sendPairs = few ? encodeFewPairs(folding) : storePairs
  /** Each sends its statements when it is called: those of a later one come behind those of an earlier one. */
  const writes: ReadonlyArray<() => Promise<unknown>> = [
    () => sendPairs(session, folding),
    () => (few ? storeFewOwners : storeOwners)(session, owners),
    () => (few ? storeFewUnits : storeUnits)(session, units),
    () => storeBorn(session, load?.tokens.born ?? bornOf(touched)),
    () => storePools(session, pools),
    async () => {
      clockGroup = await storeClock(session, summary.clock, position.clockGroup)
    },
    async () => {
      if (isLoading) loaded = await storeLoaded(writer, open)
      else await countRows(writer, open, edges, passed)
    },
    async () => {
      checkpoint = await advance(session, position, move)
    },
    () => storeHeaders(session, headers, finalAfter(finalBefore, summary), finalBefore),
    () => notify(session),
  ]
  await sendRest(session, open)
  await open.flushed
  const passed = await open.passed
  // A COPY bears nothing behind it. Of statements the answers are awaited together, ahead of the commit.
  if (few) await Promise.all(writes.map((write) => write()))
  else for (const write of writes) await write()
  await session.run((sql) => sql`commit`)
  closeAppend(writer)
  if (loaded !== undefined) {
    load!.tokens.settle(loaded.countedBlock === open.checkpoint.nextBlock)
    load!.state = loaded
  }
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

/** Where the windows begin now. */
const edgesAt = async ({ session, position }: WriterState, { checkpoint, flushed }: OpenAppend, headTime: number) => {
  const end = checkpoint.nextBlock
  await flushed
  return findEdges(session, headTime, position.edges, [end, end, end])
}

/** Counts the append's rows, and those that its time has left behind. */
const countRows = (
  { session, position }: WriterState,
  { touched, checkpoint }: OpenAppend,
  edges: Edges,
  passed: ReadonlyArray<Passed> | undefined,
) => {
  const from = position.checkpoint.nextBlock
  const end = checkpoint.nextBlock
  const whole = [edges[0] <= from, edges[1] <= from, edges[2] <= from] as const
  const left = passed === undefined ? leaving(position.edges, edges, from) : []
  return storeCounters(session, touched, whole, [...left, ...entering(edges, from, end)], passed)
}
