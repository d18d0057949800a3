/** SQL of the versions of a balance or a supply: the blocks that touched it, what it was after each and before, and by which transactions. */
import type { Fragment } from "postgres"
import { burnAccount, mintAccount } from "../../../../model/event.ts"
import { countCap } from "../../../../model/page.ts"
import { zeroAddress } from "../../../../model/primitives.ts"
import type { FeedRange } from "../../../../model/transfer.ts"
import type { VersionsQuery } from "../../../../ports/TokenHistories.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { joined } from "../../database/fragments.ts"
import { blockOf } from "../common/atBlock.ts"
import { seekOf } from "../common/page.ts"
import { selectPartiality } from "../common/partial.ts"
import { selectFirstTokenId, selectStandards, selectTokenId } from "../common/tokenIds.ts"
import { isWrapped } from "../holders/parties.ts"
import { selectBlockAt, selectTimeOf } from "./times.ts"

/** Columns `low`, `high`: the blocks of a range, inclusive, for comparison with stored ones. */
const selectRange = (
  chain: ChainSql,
  { blockNumberFrom, blockNumberTo, timestampFrom, timestampTo, finalized }: FeedRange,
): Fragment => {
  const { sql, state } = chain
  const lows = [
    blockOf(sql, blockNumberFrom ?? 0),
    ...(timestampFrom === undefined ? [] : [sql`coalesce((${selectBlockAt(chain, timestampFrom - 1)}), -1) + 1`]),
  ]
  const highs = [
    blockOf(sql, blockNumberTo ?? 2 ** 31),
    ...(timestampTo === undefined ? [] : [sql`coalesce((${selectBlockAt(chain, timestampTo)}), -1)`]),
    ...(finalized === undefined ? [] : [sql`(select s.finalized_block from ${state} s)`]),
  ]
  return sql`select greatest(${joined(lows, sql`,`)}) as low, least(${joined(highs, sql`,`)}) as high`
}

interface Pairs {
  /** Columns `token_id`, `number`, `block_number`, `balance`, `sign`. */
  readonly rows: Fragment
  readonly tokenId: Fragment
  readonly history: ChainSql["history"]
  readonly number: Fragment
}

const pairsOf = (chain: ChainSql, what: VersionsQuery["what"]): Pairs => {
  const { sql, balance, history, unitBalance, unitHistory } = chain
  if (what.of === "unit") {
    const tokenId = selectTokenId(chain, "erc1155", what.token)
    const rows = sql`
      select b.token_id, b.unit_no as number, b.block_number, b.balance, 1 as sign from ${unitBalance} b
      where b.holder = ${what.holder}::bytea and b.token_id = (${tokenId}) and b.nft_id = ${what.tokenId}::numeric`
    return { rows, tokenId, history: unitHistory, number: sql`unit_no` }
  }
  const isSupply = what.of === "supply"
  const standard = isSupply ? "erc20" : what.standard
  const tokenId =
    standard === undefined ? selectFirstTokenId(chain, what.token) : selectTokenId(chain, standard, what.token)
  const accounts = isSupply ? [mintAccount, burnAccount] : [what.holder]
  const rows = accounts.map(
    (account) => sql`
      (select b.token_id, b.holder_no as number, b.block_number, b.balance, ${isSupply ? -1 : 1}::int4 as sign
       from ${balance} b where b.holder = ${account}::bytea and b.token_id = (${tokenId}))`,
  )
  return { rows: sql`${joined(rows, sql`union all`)}`, tokenId, history, number: sql`holder_no` }
}

/** JSON: `rows` behind the place, in the order read, one more than the limit; `total` where it is asked for, the contract's `standards` as numbers, and whether the token is `partial`. */
export const selectVersions = (chain: ChainSql, { what, range, direction, page, count }: VersionsQuery): Fragment => {
  const { sql } = chain
  const { rows, tokenId, history, number } = pairsOf(chain, what)
  const { key, reading } = seekOf(page, direction)
  const way = reading === "asc" ? sql`asc` : sql`desc`
  const beyond =
    key === undefined
      ? sql``
      : reading === "asc"
        ? sql`and v.block_number > ${blockOf(sql, key.blockNumber)}`
        : sql`and v.block_number < ${blockOf(sql, key.blockNumber)}`
  const inRange = sql`v.block_number >= (select low from span) and v.block_number <= (select high from span)`
  const older = (condition: Fragment, last: Fragment) => sql`
    select h.block_number from ${history} h where h.token_id = p.token_id and h.${number} = p.number ${condition} ${last}`
  const within = sql`and h.block_number >= (select low from span) and h.block_number <= (select high from span)`
  const ahead =
    key === undefined
      ? within
      : reading === "asc"
        ? sql`${within} and h.block_number > ${blockOf(sql, key.blockNumber)}`
        : sql`${within} and h.block_number < ${blockOf(sql, key.blockNumber)}`
  const after = (block: Fragment) => sql`(
    select coalesce(sum(p.sign * coalesce(case when p.block_number <= ${block} then p.balance else (
      select h.balance from ${history} h where h.token_id = p.token_id and h.${number} = p.number
        and h.block_number <= ${block} order by h.block_number desc limit 1) end, 0)), 0) from pair p)`
  // Of one pair each block is another: more of it than are counted are never needed.
  const most = sql`limit ${countCap + 1}`
  const total = sql`, 'total', (
    select count(*) from (
      select from (
        select p.block_number from pair p
        union select h.block_number from pair p cross join lateral (${older(within, most)}) h
      ) v where ${inRange} ${most}) v)`
  return sql`
    with pair as materialized (${rows}), span as materialized (${selectRange(chain, range)}),
    touch as materialized (
      select distinct v.block_number from (
        select p.block_number from pair p
        union all
        select h.block_number from pair p cross join lateral (
          ${older(ahead, sql`order by h.block_number ${way} limit ${page.limit + 1}`)}) h
      ) v where ${inRange} ${beyond} order by v.block_number ${way} limit ${page.limit + 1}
    )
    select json_build_object('standards', (${selectStandards(chain, what.token)}) ${count ? total : sql``},
      'partial', (select ${selectPartiality(chain)} from ${chain.token} k where k.token_id = (${tokenId})), 'rows', (
      select coalesce(json_agg(json_build_object(
        'block', v.block_number, 'time', ${selectTimeOf(chain, sql`v.block_number`)},
        'balance', ${after(sql`v.block_number`)}::text, 'before', ${after(sql`v.block_number - 1`)}::text,
        'transactions', (${selectTransactions(chain, what, sql`(${tokenId})`)})) order by v.block_number ${way}), '[]')
      from touch v))`
}

