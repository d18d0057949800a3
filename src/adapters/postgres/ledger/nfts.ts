/** ERC-721 and ERC-1155 rows into the open append: chunk by chunk, into the same pairs that ERC-20 folds. */
import type { NftMovement, Segment } from "../../../model/event.ts"
import type { Address } from "../../../model/primitives.ts"
import { prepareChunk } from "./balances/chunk.ts"
import { type Folding, foldChunk } from "./balances/fold.ts"
import { finishLookup, startLookup } from "./balances/lookup.ts"
import { sendRows } from "./flush.ts"
import type { Change } from "./ids/change.ts"
import { moveUnits } from "./ids/moveUnits.ts"
import { findNfts, moveIds } from "./ids/owners.ts"
import type { Token } from "./ids/tokens.ts"
import { findUnits } from "./ids/units.ts"
import type { Session } from "./wire/session.ts"
import type { OpenAppend, WriterState } from "./writerState.ts"

/** One standard after the other: their rows go to different tables, their tokens are different ones. */
export const foldNfts = async (
  writer: WriterState,
  open: OpenAppend,
  reader: Session,
  { nfts }: Segment,
): Promise<void> => {
  const { session, pairs, tokens, limits } = writer
  const { folding } = open
  /** On one connection, look-ups wait for the rows that are under way. */
  const quiet = () => (reader === session ? open.flushed : undefined)
  for (const standard of ["erc721", "erc1155"] as const) {
    const known = tokens.known[standard]
    const rows = nfts.filter((row) => row.standard === standard)
    for (let start = 0; start < rows.length; start += limits.chunkSize) {
      const chunk = { standard, rows: rows.slice(start, start + limits.chunkSize), tokens: known }
      await quiet()
      const changes = await changesOf(writer, folding, reader, chunk)
      const lookup = startLookup(reader, session, pairs, prepareChunk(pairs, known, changes))
      await finishLookup(pairs, lookup)
      foldChunk(folding, lookup.chunk)
      encodeRows(folding, standard, chunk.rows, idsOf(chunk))
      await sendRows(session, open)
    }
  }
}

/** Rows of one standard in log order, and its tokens. */
export interface NftChunk {
  readonly standard: NftMovement["standard"]
  readonly rows: ReadonlyArray<NftMovement>
  readonly tokens: ReadonlyMap<Address, Token>
}

const changesOf = async (
  { owners, units }: WriterState,
  { unitHistory }: Folding,
  reader: Session,
  { standard, rows, tokens }: NftChunk,
): Promise<ReadonlyArray<Change>> => {
  if (standard === "erc721") return moveIds(owners, rows, await findNfts(reader, owners, rows, tokens), tokens)
  const moves = await findUnits(reader, units, rows, tokens)
  return moveUnits(units, unitHistory, { rows, moves, tokens })
}

/** Of the tokens of rows that are known. */
export const idsOf = ({ rows, tokens }: Pick<NftChunk, "rows" | "tokens">): ReadonlyArray<number> =>
  rows.map(({ token }) => tokens.get(token)!.id)

/** The feed's rows, in log order. `ids`: of their tokens. */
export const encodeRows = (
  { erc721, erc1155 }: Folding,
  standard: NftMovement["standard"],
  rows: ReadonlyArray<NftMovement>,
  ids: ReadonlyArray<number>,
): void => {
  const target = standard === "erc721" ? erc721 : erc1155
  for (let place = 0; place < rows.length; place++) {
    const { blockNumber, logIndex, sub, time, txHash, txIndex, from, to, ...unit } = rows[place]!
    target.row()
    target.pos(blockNumber, logIndex)
    target.int4(sub)
    target.int8(time)
    target.int4(ids[place]!)
    target.bytea(txHash, 32)
    target.bytea(from, 20)
    target.bytea(to, 20)
    target.bigNumeric(unit.tokenId)
    if (standard === "erc1155") {
      target.bigNumeric(unit.amount)
      if (unit.operator === undefined) target.none()
      else target.bytea(unit.operator, 20)
    }
    target.optionalInt4(txIndex)
  }
}
