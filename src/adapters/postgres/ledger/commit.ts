/** The end of an append: what it gathered goes into the tables, and all of it becomes visible at once. */

import { settlePairs, storePairs } from "./balances/storePairs.ts"
import { settleOwners, storeOwners } from "./ids/storeOwners.ts"
import { settlePools, storePools } from "./ids/storePools.ts"
import { settleTokens, storeBorn } from "./ids/storeTokens.ts"
import { settleUnits, storeUnits } from "./ids/storeUnits.ts"
import { countTouched } from "./ids/tokens.ts"
import { storeLoaded } from "./loadRows.ts"
import { storeClock, storeHeaders } from "./state/blocks.ts"
import { advance } from "./state/checkpoint.ts"
import { storeCounters } from "./state/tokenCounters.ts"
import { entering, findEdges, leaving } from "./state/windows.ts"
import { closeAppend, type OpenAppend, type WriterState } from "./writerState.ts"

/** Without an open append nothing happens. */
export const commitAppend = async (writer: WriterState): Promise<void> => {
  const { session, open, tokens, pairs, owners, units, pools, position, limits } = writer
  if (open?.summary === undefined) return
  const { folding, touched, summary, swaps } = open
  await open.flushed
  await storePairs(session, folding)
  await storeOwners(session, owners)
  await storeUnits(session, units)
  await storeBorn(session, touched)
  await storePools(session, pools)
  const clockGroup = await storeClock(session, summary.clock, position.clockGroup)
  const loaded = await storeLoaded(writer, open)
  const edges = loaded === undefined ? await moveEdges(writer, open, summary.head.time) : position.edges
  const checkpoint = await advance(session, position, {
    summary,
    ...countTouched(touched),
    tokenSequence: tokens.sequence,
    poolSequence: pools.sequence,
    swaps,
    edges,
  })
  await storeHeaders(session, summary.headers, checkpoint.finalizedBlock)
  await session.run((sql) => sql`commit`)
  closeAppend(writer)
  if (loaded !== undefined) writer.load!.state = loaded
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
const moveEdges = async ({ session, position }: WriterState, { touched, checkpoint }: OpenAppend, headTime: number) => {
  const from = position.checkpoint.nextBlock
  const end = checkpoint.nextBlock
  const edges = await findEdges(session, headTime, position.edges, [end, end, end])
  const whole = [edges[0] <= from, edges[1] <= from, edges[2] <= from] as const
  await storeCounters(session, touched, whole, [...leaving(position.edges, edges, from), ...entering(edges, from, end)])
  return edges
}
