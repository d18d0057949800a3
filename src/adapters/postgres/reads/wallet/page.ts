/** SQL of a page of what addresses hold in one chain, and a row of it → the holding and its key. */
import type { Fragment } from "postgres"
import { stateAt } from "../../../../domain/audit/auditStatus.ts"
import { suspectAt } from "../../../../domain/audit/doubts.ts"
import { auditStates } from "../../../../model/audit.ts"
import { type Address, type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import type { HeldKey, StoredHolding } from "../../../../model/wallet/holdings.ts"
import type { HeldAt, HeldQuery } from "../../../../ports/WalletStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { standardOf } from "../audit/record.ts"
import { type DoubtRow, doubtOf } from "./doubts.ts"
import { heldJson, isListed } from "./held.ts"

/** Without the fields' names: the server took as long to write these as for all the rest of a row. */
export type HoldingRow = readonly [
  holder: Address,
  standard: number,
  address: Address,
  nftId: string | null,
  balance: string,
  changed: number,
  trusted: boolean,
  price: string | null,
  value: string | null,
  name: string | null,
  symbol: string | null,
  decimals: number | null,
  logo: string | null,
  state: number | null,
  differed: readonly [number, number] | null,
  doubt: DoubtRow | null,
  mixed: boolean,
]

/** The list's order, or its reverse: how the sorted field runs, how ties do, and what stands for no value. */
interface Reading {
  readonly value: "asc" | "desc"
  readonly ties: "asc" | "desc"
  readonly none: string
}

export const readingOf = ({ field, direction }: HeldQuery["sort"], backward: boolean): Reading => {
  const none = direction === "desc" ? "-1" : "Infinity"
  const value = field === "valueUsd" ? direction : "asc"
  const ties = field === "valueUsd" ? turned(direction) : direction
  return backward ? { value: turned(value), ties: turned(ties), none } : { value, ties, none }
}

const turned = (way: "asc" | "desc") => (way === "asc" ? "desc" : "asc")

/** JSON arrays of `HoldingRow`s behind the query's place, in the order read; one more than its limit. Of tables `held` and `few`. */
export const selectRows = (chain: ChainSql, query: HeldQuery, at: HeldAt | undefined): Fragment => {
  const { sql } = chain
  const { page, sort } = query
  const key = page.before ?? page.after
  const reading = readingOf(sort, page.before !== undefined)
  const way = (word: "asc" | "desc") => (word === "asc" ? sql`asc` : sql`desc`)
  const value = sort.field === "valueUsd" ? sql`coalesce(h.value, ${reading.none}::numeric)` : sql`0::numeric`
  const ties = way(reading.ties)
  return sql`
    select coalesce(json_agg(${heldJson(chain, at)} order by h.place), '[]') from (
      select *, row_number() over () as place from (
        select h.*, ${value} as sorted from held h
        where ${isListed(chain, query)} ${key === undefined ? sql`` : sql`and ${isBeyond(chain, key, reading, value)}`}
        order by sorted ${way(reading.value)}, h.holder ${ties}, h.standard ${ties}, h.address ${ties}, h.nft_id ${ties}
        limit ${page.limit + 1}
      ) h
    ) h`
}

/** Whether row `h` of this chain comes behind a place, as the list is read. */
const isBeyond = ({ sql, chainId }: ChainSql, key: HeldKey, reading: Reading, value: Fragment): Fragment => {
  const ahead = (way: "asc" | "desc") => (way === "asc" ? sql`>` : sql`<`)
  const place = sql`${key.value ?? reading.none}::numeric`
  const less = sql`${value} ${ahead(reading.value)} ${place}`
  const order = compareChainIds(chainId, key.chainId) * (reading.ties === "asc" ? 1 : -1)
  if (order < 0) return less
  if (order > 0) return sql`(${less} or ${value} = ${place})`
  // The native currency stands before all tokens of its holder.
  const number = key.standard === "native" ? 0 : standardNumbers[key.standard]
  return sql`(${less} or (${value} = ${place}
    and (h.holder, h.standard::int4, h.address, coalesce(h.nft_id, -1)) ${ahead(reading.ties)}
      (${key.address}::bytea, ${number}::int4, ${key.tokenAddress ?? "0x"}::bytea, ${key.tokenId ?? "-1"}::numeric)))`
}

/** `at`: the block that its figures are of; absent = now. */
export const holdingOf = (
  chainId: ChainId,
  [holder, standard, address, nftId, balance, changed, trusted, price, value, name, symbol, ...rest]: HoldingRow,
  at: number | undefined,
): StoredHolding => {
  const [decimals, logo, state, differed, doubt, mixed] = rest
  const stored = state === null ? "unverified" : auditStates[state]!
  return {
    chainId,
    address: holder,
    standard: standardOf(standard),
    tokenAddress: address,
    ...(nftId === null ? {} : { tokenId: nftId }),
    ...(name === null ? {} : { name }),
    ...(symbol === null ? {} : { symbol }),
    ...(decimals === null ? {} : { decimals }),
    ...(logo === null ? {} : { logoUri: logo }),
    balance,
    ...(price === null ? {} : { price }),
    ...(value === null ? {} : { value }),
    trusted,
    changedBlock: changed,
    auditState: stateAt({ state: stored, ...(differed === null ? {} : { differedTo: differed[1] }) }, at),
    ...(suspectAt(doubtOf(doubt), at) === undefined ? {} : { suspect: true }),
    ...(mixed ? { mixed: true } : {}),
  }
}

export const keyOf = (sort: HeldQuery["sort"], chainId: ChainId, row: HoldingRow): HeldKey => {
  const [holder, standard, address, nftId, , , , , value] = row
  return {
    value: sort.field === "valueUsd" ? value : "0",
    chainId,
    address: holder,
    standard: standardOf(standard),
    tokenAddress: address,
    tokenId: nftId,
  }
}
