/** A bulk load's part of an append: rows go to their tables as they come, and the sides of movements into runs. */
import type { Movement, Segment } from "../../../model/event.ts"
import { encodeChunk, type MovementRows } from "./balances/encodeChunk.ts"
import { storeBigInt } from "./balances/int128.ts"
import { countStored, storeCounts } from "./bulk/counts.ts"
import { storeRun } from "./bulk/runs.ts"
import type { Sides } from "./bulk/sides.ts"
import { type BulkState, storeStage } from "./bulk/stage.ts"
import { sendRows } from "./flush.ts"
import type { LoadedTokens } from "./ids/loadedTokens.ts"
import type { LoadedPlaces } from "./ids/resolveLoaded.ts"
import { encodeRows } from "./nfts.ts"
import type { Session } from "./wire/session.ts"
import type { BulkLoad, OpenAppend, WriterState } from "./writerState.ts"

/** Chunk by chunk. No balance is looked up: what pairs come to is made of the runs. */
export const loadRows = async (
  { session, limits }: WriterState,
  open: OpenAppend,
  load: BulkLoad,
  { movements, nfts }: Segment,
  places: LoadedPlaces,
): Promise<void> => {
  const { folding } = open
  const { sides, tokens } = load
  for (let start = 0; start < movements.length; start += limits.chunkSize) {
    const end = start + limits.chunkSize
    const placesOfChunk = places.movements.subarray(start, end)
    const rows = rowsOf(movements.slice(start, end), placesOfChunk, tokens)
    for (let row = 0; row < rows.movements.length; row++) {
      if (sides.isFull) await storeSides(session, open, load)
      if (rows.movements[row]!.kind === "transfer") tokens.countTransfer(placesOfChunk[row]!)
      addSides(sides, rows, row)
    }
    encodeChunk(folding, rows)
    await sendRows(session, open)
  }
  for (const place of places.nfts) tokens.countTransfer(place)
  for (const standard of ["erc721", "erc1155"] as const) {
    const ids: Array<number> = []
    const rows = nfts.filter((row, place) => {
      if (row.standard === standard) ids.push(tokens.idAt(places.nfts[place]!))
      return row.standard === standard
    })
    for (let start = 0; start < rows.length; start += limits.chunkSize) {
      const end = start + limits.chunkSize
      encodeRows(folding, standard, rows.slice(start, end), ids.slice(start, end))
      await sendRows(session, open)
    }
  }
}

const rowsOf = (movements: ReadonlyArray<Movement>, places: Int32Array, tokens: LoadedTokens): MovementRows => {
  const ids = places.map((place) => tokens.idAt(place))
  const amounts = new Int32Array(movements.length * 4)
  const narrow = new Uint8Array(movements.length)
  for (let row = 0; row < movements.length; row++)
    if (storeBigInt(amounts, row * 4, movements[row]!.amount)) narrow[row] = 1
  return { movements, ids, amounts, narrow }
}

/** Who moves an amount to himself is touched, by nothing. */
const addSides = (sides: Sides, { movements, ids, amounts, narrow }: MovementRows, row: number): void => {
  const { debit, credit, blockNumber, amount } = movements[row]!
  const by = { words: amounts, from: row * 4, narrow: narrow[row] === 1, amount }
  sides.add(ids[row]!, debit, blockNumber, by, true)
  sides.add(ids[row]!, credit, blockNumber, by, false)
}

/** What is gathered becomes a run. */
const storeSides = async (session: Session, open: OpenAppend, load: BulkLoad): Promise<void> => {
  if (load.sides.count === 0) return
  await open.flushed
  load.stored += await storeRun(session, load.state.runs + load.runs, load.sides)
  load.runs++
}

/**
 * An append's end: the last run, and where the load stands then; what tokens come to where they are many. Undefined where
 * there is no load.
 */
export const storeLoaded = async (
  { session, load, limits }: WriterState,
  open: OpenAppend,
): Promise<BulkState | undefined> => {
  if (load === undefined) return undefined
  await storeSides(session, open, load)
  const { state, runs, stored, tokens } = load
  // Of a load that was left in its midst they are counted of its rows, once and at its end: it reads all of them.
  const isDue = tokens.isComplete && (tokens.isCrowded || tokens.isHigh || tokens.movedCount > limits.maxTokens)
  if (isDue) await storeTransfers(session, load)
  const countedBlock = isDue ? open.checkpoint.nextBlock : state.countedBlock
  const next: BulkState = { ...state, runs: state.runs + runs, sides: state.sides + stored, countedBlock }
  await storeStage(session, next)
  return next
}

/** The tokens' transfers that are not stored yet. After a crash they are those of rows. */
export const storeTransfers = (session: Session, { tokens, state }: BulkLoad): Promise<void> =>
  tokens.isComplete ? storeCounts(session, tokens.transfers()) : countStored(session, state.countedBlock)
