/** SQL of what addresses hold in one chain, of all standards, each row with its value: now, or after a block. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { type HeldAt, type HeldBy, mostDoubtful } from "../../../../ports/WalletStore.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { blockOf } from "../common/atBlock.ts"
import { isDenied } from "../common/denied.ts"
import { isPartial } from "../common/partial.ts"
import { selectInventory } from "../nfts/inventory.ts"
import { selectDoubt } from "./doubts.ts"
import { narrowedTables } from "./narrowed.ts"

type Asked = Omit<HeldBy, "chains" | "at">
/** undefined = now. */
type At = Pick<HeldAt, "blockNumber" | "hour"> | undefined

/** The newest version of row `b` at or before a block; none before its first. */
const versionAt = (
  { sql }: ChainSql,
  {
    history,
    number,
    block,
  }: { readonly history: ChainSql["history"]; readonly number: Fragment; readonly block: Fragment },
): Fragment => sql`
  select b.balance, b.block_number where b.block_number <= ${block}
  union all
  (select h.balance, h.block_number from ${history} h
   where b.block_number > ${block} and h.token_id = b.token_id and h.${number} = b.${number}
     and h.block_number <= ${block} order by h.block_number desc limit 1)`

/** Condition on row `b`: it is of a contract that was asked for. */
const ofTokens = ({ sql, token }: ChainSql, { tokens }: Asked): Fragment =>
  tokens === undefined
    ? sql``
    : sql`and b.token_id = any(array(
        select k.token_id from ${token} k where k.address = any(${hexArray(tokens)}::text::bytea[])))`

/** Condition on row `k` of `token`: what the ledger says of it now is in doubt. */
const isInDoubt = (chain: ChainSql): Fragment => {
  const { sql, state } = chain
  return sql`(${isDenied(chain, sql`k`)}
    or ((select t.first_block > 0 from ${state} t) and ${isPartial(chain)}))`
}

/** Condition on row `b` of now: something is held, or the contract may say so where the ledger does not. */
const mayBeHeld = (chain: ChainSql): Fragment => chain.sql`
  (b.balance > 0 or (select true from ${chain.token} k where k.token_id = b.token_id and ${isInDoubt(chain)} limit 1))`

/** `token_id`, `nft_id`, `balance`, `changed` of what `w.holder` has of everything but ids of ERC-1155. */
const selectPairs = (chain: ChainSql, asked: Asked, at: At): Fragment => {
  const { sql, balance, history } = chain
  if (at === undefined)
    return sql`select b.token_id, null::numeric as nft_id, b.balance, b.block_number as changed from ${balance} b
      where b.holder = w.holder ${ofTokens(chain, asked)} and ${mayBeHeld(chain)} offset 0`
  return sql`select b.token_id, null::numeric as nft_id, v.balance, v.block_number as changed
    from (select * from ${balance} b where b.holder = w.holder ${ofTokens(chain, asked)} offset 0) b
    cross join lateral (${versionAt(chain, { history, number: sql`holder_no`, block: blockOf(sql, at.blockNumber) })} limit 1) v
    where v.balance > 0 offset 0`
}

/** The same of ids of ERC-1155. */
const selectUnits = (chain: ChainSql, asked: Asked, at: At): Fragment => {
  const { sql, unitBalance, unitHistory: history } = chain
  if (at === undefined)
    return sql`select b.token_id, b.nft_id, b.balance, b.block_number as changed from ${unitBalance} b
      where b.holder = w.holder ${ofTokens(chain, asked)} and ${mayBeHeld(chain)} offset 0`
  return sql`select b.token_id, b.nft_id, v.balance, v.block_number as changed
    from (select * from ${unitBalance} b where b.holder = w.holder ${ofTokens(chain, asked)} offset 0) b
    cross join lateral (${versionAt(chain, { history, number: sql`unit_no`, block: blockOf(sql, at.blockNumber) })} limit 1) v
    where v.balance > 0 offset 0`
}

/** More ids than any collection has. */
const allIds = { page: 1, offset: 2 ** 31 - 1 }

