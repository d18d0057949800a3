/** Page 10,000 by cursor against page 1, and where that page is. */
import { Effect } from "effect"
import type postgres from "postgres"
import { standardNumbers } from "../../src/adapters/postgres/database/chainSql.ts"
import type { Erc1155HolderKey } from "../../src/model/holder.ts"
import type { Address, ChainId } from "../../src/model/primitives.ts"
import type { NftKey, Standard } from "../../src/model/token.ts"
import type { FeedKey } from "../../src/model/transfer.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { quantile } from "../support/output.ts"
import type { Stores } from "../support/stores.ts"
import type { Depths } from "./question.ts"
import type { SeededFeed } from "./questions.nftFeeds.ts"
import { placeInFeed, type Subjects } from "./subjects.ts"

const limit = 25
/** Rows before page 10,000, or as near as the list goes. */
const far = (rows: number): number => Math.max(0, Math.min(9_999 * limit, rows - 2 * limit))

export const findDepths = async (sql: postgres.Sql, schema: string, subjects: Subjects): Promise<Depths> => {
  const { chainId, hotToken, collection, goods, transfers } = subjects
  const table = (name: string) => sql(`${schema}.${name}`)
  const [hot] = await sql`
    select token_id, transfers::int, holders::int from ${table("token_stat")} where standard = 20 and address = decode(${hotToken.slice(2)}, 'hex')`
  const [holder] = await sql`
    select '0x' || encode(holder, 'hex') as address, balance::text from ${table("balance")}
    where token_id = ${hot!.token_id} and balance > 0 and octet_length(holder) = 20
    order by balance desc, holder offset ${far(hot!.holders)} limit 1`
  return {
    feed: await placeInFeed(sql, schema, chainId, far(transfers)),
    tokenFeed: await placeInFeed(sql, schema, chainId, far(hot!.transfers), hotToken),
    holders: { address: holder!.address, balance: holder!.balance },
    ids: await middleId(sql, schema, collection),
    units: await middleUnit(sql, schema, goods),
    tokens: {
      erc20: await middleToken(sql, schema, chainId, "erc20"),
      erc721: await middleToken(sql, schema, chainId, "erc721"),
      erc1155: await middleToken(sql, schema, chainId, "erc1155"),
    },
  }
}

/** A token of the middle of its list, as a place in each sort. */
const middleToken = async (sql: postgres.Sql, schema: string, chainId: ChainId, standard: Standard) => {
  const [token, stat] = [sql(`${schema}.token`), sql(`${schema}.token_stat`)]
  const number = standardNumbers[standard]
  const [middle] = await sql`
    select '0x' || encode(t.address, 'hex') as address, t.sort_time::int as "createdAt", coalesce(t.name, 'M') as name,
      s.holders::int as "holdersCount", s.last_24h as transfers
    from ${token} t join ${stat} s using (token_id) where t.standard = ${number}
    order by t.name is null, t.token_id offset (select count(*) / 2 from ${token} where standard = ${number}) limit 1`
  const place = (value: number | string) => ({ value, chainId, address: middle!.address as Address })
  return {
    createdAt: place(middle!.createdAt),
    holdersCount: place(middle!.holdersCount),
    transfers: place(middle!.transfers),
    name: place(middle!.name),
    // Without a market capitalisation, as all are here: by holders.
    marketCap: place(middle!.holdersCount),
  }
}

const middleId = async (sql: postgres.Sql, schema: string, collection: string): Promise<NftKey> => {
  const [row] = await sql`
    with live as (
      select n.nft_id from ${sql(`${schema}.nft`)} n join ${sql(`${schema}.token_stat`)} s using (token_id)
      where s.standard = 721 and s.address = decode(${collection.slice(2)}, 'hex') and n.owner is not null
    )
    select nft_id::text as "tokenId" from live order by nft_id offset (select count(*) / 2 from live) limit 1`
  return { tokenId: row!.tokenId }
}

const middleUnit = async (sql: postgres.Sql, schema: string, goods: string): Promise<Erc1155HolderKey> => {
  const [row] = await sql`
    with held as (
      select b.holder, b.nft_id, b.balance from ${sql(`${schema}.unit_balance`)} b join ${sql(`${schema}.token_stat`)} s using (token_id)
      where s.standard = 1155 and s.address = decode(${goods.slice(2)}, 'hex') and b.balance > 0
    )
    select '0x' || encode(holder, 'hex') as address, nft_id::text as "tokenId", balance::text
    from held order by held.balance desc, holder, nft_id offset (select count(*) / 2 from held) limit 1`
  return { address: row!.address, tokenId: row!.tokenId, balance: row!.balance }
}

/** A line for each list: milliseconds of both pages, middle of many tries in turn. */
export const compareDepths = async (
  stores: Stores,
  subjects: Subjects,
  depths: Depths,
  seeded: ReadonlyArray<SeededFeed>,
): Promise<ReadonlyArray<string>> => {
  const { chainId, hotToken } = subjects
  const feedOf = (standard: Standard, chain: ChainId) => (tokenAddress?: ReadonlyArray<Address>, after?: FeedKey) =>
    TransferStore.use((it) =>
      it.list({
        standard,
        chains: [chain],
        filter: tokenAddress === undefined ? {} : { tokenAddress },
        direction: "desc",
        page: { limit, ...(after === undefined ? {} : { after }) },
        count: false,
      }),
    ).pipe(Effect.asVoid)
  const feed = feedOf("erc20", chainId)
  const holders = (after?: Depths["holders"]) =>
    HolderStore.use((it) =>
      it.list("erc20", {
        chainId,
        token: hotToken,
        page: { limit, ...(after === undefined ? {} : { after }) },
        count: false,
      }),
    ).pipe(Effect.asVoid)
  const lists = [
    ["transfers of the chain", feed(), feed(undefined, depths.feed)],
    ["transfers of a hot token", feed([hotToken]), feed([hotToken], depths.tokenFeed)],
    ...seeded.flatMap(({ standard, hotToken: hot, chainPlace, tokenPlace, ...made }) => {
      const nftFeed = feedOf(standard, made.chainId)
      return [
        [`${standard} transfers of the seeded chain`, nftFeed(), nftFeed(undefined, chainPlace)] as const,
        [`${standard} transfers of its hot token`, nftFeed([hot]), nftFeed([hot], tokenPlace)] as const,
      ]
    }),
    ["holders of a hot token", holders(), holders(depths.holders)],
  ] as const
  const lines: Array<string> = []
  for (const [name, first, deep] of lists) {
    const times: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round < 200; round++) {
      for (const [index, ask] of [first, deep].entries()) {
        const before = performance.now()
        await stores.run(ask)
        if (round >= 20) times[index]!.push(performance.now() - before)
      }
    }
    const [near, distant] = times.map((values) => quantile(values, 0.5).toFixed(2))
    lines.push(`  ${name}: page 1 in ${near} ms, page 10,000 (or the last) by cursor in ${distant} ms`)
  }
  return lines
}
