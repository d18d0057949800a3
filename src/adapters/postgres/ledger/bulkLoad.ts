/** A load in bulk, step by step: begun, derived from its runs, indexed, counted, and put in the empty ledger's place. */
import type { LoadProgress } from "../../../ports/Ledger.ts"
import { bulkSchema } from "../database/schemas.ts"
import { settleCounts } from "./bulk/counts.ts"
import { deriveBalances } from "./bulk/deriveBalances.ts"
import { deriveIds } from "./bulk/deriveIds.ts"
import { goOnWithDerived, type Indexer, makeIndexer } from "./bulk/indexer.ts"
import { analyze, analyzeCounted, buildCounterIndexes, buildNextIndex, lookAfter } from "./bulk/indexes.ts"
import { beginJoining, joinNext } from "./bulk/joinRuns.ts"
import { Merge } from "./bulk/merge.ts"
import { beginPlace, confirmEmpty, type EmptyLedger, tryTakePlace } from "./bulk/place.ts"
import { Sides } from "./bulk/sides.ts"
import { type BulkState, isFolding, loadStage, moveTo, stepOf, storeStage } from "./bulk/stage.ts"
import { workDone } from "./bulk/workDone.ts"
import { LoadedTokens } from "./ids/loadedTokens.ts"
import { storeTransfers } from "./loadRows.ts"
import { loadPosition, type Position } from "./state/checkpoint.ts"
import { findEdges } from "./state/windows.ts"
import { type Session, transaction } from "./wire/session.ts"
import { type BulkLoad, clearCaches, type WriterLimits, type WriterState, type Written } from "./writerState.ts"

/** As the last commit left it. */
export const openLoad = async (
  session: Session,
  { runSides, maxLoadedTokens, maxTransfers }: WriterLimits,
  { checkpoint: { nextBlock } }: Position,
  empty: EmptyLedger,
): Promise<BulkLoad> => {
  const state = await loadStage(session, nextBlock)
  return {
    empty,
    state,
    tokens: new LoadedTokens(maxLoadedTokens, state.countedBlock === nextBlock, maxTransfers),
    sides: new Sides(runSides),
    runs: 0,
    stored: 0,
    building: new Set(),
    indexer: undefined,
    merge: undefined,
    idsLeft: undefined,
    isHeldUp: false,
  }
}

/** A ledger that came into the empty one's place ends the load, so that days are not loaded in vain. */
export const confirmLoad = async ({ session, load }: WriterState): Promise<void> => {
  if (load !== undefined) await confirmEmpty(session, load.empty)
}

/** Why blocks of a ledger that is being loaded cannot be taken back, nor its tokens changed. */
export const loadIsOpen = ({ load }: Pick<WriterState, "load">): string | undefined =>
  load && "the ledger is being loaded: what it holds is made at the end"

/** Until something is derived. A row that came later would be in no balance and no count. */
export const takesRows = ({ load }: Pick<WriterState, "load">): boolean => load?.state.stage === "copying"

/** Why nothing is appended now; undefined = it may be. */
export const loadIsDerived = (writer: Pick<WriterState, "load">): string | undefined =>
  writer.load === undefined || takesRows(writer)
    ? undefined
    : "the ledger's load takes no more rows: what was copied is made whole first"

export const beginLoad = async ({ database, schema, settings }: Written, writer: WriterState): Promise<void> => {
  const { session } = writer
  const empty = { schema, epoch: writer.position.epoch }
  await beginPlace(database, session, empty, settings)
  await goOver(writer)
  writer.load = await openLoad(session, writer.limits, writer.position, empty)
}

/** The session's statements go to another schema: what was looked up, and the other session, are of the one before. */
const goOver = async (writer: WriterState): Promise<void> => {
  const { reader } = writer
  writer.reader = undefined
  await reader?.close()
  clearCaches(writer)
  writer.position = await loadPosition(writer.session)
}