/** Ids of an ERC-721 that `w.holder` owns, of the collections of its pairs. */
const selectIds = (chain: ChainSql, asked: Asked, at: At): Fragment => {
  const { sql, nft } = chain
  const pairs = sql`(${selectPairs(chain, asked, at)}) p`
  const isCollection = sql`exists (
    select from ${chain.token} k where k.token_id = p.token_id and k.standard = ${standardNumbers.erc721})`
  if (at === undefined)
    return sql`select p.token_id, n.nft_id, 1::numeric as balance, (n.pos >> 24)::int4 as changed
      from ${pairs} cross join lateral (
        select n.nft_id, n.pos from ${nft} n where n.token_id = p.token_id and n.owner = w.holder offset 0
      ) n where ${isCollection}`
  const ids = selectInventory(chain, sql`p.token_id`, sql`w.holder`, { ...allIds, blockNumber: at.blockNumber })
  return sql`select p.token_id, n.id::numeric as nft_id, 1::numeric as balance, moved.block as changed
    from ${pairs} cross join lateral json_array_elements_text((${ids})) n (id)
    cross join lateral (
      select (max(t.pos) >> 24)::int4 as block from ${chain.transfers.erc721} t
      where t.token_id = p.token_id and t.nft_id = n.id::numeric and t.pos < (${blockOf(sql, at.blockNumber)}::int8 + 1) << 24
    ) moved where ${isCollection}`
}

/** US dollars of a whole token `k`: now, or at the beginning of the hour `spoken`; null in none. */
const selectPrice = (chain: ChainSql, at: At): Fragment => {
  const { sql, tokenStat, pricePoint } = chain
  if (at === undefined)
    return sql`select s.price from ${tokenStat} s where s.token_id = k.token_id and s.price is not null limit 1`
  return sql`select case when p.until_hour >= spoken.hour then p.price end as price from ${pricePoint} p
    where p.token_id = k.token_id and p.hour <= spoken.hour order by p.hour desc limit 1`
}

/**
 * `with` tables `held` (a row each of what is asked: `holder`, `token_id`, `nft_id`, `balance`, `changed`, `standard`, `address`,
 * `trusted`, `price`, `value`, `doubtful`) and `few` (whether the rows in doubt can be told apart).
 */
export const heldTables = (chain: ChainSql, asked: Asked, at: At): Fragment => {
  const { sql, token, tokenNote } = chain
  const wants = (standard: keyof typeof standardNumbers) => asked.standards.includes(standard)
  const branches = [
    ...(wants("erc20") || (wants("erc721") && !asked.byId) ? [selectPairs(chain, asked, at)] : []),
    ...(wants("erc721") && asked.byId ? [selectIds(chain, asked, at)] : []),
    ...(wants("erc1155") ? [selectUnits(chain, asked, at)] : []),
  ]
  // Ids have a number; a pair of an ERC-1155 is the sum of those, and of an ERC-721 the number of ids.
  // Written out: a parameter would be read anew for each row.
  const isPair = sql`(${wants("erc20") ? sql`k.standard = 20` : sql`false`}
    or ${wants("erc721") && !asked.byId ? sql`k.standard = 721` : sql`false`})`
  const isId = sql`k.standard in (721, 1155)`
  const isTrusted = sql`(k.trusted or (k.standard <> 20 and exists (
    select from ${tokenNote} n where n.address = k.address and n.trusted)))`
  const scale = sql`('1e' || k.decimals)::numeric`
  const value = sql`div(2 * p.balance * s.price + ${scale}, 2 * ${scale})`
  const found = selectPrice(chain, at)
  const price =
    at === undefined
      ? sql`coalesce(d.price, (select f.price from (${found}) f where not (select m.yes from many m)))`
      : sql`(${found})`
  const isDoubtful = at === undefined ? isInDoubt(chain) : sql`false`
  return sql`
    spoken as materialized (select ${at?.hour ?? null}::int4 as hour),
    pair as materialized (
      select w.holder, p.token_id, p.nft_id, p.balance, p.changed
      from unnest(${hexArray(asked.holders)}::text::bytea[]) w (holder)
      cross join lateral (${joinedByUnion(chain, branches)}) p
    ),
    ${narrowedTables(chain, asked, at)}
    held as materialized (
      select p.holder, p.token_id, p.nft_id, p.balance, p.changed, k.standard, k.address, k.trusted, s.price,
        case when k.standard = 20 then ${value} end as value, k.doubtful
      from narrowed p
      cross join lateral (
        select k.standard, k.address, k.decimals, k.token_id, ${isTrusted} as trusted, ${isDoubtful} as doubtful
        from ${token} k where k.token_id = p.token_id
          and case when p.nft_id is null then ${isPair} else ${isId} end
          ${asked.onlyTrusted ? sql`and ${isTrusted}` : sql``} limit 1
      ) k
      cross join spoken
      left join priced d on d.token_id = p.token_id
      cross join lateral (select case when k.standard = 20 then ${price} end as price offset 0) s
      ${asked.minValue === undefined ? sql`` : sql`where s.price is not null`}
    ),
    few as materialized (
      select count(*) <= ${mostDoubtful} as told from (
        select from held h where h.doubtful limit ${mostDoubtful + 1}) d
    )`
}

