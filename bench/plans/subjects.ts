/** Who the statements ask about: the hottest tokens and holders of a ledger, and ordinary ones. */
import type postgres from "postgres"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import type { FeedKey } from "../../src/model/transfer.ts"

export interface Subjects {
  readonly chainId: ChainId
  readonly head: number
  readonly transfers: number
  /** The token with most transfers, one in the middle, one with few. */
  readonly hotToken: Address
  readonly middleToken: Address
  readonly rareToken: Address
  readonly fiftyTokens: ReadonlyArray<Address>
  /** The account in most tokens (an exchange), the busiest of the hot token, one with one token. */
  readonly exchange: Address
  readonly trader: Address
  readonly wallet: Address
  /** The ERC-721 contract with most live ids and the account that owns most of them. */
  readonly collection: Address
  readonly collector: Address
  /** The ERC-1155 contract with most rows of address and id. */
  readonly goods: Address
}

export const findSubjects = async (sql: postgres.Sql, schema: string, chainId: number): Promise<Subjects> => {
  const table = (name: string) => sql(`${schema}.${name}`)
  const [state] = await sql`select next_block - 1 as head, erc20_transfers::int as transfers from ${table("state")}`
  const tokens = await sql<Array<{ address: Address; token_id: number }>>`
    select '0x' || encode(address, 'hex') as address, token_id from ${table("token_stat")} where standard = 20 order by transfers desc, address`
  const [collection, goods] = await Promise.all(
    [721, 1155].map(async (standard) => {
      const [most] = await sql`
        select '0x' || encode(address, 'hex') as address, token_id from ${table("token_stat")}
        where standard = ${standard} order by ids desc, address limit 1`
      return most!
    }),
  )
  const hot = tokens[0]!
  const [exchange] = await sql`
    select '0x' || encode(holder, 'hex') as holder from ${table("balance")} where octet_length(holder) = 20
    group by holder order by count(*) desc limit 1`
  const [trader] = await sql`
    select '0x' || encode(b.holder, 'hex') as holder from ${table("balance")} b
    where b.token_id = ${hot.token_id} and octet_length(b.holder) = 20
    order by (select count(*) from ${table("balance_history")} h where h.token_id = b.token_id and h.holder_no = b.holder_no) desc
    limit 1`
  const [collector] = await sql`
    select '0x' || encode(owner, 'hex') as owner from ${table("nft")}
    where token_id = ${collection!.token_id} and owner is not null group by owner order by count(*) desc limit 1`
  const [wallet] = await sql`
    select '0x' || encode(holder, 'hex') as holder from ${table("balance")}
    where octet_length(holder) = 20 and balance > 0 group by holder having count(*) = 1 order by holder limit 1`
  return {
    chainId: ChainId.make(`${chainId}`),
    head: state!.head,
    transfers: state!.transfers,
    hotToken: hot.address,
    middleToken: tokens[Math.floor(tokens.length / 2)]!.address,
    rareToken: tokens.at(-1)!.address,
    fiftyTokens: tokens.slice(0, 50).map(({ address }) => address),
    exchange: exchange!.holder,
    trader: trader!.holder,
    wallet: wallet!.holder,
    collection: collection!.address,
    collector: collector!.owner,
    goods: goods!.address,
  }
}

/** The place of the row that `depth` rows precede in a feed, newest first; of one token, or of the chain. */
export const placeInFeed = async (
  sql: postgres.Sql,
  schema: string,
  chainId: ChainId,
  depth: number,
  token?: Address,
): Promise<FeedKey> => {
  const ofToken =
    token === undefined
      ? sql`true`
      : sql`token_id = (select token_id from ${sql(`${schema}.token`)} where standard = 20 and address = decode(${token.slice(2)}, 'hex'))`
  const [row] = await sql`
    select (pos >> 24)::int as block, (pos & 16777215)::int as log, time::int from ${sql(`${schema}.erc20_transfer`)}
    where ${ofToken} order by pos desc offset ${depth} limit 1`
  return { chainId, blockNumber: row!.block, logIndex: row!.log, time: row!.time, sub: 0 }
}
