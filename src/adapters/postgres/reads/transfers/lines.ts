/** A page of one chain's transfers as lines, with what is known of their tokens said once: a fifth of what JSON of every row costs the server. */
import type { Fragment } from "postgres"
import type { Address, ChainId, Hash } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { positionOrder, type TransferFeed } from "../feed/feed.ts"
import { ownColumns, type Page, selectPrice, windowHash } from "./page.ts"
import type { TransferRow } from "./record.ts"

/** What the statement gives. A line's fields stand between spaces, `-` for none: there is nothing to escape. */
export interface TransferLines {
  /** By commas, in the order read. */
  readonly lines: string
  /** By token_id. */
  readonly tokens: Readonly<Record<string, TransferRow["token"]>>
  /** Of an ERC-20, by token_id and hour, where one is known. */
  readonly prices?: Readonly<Record<string, string>>
}

export const noLines: TransferLines = { lines: "", tokens: {} }

/** Which fields the lines of a page have, beside those of all. */
export interface LineShape extends Pick<Page, "standard" | "include" | "wraps"> {
  readonly chainId: ChainId
}

/** `TransferLines` of a chain's branches, cut at `limit`. What is known of a token is looked up once, a price once an hour. */
export const selectLines = (
  chain: ChainSql,
  feed: TransferFeed,
  branch: Fragment,
  { standard, include, wraps, limit, direction }: Omit<Page, "branches">,
): Fragment => {
  const { sql, token } = chain
  const own = ownColumns[standard].map((column) => sql`, page.${sql(column)}`)
  const extras = [sql``, ...include.map((extra) => sql`, coalesce((${extraOf(chain, extra)})::text, '-')`)]
  const wrap = wraps && standard === "erc20" ? sql`, coalesce(page.wrap::text, '-')` : sql``
  const prices = sql`, 'prices', (
      select coalesce(json_object_agg(asked.token_id || ' ' || asked.hour, asked.price), '{}') from (
        select hourly.token_id, hourly.hour, (${selectPrice(chain, sql`hourly.token_id`, sql`hourly.hour`)}) as price
        from (select distinct page.token_id, page.time / 3600 as hour from page) hourly
        offset 0 -- else a price is looked up twice: for the condition and for the answer
      ) asked where asked.price is not null)`
  return sql`
    with page as materialized (
      select page.* from (${branch}) page order by ${positionOrder(feed, "page", direction)} limit ${limit})
    select json_build_object(
      'lines', (select coalesce(string_agg(concat_ws(' ', page.pos >> 24, page.pos & 16777215, page.time, page.token_id,
        encode(page.tx_hash || page.from_addr || page.to_addr, 'hex') ${own} ${extras} ${wrap}), ','), '') from page),
      'tokens', (
        select coalesce(json_object_agg(k.token_id,
          json_build_array('0x' || encode(k.address, 'hex'), k.name, k.symbol, k.decimals)), '{}')
        from (select distinct page.token_id from page) shown cross join lateral (
          select * from ${token} k where k.token_id = shown.token_id limit 1) k)
      ${standard === "erc20" ? prices : sql``})`
}

const extraOf = (chain: ChainSql, extra: TransferFeed["include"][number]): Fragment => {
  const { sql } = chain
  if (extra === "blockHash") return windowHash(chain)
  return extra === "operator" ? sql`'0x' || encode(page.operator, 'hex')` : sql`page.tx_index`
}

/** Lengths of hexadecimal digits. */
const addressLength = 40

/** Which field of a line stands where. */
const placesOf = ({ standard, include, wraps }: LineShape) => {
  const names = [...ownColumns[standard], ...include, ...(wraps && standard === "erc20" ? ["wrap"] : [])]
  const placeOf = (name: string): number | undefined => (names.includes(name) ? 5 + names.indexOf(name) : undefined)
  return {
    sub: placeOf("sub"),
    nftId: placeOf("nft_id"),
    amount: placeOf("amount"),
    transactionIndex: placeOf("transactionIndex"),
    operator: placeOf("operator"),
    blockHash: placeOf("blockHash"),
    wrap: placeOf("wrap"),
  }
}

/** The rows, in their order. */
export const rowsOfLines = (shape: LineShape, { lines, tokens, prices = {} }: TransferLines): Array<TransferRow> => {
  if (lines === "") return []
  const places = placesOf(shape)
  const { chainId } = shape
  return lines.split(",").map((line) => {
    const fields = line.split(" ")
    const textAt = (place: number): string | null => (fields[place] === "-" ? null : fields[place]!)
    const [block, log, seconds, tokenId, hex] = fields as [string, string, string, string, string]
    const time = Number(seconds)
    const to = hex.length - addressLength
    const from = to - addressLength
    const price = prices[`${tokenId} ${Math.floor(time / 3600)}`]
    const { sub, nftId, amount, transactionIndex, operator, blockHash, wrap } = places
    const row: { -readonly [Name in keyof TransferRow]: TransferRow[Name] } = {
      chain_id: chainId,
      block_number: Number(block),
      log_index: Number(log),
      time,
      tx_hash: `0x${hex.slice(0, from)}` as Hash,
      from_addr: `0x${hex.slice(from, to)}` as Address,
      to_addr: `0x${hex.slice(to)}` as Address,
      token: price === undefined ? tokens[tokenId]! : withPrice(tokens[tokenId]!, price),
    }
    if (sub !== undefined) row.sub = Number(fields[sub])
    if (nftId !== undefined) row.nft_id = fields[nftId]!
    if (amount !== undefined) row.amount = fields[amount]!
    if (transactionIndex !== undefined) row.tx_index = numberOf(textAt(transactionIndex))
    if (operator !== undefined) row.operator = textAt(operator) as Address | null
    if (blockHash !== undefined) row.block_hash = textAt(blockHash) as Hash | null
    if (wrap !== undefined) row.wrap = textAt(wrap) as "deposit" | "withdrawal" | null
    return row
  })
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))

const withPrice = ([address, name, symbol, decimals]: TransferRow["token"], price: string): TransferRow["token"] => [
  address,
  name,
  symbol,
  decimals,
  price,
]
