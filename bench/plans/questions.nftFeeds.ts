/** Questions to the ERC-721 and ERC-1155 feeds of the chain that `seedNfts` makes: tokens, ids, accounts, mints, burns. */
import { Effect } from "effect"
import type postgres from "postgres"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../src/model/transfer.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { limit, pages, type Question } from "./question.ts"
import { nftAccount, nftAddress } from "./seedNfts.ts"

type NftStandard = "erc721" | "erc1155"

export interface SeededFeed {
  readonly standard: NftStandard
  readonly chainId: ChainId
  readonly hotToken: Address
  /** Page 10,000 of the chain's feed, and of the hot token's. */
  readonly chainPlace: FeedKey
  readonly tokenPlace: FeedKey
}

export const findSeededFeeds = (sql: postgres.Sql, schema: string, chainId: ChainId) =>
  Promise.all(
    (["erc721", "erc1155"] as const).map(async (standard): Promise<SeededFeed> => {
      const hotToken = nftAddress(standard === "erc721" ? 721 : 1155, 1)
      const placeAt = async (depth: number, where: postgres.Fragment): Promise<FeedKey> => {
        const [row] = await sql`
          with feed as (select * from ${sql(`${schema}.${standard}_transfer`)} where ${where})
          select (pos >> 24)::int as block, (pos & 16777215)::int as log, sub, time::int from feed
          order by pos desc, sub desc offset (select least(${depth}, count(*) - 50) from feed) limit 1`
        return { chainId, blockNumber: row!.block, logIndex: row!.log, sub: row!.sub, time: row!.time }
      }
      const ofHot = sql`token_id = (select token_id from ${sql(`${schema}.token`)} where address = decode(${hotToken.slice(2)}, 'hex'))`
      const depth = 9_999 * limit
      const places = [await placeAt(depth, sql`true`), await placeAt(depth, ofHot)] as const
      return { standard, chainId, hotToken, chainPlace: places[0], tokenPlace: places[1] }
    }),
  )

const merged = "each of fifty gives a page's rows, of which one page is left"
const pairs = "all pairs of the account are looked at, to find those touched last"
const weighed = "ways are measured before the shortest is taken, and its rows looked through for those that pass"

export const nftFeeds = (feed: SeededFeed): ReadonlyArray<Question> => {
  const { standard, chainId, hotToken, chainPlace, tokenPlace } = feed
  const number = standard === "erc721" ? 721 : 1155
  const zero = nftAccount(0)
  const [exchange, trader, wallet] = [nftAccount(1), nftAccount(3), nftAccount(150_000)]
  const hot = { tokenAddress: [hotToken] }
  const ordinary = { tokenAddress: [nftAddress(number, 1_500)] }
  const upTo = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))
  const filters: ReadonlyArray<readonly [string, TransferFilter, FeedKey, string?]> = [
    ["the chain", {}, chainPlace],
    ["the chain, by a cursor of another", {}, { ...chainPlace, chainId: ChainId.make("1") }],
    ["a hot token", hot, tokenPlace],
    ["an ordinary token", ordinary, chainPlace],
    ["fifty hot tokens", { tokenAddress: upTo(50, (at) => nftAddress(number, at + 1)) }, chainPlace, merged],
    ["a hot token from a block on", { ...hot, blockNumberFrom: 1_000 }, tokenPlace],
    ["an id", { ...hot, tokenId: ["1"] }, tokenPlace],
    ["fifty ids", { ...hot, tokenId: upTo(50, String) }, tokenPlace, merged],
    ["an id from an exchange", { ...hot, tokenId: ["1"], from: [exchange] }, tokenPlace, weighed],
    ["an id by a wallet", { ...hot, tokenId: ["1"], address: [wallet] }, tokenPlace, weighed],
    ["mints of an id", { ...hot, tokenId: ["1"], from: [zero] }, tokenPlace, weighed],
    ["a wallet", { address: [wallet] }, chainPlace],
    ["an exchange", { address: [exchange] }, chainPlace, pairs],
    ["a trader", { address: [trader] }, chainPlace, pairs],
    ["a trader in a hot token", { ...hot, address: [trader] }, tokenPlace],
    ["an exchange in an ordinary token", { ...ordinary, address: [exchange] }, chainPlace],
    ["from a trader to an exchange", { from: [trader], to: [exchange] }, chainPlace, weighed],
    ["mints", { from: [zero] }, chainPlace],
    ["burns", { to: [zero] }, chainPlace],
    ["mints of a hot token", { ...hot, from: [zero] }, tokenPlace],
    ["burns of a hot token", { ...hot, to: [zero] }, tokenPlace],
    ["zero to zero", { from: [zero], to: [zero] }, chainPlace],
    ["zero to zero in a hot token", { ...hot, from: [zero], to: [zero] }, chainPlace],
  ]
  return filters.flatMap(([name, filter, key, excuse]) =>
    [
      ...pages(key).map(([place, page]) => ({ place, page, direction: "desc" as const, count: false })),
      { place: "asc", page: { limit }, direction: "asc" as const, count: false },
      { place: "with count", page: { limit }, direction: "desc" as const, count: true },
    ].map(
      ({ place, ...asked }): Question => ({
        name: `${standard} transfers of ${name}, ${place}`,
        ask: TransferStore.use((it) => it.list({ standard, chains: [chainId], filter, ...asked })).pipe(
          Effect.map(({ value }) => Math.max(value.items.length, value.count?.count ?? 0)),
        ),
        ...(excuse === undefined ? {} : { excuse }),
      }),
    ),
  )
}