/** Hashes, in the order of their first logs, of what touched it in block `v.block_number`. */
const selectTransactions = (chain: ChainSql, what: VersionsQuery["what"], tokenId: Fragment): Fragment => {
  const { sql, token, transfers, wrap } = chain
  const { erc20, erc721, erc1155 } = transfers
  const here = sql`t.pos >= v.block_number::int8 << 24 and t.pos < (v.block_number::int8 + 1) << 24`
  const party = what.of === "supply" ? zeroAddress : what.holder
  const isMint = sql`t.from_addr = ${zeroAddress}::bytea`
  const isToZero = sql`t.to_addr = ${zeroAddress}::bytea`
  // What the ledger's rules make of logs that name the zero address: mints and burns are of the supply, not of the address.
  const isBurnt = sql`(
    select (not k.keeps_burnt or (k.burns_own and t.from_addr = k.address)) and not (${isWrapped(chain, tokenId)})
    from ${token} k where k.token_id = ${tokenId})`
  const isParty =
    what.of === "supply"
      ? sql`(${isMint} or (${isToZero} and ${isBurnt}))`
      : party === zeroAddress
        ? sql`(${isToZero} and (${isMint} or not ${isBurnt}))`
        : sql`${party}::bytea in (t.from_addr, t.to_addr)`
  const isPartyOfUnits = party === zeroAddress ? sql`(${isToZero} and ${isMint})` : isParty
  const isPartyOfIds = party === zeroAddress ? sql`false` : isParty
  const ofId = what.of === "unit" ? sql`and t.nft_id = ${what.tokenId}::numeric` : sql``
  const rows = (table: ChainSql["wrap"], is: Fragment) => sql`
    select t.pos, t.tx_hash from ${table} t where t.token_id = ${tokenId} and ${here} and ${is}`
  const tables =
    what.of === "unit"
      ? rows(erc1155, sql`${isPartyOfUnits} ${ofId}`)
      : what.of === "supply"
        ? rows(erc20, isParty)
        : sql`${rows(erc20, isParty)} union all ${rows(erc721, isPartyOfIds)} union all ${rows(erc1155, isPartyOfUnits)}`
  const wraps =
    what.of === "unit"
      ? sql``
      : sql`union all select t.pos, t.tx_hash from ${wrap} t where ${here} and t.token_id = ${tokenId}
          ${what.of === "balance" ? sql`and t.holder = ${what.holder}::bytea` : sql``} and (${isWrapped(chain, tokenId)})`
  return sql`
    select coalesce(json_agg('0x' || encode(x.tx_hash, 'hex') order by x.pos), '[]') from (
      select t.tx_hash, min(t.pos) as pos from (${tables} ${wraps}) t where t.tx_hash is not null group by t.tx_hash) x`
}

/** JSON of the blocks that touched any ERC-20 balance of an address, in the order read; one more than the limit. */
export const selectTouched = (
  chain: ChainSql,
  { holder, range, direction, page }: Omit<VersionsQuery, "what" | "count" | "chainId"> & { readonly holder: string },
): Fragment => {
  const { sql, balance, history, token } = chain
  const { key, reading } = seekOf(page, direction)
  const way = reading === "asc" ? sql`asc` : sql`desc`
  const place = key === undefined ? sql`` : blockOf(sql, key.blockNumber)
  const beyond = (column: Fragment) =>
    key === undefined ? sql`` : reading === "asc" ? sql`and ${column} > ${place}` : sql`and ${column} < ${place}`
  const within = (column: Fragment) => sql`
    ${column} >= (select low from span) and ${column} <= (select high from span) ${beyond(column)}`
  return sql`
    with span as materialized (${selectRange(chain, range)}),
    pair as materialized (
      select b.token_id, b.holder_no, b.block_number from ${balance} b
      cross join lateral (select from ${token} k where k.token_id = b.token_id and k.standard = ${standardNumbers.erc20} limit 1) k
      where b.holder = ${holder}::bytea
    )
    select coalesce(json_agg(v.block_number order by v.block_number ${way}), '[]') from (
      select distinct v.block_number from (
        select p.block_number from pair p where ${within(sql`p.block_number`)}
        union all
        select h.block_number from pair p cross join lateral (
          select h.block_number from ${history} h
          where h.token_id = p.token_id and h.holder_no = p.holder_no and ${within(sql`h.block_number`)}
          order by h.block_number ${way} limit ${page.limit + 1}) h
      ) v order by v.block_number ${way} limit ${page.limit + 1}
    ) v`
}