/** The next step; false = there was none left. */
export const deriveNext = async (writer: WriterState): Promise<boolean> => {
  const { session, load } = writer
  if (load === undefined) return false
  // Between two steps nothing is lost by that: whoever opens the load anew has two sessions again.
  if (load.indexer?.failure !== undefined) throw load.indexer.failure.cause
  const { state } = load
  switch (state.stage) {
    case "copying":
      load.state = await transaction(session, async () => {
        await storeTransfers(session, load)
        const { nextBlock } = writer.position.checkpoint
        const positions = new Array<number>(state.runs).fill(0)
        const stage = state.runs > writer.limits.mostRuns ? "joining" : "balances"
        if (stage === "joining") await beginJoining(session)
        const next: BulkState = { ...state, stage, positions, countedBlock: nextBlock }
        await storeStage(session, next)
        return next
      })
      // No row comes any more.
      clearCaches(writer)
      load.sides.release()
      return true
    case "joining":
      writer.reader ??= await writer.openReader()
      load.indexer ??= await startIndexer(writer, load)
      load.state = await joinNext(session, writer.reader, state, writer.limits.mostRuns)
      return true
    case "balances": {
      writer.reader ??= await writer.openReader()
      load.indexer ??= await startIndexer(writer, load)
      load.merge ??= await Merge.open(writer.reader, state.positions)
      load.state = await deriveBalances(session, load.merge, state, writer.limits.derivedRows)
      if (load.state.stage !== "balances") load.merge = undefined
      return true
    }
    case "ids":
      if (load.indexer !== undefined) await session.beside(load.indexer.ids)
      if (!(await makeIds(session, load, writer.limits))) load.state = await moveTo(session, state, "indexing")
      return true
    case "indexing":
      // Of a load that was left here, none was started.
      load.indexer ??= await startIndexer(writer, load)
      load.indexer.derived ??= goOnWithDerived(load.indexer, load.building)
      // What was copied too, where that takes longer.
      if (await buildNextIndex(session, "loaded", load.building)) return true
      await session.beside(load.indexer.derived)
      load.state = await moveTo(session, state, "counting")
      return true
    case "counting":
      await count(writer, load)
      return true
    case "whole":
      if (await tryTakePlace(session, load.empty)) {
        writer.load = undefined
        await goOver(writer)
        return false
      }
      load.isHeldUp = true
      return true
  }
}

const startIndexer = async ({ openReader, limits }: WriterState, load: BulkLoad): Promise<Indexer> => {
  const session = await openReader()
  return makeIndexer(session, makeIdsBeside(session, load, limits), load.building)
}

const makeIds = (session: Session, load: BulkLoad, { idRows }: WriterLimits): Promise<boolean> =>
  deriveIds(session, idRows, (left) => {
    load.idsLeft = left
  })

/** Beside balances that are folded. What is left then the writer makes, beside keys. */
const makeIdsBeside = async (session: Session, load: BulkLoad, limits: WriterLimits): Promise<void> => {
  while (isFolding(load.state.stage) && (await makeIds(session, load, limits)));
}

/** The last of what is derived: counters, and the indexes that lists are sorted by. Beside it the derived tables are analyzed. */
const count = async (writer: WriterState, load: BulkLoad): Promise<void> => {
  const { session, position } = writer
  const next: BulkState = { ...load.state, stage: "whole" }
  const { nextBlock, firstBlock, head } = position.checkpoint
  load.indexer ??= await startIndexer(writer, load)
  const beside = load.indexer.session
  const analyzed = load.indexer.done.then(() => analyze(beside, "derived"))
  analyzed.catch(() => {})
  await transaction(session, async () => {
    const edges = await findEdges(session, head?.time ?? 0, [0, 0, 0], [nextBlock, nextBlock, nextBlock])
    await settleCounts(session, edges, firstBlock)
    await session.run(
      (sql) => sql`update state set edge_24h = ${edges[0]}, edge_48h = ${edges[1]}, edge_72h = ${edges[2]}`,
    )
    await buildCounterIndexes(session)
    await session.beside(analyzed)
    await lookAfter(session)
    await storeStage(session, next)
  })
  await analyzeCounted(session)
  await beside.close()
  load.indexer = undefined
  load.state = next
}

/** Asked over the readers' pool, beside whatever step is under way. */
export const progressOfLoad = async ({ database, schema }: Written, { load }: WriterState): Promise<LoadProgress> => {
  if (load === undefined) return { step: "indexing", done: 1 }
  const { state, merge, idsLeft } = load
  const folded = isFolding(state.stage)
    ? (merge?.positions ?? state.positions).reduce((sum, each) => sum + each, 0)
    : state.sides
  return {
    step: stepOf(state.stage),
    done: await workDone(database.sql, bulkSchema(schema), state, { folded, idsLeft }),
  }
}
