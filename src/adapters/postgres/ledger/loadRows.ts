/** A bulk load's part of an append: rows go to their tables as they come, and the sides of movements into runs. */
import type { Movement, NftMovement, Segment } from "../../../model/event.ts"
import type { Chunk } from "./balances/chunk.ts"
import { encodeChunk } from "./balances/encodeChunk.ts"
import { storeBigInt } from "./balances/int128.ts"
import { storeCounts } from "./bulk/counts.ts"
import { storeRun } from "./bulk/runs.ts"
import type { Sides } from "./bulk/sides.ts"
import { type BulkState, storeStage } from "./bulk/stage.ts"
import { sendRows } from "./flush.ts"
import type { Token } from "./ids/tokens.ts"
import { encodeRows } from "./nfts.ts"
import type { BulkLoad, OpenAppend, WriterState } from "./writerState.ts"

/** Chunk by chunk. No balance is looked up: what pairs come to is made of the runs. `tokensOfMovements`: in their order. */
export const loadRows = async (
  { session, tokens, limits }: WriterState,
  open: OpenAppend,
  load: BulkLoad,
  { movements, nfts }: Segment,
  tokensOfMovements: ReadonlyArray<Token>,
): Promise<void> => {
  const { folding } = open
  const { sides } = load
  for (let start = 0; start < movements.length; start += limits.chunkSize) {
    const end = start + limits.chunkSize
    const chunk = chunkOf(movements.slice(start, end), tokensOfMovements.slice(start, end))
    for (let place = 0; place < chunk.movements.length; place++) {
      if (sides.isFull) await storeSides(session, open, load)
      addSides(sides, chunk, place)
    }
    encodeChunk(folding, chunk)
    await sendRows(session, open)
  }
  for (const standard of ["erc721", "erc1155"] as const) {
    const known = tokens.known[standard]
    const rows: ReadonlyArray<NftMovement> = nfts.filter((row) => row.standard === standard)
    for (const { token } of rows) known.get(token)!.transfers++
    for (let start = 0; start < rows.length; start += limits.chunkSize) {
      encodeRows(folding, { standard, rows: rows.slice(start, start + limits.chunkSize), tokens: known })
      await sendRows(session, open)
    }
  }
}

/** Movements without their pairs. */
const chunkOf = (movements: ReadonlyArray<Movement>, tokens: ReadonlyArray<Token>): Chunk<Movement> => {
  const amounts = new Int32Array(movements.length * 4)
  const narrow = new Uint8Array(movements.length)
  for (let place = 0; place < movements.length; place++)
    if (storeBigInt(amounts, place * 4, movements[place]!.amount)) narrow[place] = 1
  return { movements, tokens, amounts, narrow, debits: none, credits: none, unknown: [], unknownTokens: [] }
}
const none = new Int32Array(0)

/** Who moves an amount to himself is touched, by nothing. */
const addSides = (sides: Sides, { movements, tokens, amounts, narrow }: Chunk<Movement>, place: number): void => {
  const { kind, debit, credit, blockNumber, amount } = movements[place]!
  const token = tokens[place]!
  if (kind === "transfer") token.transfers++
  const by = { words: amounts, from: place * 4, narrow: narrow[place] === 1, amount }
  sides.add(token.id, debit, blockNumber, by, true)
  sides.add(token.id, credit, blockNumber, by, false)
}

/** What is gathered becomes a run. */
const storeSides = async (session: WriterState["session"], open: OpenAppend, load: BulkLoad): Promise<void> => {
  if (load.sides.count === 0) return
  await open.flushed
  load.stored += await storeRun(session, load.state.runs + load.runs, load.sides)
  load.runs++
}

/** An append's end: the last run, the tokens' counts, and where the load stands then. Undefined where there is none. */
export const storeLoaded = async ({ session, load }: WriterState, open: OpenAppend): Promise<BulkState | undefined> => {
  if (load === undefined) return undefined
  await storeSides(session, open, load)
  await storeCounts(
    session,
    open.touched.map(({ id, transfers }) => ({ token: id, transfers })),
  )
  const { state, runs, stored } = load
  const next: BulkState = { ...state, runs: state.runs + runs, sides: state.sides + stored }
  await storeStage(session, next)
  return next
}
