/** ERC-1155: what each address has of each id. */
import type { NftMovement } from "../../../../model/event.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import { byteaArray, numberArray } from "../../database/arrays.ts"
import { joinByKey } from "../wire/byKey.ts"
import type { Session } from "../wire/session.ts"
import type { Token } from "./tokens.ts"

/** What an address has of an id. */
export interface Unit {
  readonly tokenId: number
  readonly nftId: bigint
  readonly holder: Address
  unitNo: number
  /** Of its newest version; −1 = it has none yet. */
  blockNumber: number
  balance: bigint
  /** In the database, with the last committed version. */
  stored: boolean
  /** Touched by the open append. */
  touched: boolean
}

/** The units that are known, and those that the open append touched. */
export class Units {
  /** By `tokenId:nftId:holder`. */
  readonly known = new Map<string, Unit>()
  readonly touched: Array<Unit> = []

  clear(): void {
    this.known.clear()
    this.touched.length = 0
  }
}

/** Whom a row debits and whom it credits. A mint debits nobody, a burn credits nobody. */
export interface UnitMove {
  readonly debit?: Unit
  readonly credit?: Unit
}

/** The units of each row, in the rows' order; those that only the database knows are looked up, in one query. */
export const findUnits = async (
  session: Session,
  { known }: Units,
  rows: ReadonlyArray<NftMovement>,
  tokens: ReadonlyMap<Address, Token>,
): Promise<ReadonlyArray<UnitMove>> => {
  const created: Array<readonly [Unit, Token]> = []
  const unitOf = (token: Token, nftId: bigint, holder: Address): Unit => {
    const key = `${token.id}:${nftId}:${holder}`
    const before = known.get(key)
    if (before !== undefined) return before
    const unit: Unit = {
      tokenId: token.id,
      nftId,
      holder,
      unitNo: 0,
      blockNumber: -1,
      balance: 0n,
      stored: false,
      touched: false,
    }
    known.set(key, unit)
    created.push([unit, token])
    return unit
  }
  const moves = rows.map(({ token: address, tokenId, from, to }): UnitMove => {
    const token = tokens.get(address)!
    const isMint = from === zeroAddress
    return {
      ...(isMint ? {} : { debit: unitOf(token, tokenId, from) }),
      ...(isMint || to !== zeroAddress ? { credit: unitOf(token, tokenId, to) } : {}),
    }
  })
  const unknown = created.flatMap(([unit, { born }]) => (born === undefined ? [unit] : []))
  if (unknown.length > 0) await lookUp(session, unknown.sort(byKey))
  for (const [unit, token] of created) if (!unit.stored) unit.unitNo = ++token.unitSeq
  return moves
}

interface Found {
  readonly place: number
  readonly unit_no: number
  readonly block_number: number
  readonly balance: string
}

const lookUp = async (session: Session, unknown: ReadonlyArray<Unit>): Promise<void> => {
  const rows = await session.run(
    (sql) => sql<Array<Found>>`
      select wanted.place, row.unit_no, row.block_number, row.balance
      from unnest(${numberArray(unknown.map(({ tokenId }) => tokenId))}::text::int4[],
                  ${byteaArray(unknown.map(({ holder }) => holder.slice(2)))}::text::bytea[],
                  ${numberArray(unknown.map(({ nftId }) => nftId))}::text::numeric[])
        with ordinality as wanted (token_id, holder, nft_id, place)
      ${joinByKey(sql, "unit_balance", ["holder", "token_id", "nft_id"])}`,
  )
  for (const { place, unit_no, block_number, balance } of rows) {
    const unit = unknown[place - 1]!
    unit.unitNo = unit_no
    unit.blockNumber = block_number
    unit.balance = BigInt(balance)
    unit.stored = true
  }
}

/** In the order of the key. */
export const byKey = (a: Unit, b: Unit): number =>
  (a.holder < b.holder ? -1 : a.holder > b.holder ? 1 : 0) ||
  a.tokenId - b.tokenId ||
  (a.nftId < b.nftId ? -1 : a.nftId > b.nftId ? 1 : 0)
