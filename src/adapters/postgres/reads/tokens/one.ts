/** One contract as one standard's token: what the lists say of it, what people say, and its first and last transfer. */
import { Effect } from "effect"
import type { Fragment } from "postgres"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../../../model/primitives.ts"
import type { Standard, TokenRecords, TransferPlace } from "../../../../model/token.ts"
import type { TokenNote } from "../../../../model/tokenNote.ts"
import type { OneToken } from "../../../../ports/TokenStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { selectDetails, selectNoteAt, type TokenDetails, tokenOf } from "./record.ts"

interface PlaceRow {
  readonly block_number: number
  readonly log_index: number
  readonly time: number
  readonly tx_hash: Hash
}

interface OneRow {
  readonly found?: {
    readonly details: TokenDetails
    readonly transfers: number
    readonly first: PlaceRow | null
    readonly last: PlaceRow | null
  } | null
  readonly note?: TokenNote | null
}

export const readOneToken = Effect.fnUntraced(function* <S extends Standard>(
  across: AcrossChains["Service"],
  standard: S,
  chainId: ChainId,
  address: Address,
) {
  const none: OneRow = {}
  const { asOf, value } = yield* across.readOne(
    chainId,
    none,
    (chain) => chain.sql`(${selectOne(chain, standard, address)}) as found, (${selectNoteAt(chain, address)}) as note`,
  )
  const { found, note } = value
  if (found === undefined || found === null) return { asOf, value: undefined }
  const one: OneToken<S> = {
    record: tokenOf(chainId, found.details) as TokenRecords[S],
    transfers: found.transfers,
    ...(note ? { note } : {}),
    ...(found.first === null ? {} : { first: placeOf(found.first) }),
    ...(found.last === null ? {} : { last: placeOf(found.last) }),
  }
  return { asOf, value: one }
})

const selectOne = (chain: ChainSql, standard: Standard, address: Address): Fragment => {
  const { sql, tokenStat, transfers } = chain
  const at = sql`k.address = ${address}::bytea and k.standard = ${standardNumbers[standard]}`
  const order = standard === "erc20" ? [sql`t.pos`, sql`t.pos desc`] : [sql`t.pos, t.sub`, sql`t.pos desc, t.sub desc`]
  const place = (by: Fragment) => sql`
    select json_build_object('block_number', t.pos >> 24, 'log_index', t.pos & 16777215, 'time', t.time,
      'tx_hash', '0x' || encode(t.tx_hash, 'hex'))
    from ${transfers[standard]} t where t.token_id = one.token_id order by ${by} limit 1`
  return sql`
    select json_build_object(
      'details', (${selectDetails(chain, sql`k.token_id = one.token_id`)}),
      'transfers', (select s.transfers from ${tokenStat} s where s.token_id = one.token_id),
      'first', (${place(order[0]!)}), 'last', (${place(order[1]!)}))
    from (select k.token_id from ${chain.token} k where ${at}) one`
}

const placeOf = ({ block_number, log_index, time, tx_hash }: PlaceRow): TransferPlace => ({
  blockNumber: block_number,
  txHash: tx_hash,
  logIndex: log_index,
  timestamp: dateTimeOf(time),
})
