/** What a heal changes for consumers of events: rows that came in late, and contracts that begin elsewhere now. */
import type { BlockHeader } from "../../../../model/block.ts"
import type { Movement, NftMovement } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { Token } from "../ids/tokens.ts"
import { type CorrectedRow, findBirths } from "../state/corrections.ts"
import type { Session } from "../wire/session.ts"
import type { Rows } from "./rows.ts"

/** Of the contracts that the rows are of, as far as they are stored. */
export const birthsOf = (
  session: Session,
  { movements, nfts }: Rows,
  known: Readonly<Record<Standard, ReadonlyMap<Address, Token>>>,
): Promise<ReadonlyArray<CorrectedRow>> => {
  const ids = [
    ...movements.map(({ token }) => known.erc20.get(token)!.id),
    ...nfts.map(({ standard, token }) => known[standard].get(token)!.id),
  ]
  return findBirths(session, [...new Set(ids)])
}

/** `before`, `after`: the births around the heal. */
export const healedRows = (
  { movements, nfts }: Rows,
  headers: ReadonlyArray<BlockHeader>,
  before: ReadonlyArray<CorrectedRow>,
  after: ReadonlyArray<CorrectedRow>,
): { readonly removed: ReadonlyArray<CorrectedRow>; readonly added: ReadonlyArray<CorrectedRow> } => {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  const rowOf = (row: Movement | NftMovement, standard: number, place: number): CorrectedRow => ({
    pos: String((BigInt(row.blockNumber) << 24n) + BigInt(row.logIndex)),
    place,
    kind: 1,
    standard,
    block_hash: hashes.get(row.blockNumber)!,
    tx_hash: row.txHash,
    token: row.token,
    from_addr: row.from,
    to_addr: row.to,
    amount: String(row.amount),
    ...("tokenId" in row ? { nft_id: String(row.tokenId) } : {}),
  })
  const has = (births: ReadonlyArray<CorrectedRow>, birth: CorrectedRow) =>
    births.some(({ token, standard, pos }) => token === birth.token && standard === birth.standard && pos === birth.pos)
  const transfers = movements.filter(({ kind }) => kind === "transfer")
  return {
    removed: before.filter((birth) => !has(after, birth)),
    added: [
      ...after.filter((birth) => !has(before, birth)),
      ...transfers.map((row) => rowOf(row, 20, 1)),
      ...nfts.map((row) => rowOf(row, row.standard === "erc721" ? 721 : 1155, row.sub + 1)),
    ],
  }
}