const joinedByUnion = ({ sql }: ChainSql, branches: ReadonlyArray<Fragment>): Fragment =>
  branches.length === 0
    ? sql`select null::int4 as token_id, null::numeric as nft_id, null::numeric as balance, null::int4 as changed where false`
    : sql`${branches.flatMap((branch, index) => (index === 0 ? [sql`(${branch})`] : [sql`union all`, sql`(${branch})`]))}`

/** Rows `h` of `held` that are in the list. */
export const isListed = ({ sql }: ChainSql, { minValue }: Pick<HeldBy, "minValue">): Fragment => sql`
  h.balance > 0 and not (h.doubtful and (select told from few))
  ${minValue === undefined ? sql`` : sql`and h.value >= ${String(minValue)}::numeric`}`

/** What is known of row `h` of `held`, as JSON: a `HoldingRow`. */
export const heldJson = (chain: ChainSql, at: At): Fragment => {
  const { sql, token, tokenNote, tokenAudit } = chain
  const found = sql`(${selectDoubt(chain, sql`h.token_id`)})`
  const doubt = at === undefined ? sql`case when h.doubtful then ${found} end` : found
  return sql`(
    select json_build_array('0x' || encode(h.holder, 'hex'), h.standard, '0x' || encode(h.address, 'hex'), h.nft_id::text,
      h.balance::text, h.changed, h.trusted, h.price::text, h.value::text,
      k.name, k.symbol, case when k.standard = 20 then k.decimals end,
      (select n.texts ->> 'image' from ${tokenNote} n where n.address = h.address),
      a.state, a.differed, ${doubt},
      h.doubtful and h.standard <> 1155 and ((h.nft_id is null and a.difference ->> 'counts' is not distinct from 'amounts')
        or exists (
          select from ${token} o where o.address = h.address and o.standard = case h.standard when 20 then 721 else 20 end)))
    from ${token} k left join ${tokenAudit} a on a.token_id = k.token_id where k.token_id = h.token_id)`
}

/** What may make rows `h` of `held` that are listed suspect, as JSON: pairs of a `DoubtRow` and of how many rows it is. */
export const selectDoubts = (chain: ChainSql, asked: Pick<HeldBy, "minValue">, at: At): Fragment => {
  const { sql } = chain
  return sql`
    select coalesce(json_agg(json_build_array(d.doubt, d.number)), '[]') from (
      select s.doubt, count(*) as number from held h cross join lateral (${selectDoubt(chain, sql`h.token_id`)}) s
      where ${isListed(chain, asked)} ${at === undefined ? sql`and h.doubtful` : sql``} group by s.doubt) d`
}

/** Columns `price` and `hash`: see the port. */
export const selectNativeFacts = (chain: ChainSql, wrapped: ReadonlyArray<Address>, at: At): Fragment => {
  const { sql, token, block } = chain
  return sql`
    (select s.price::text
     from (select ${at?.hour ?? null}::int4 as hour offset 0) spoken
     cross join unnest(${hexArray(wrapped)}::text::bytea[]) with ordinality w (address, place)
     cross join lateral (
       select k.token_id from ${token} k where k.address = w.address and k.standard = ${standardNumbers.erc20} limit 1) k
     cross join lateral (${selectPrice(chain, at)}) s
     where s.price is not null order by w.place limit 1) as price,
    (select '0x' || encode(b.hash, 'hex') from ${block} b
     where b.number = ${at === undefined ? sql`-1` : blockOf(sql, at.blockNumber)}) as hash`
}
