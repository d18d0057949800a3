/** Questions to the lists of tokens, holders and ids, and for single values. */
import { Effect } from "effect"
import type { AsOf } from "../../src/model/block.ts"
import { type ChainId, Hash } from "../../src/model/primitives.ts"
import { standards, tokenSortFields } from "../../src/model/token.ts"
import { Freshness } from "../../src/ports/Freshness.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { NftStore } from "../../src/ports/NftStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { type Depths, limit, pages, type Question } from "./question.ts"
import type { Subjects } from "./subjects.ts"

export const lists = ({ chainId }: Subjects, { tokens }: Depths): ReadonlyArray<Question> =>
  standards.flatMap((standard) =>
    tokenSortFields.flatMap((field) =>
      (["desc", "asc"] as const).flatMap((direction) =>
        pages(tokens[standard][field]).map(
          ([place, page]): Question => ({
            name: `${standard} tokens by ${field}, ${direction}, ${place}`,
            ask: TokenStore.use((it) =>
              it.list({ standard, chains: [chainId], sort: { field, direction }, page, count: place === "page 1" }),
            ).pipe(Effect.map(({ value }) => value.items.length)),
          }),
        ),
      ),
    ),
  )

/** Of an ERC-721 contract: its ids, who owns them, what an owner has. Of an ERC-1155 contract: rows of address and id. */
export const nfts = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
  const { chainId, collection, collector, goods } = subjects
  return [
    ...pages(depths.ids).map(
      ([place, page]): Question => ({
        name: `ids of a collection, ${place}`,
        ask: NftStore.use((it) => it.list({ chainId, token: collection, page, count: place === "page 1" })).pipe(
          Effect.map(({ value }) => value.items.length),
        ),
      }),
    ),
    ...pages(depths.units).map(
      ([place, page]): Question => ({
        name: `holders of an ERC-1155 contract, ${place}`,
        ask: HolderStore.use((it) => it.listErc1155({ chainId, token: goods, page, count: place === "page 1" })).pipe(
          Effect.map(({ value }) => value.items.length),
        ),
      }),
    ),
    {
      name: "owners of a collection",
      ask: HolderStore.use((it) =>
        it.list("erc721", { chainId, token: collection, page: { limit }, count: true }),
      ).pipe(Effect.map(({ value }) => value.items.length)),
    },
    {
      name: "ids of a collection that an account owns",
      ask: NftStore.use((it) =>
        it.listInventory({ chainId, token: collection, owner: collector, window: { page: 1, offset: 100 } }),
      ).pipe(Effect.map(({ value }) => value.length)),
    },
  ]
}

export const holders = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
  const { chainId, hotToken, middleToken, rareToken } = subjects
  const tokens = [
    ["a hot token", hotToken],
    ["an ordinary token", middleToken],
    ["a rare token", rareToken],
  ] as const
  return tokens.flatMap(([name, token]) => [
    ...pages(depths.holders).map(
      ([place, page]): Question => ({
        name: `holders of ${name}, ${place}`,
        ask: HolderStore.use((it) => it.list("erc20", { chainId, token, page, count: place === "page 1" })).pipe(
          Effect.map(({ value }) => value.items.length),
        ),
      }),
    ),
    ...[1, 100].map(
      (page): Question => ({
        name: `holders of ${name} by page and offset, page ${page} of 100`,
        ask: HolderStore.use((it) => it.listWindow(chainId, token, { page, offset: 100 })).pipe(
          Effect.map(({ value }) => value.length),
        ),
        ...(page === 1
          ? {}
          : { excuse: "paging by number skips what comes before; the window is at most 10,000 rows" }),
      }),
    ),
    {
      name: `number of holders of ${name}`,
      ask: HolderStore.use((it) => it.count(chainId, token)).pipe(Effect.as(1)),
    },
  ])
}

/** Of a block near the head, of one in the middle of the chain, and of its beginning. */
export const asOfBlock = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
  const { chainId, hotToken, rareToken, collection, collector, goods, exchange, head } = subjects
  const excuse = "no index has the balances of an old block: every pair that ever was is read once, and sorted"
  const window = { page: 1, offset: 100 }
  return [head, head - 20, Math.floor(head / 2), 1].flatMap((blockNumber): ReadonlyArray<Question> => {
    const at = `at block ${blockNumber} of ${head}`
    const all = { count: true, blockNumber, chainId }
    return [
      ...pages(depths.holders).map(
        ([place, page]): Question => ({
          name: `holders of a hot token ${at}, ${place}`,
          ask: HolderStore.use((it) => it.list("erc20", { ...all, token: hotToken, page })).pipe(
            Effect.map(({ value }) => value.items.length),
          ),
          excuse,
        }),
      ),
      ...pages(depths.units).map(
        ([place, page]): Question => ({
          name: `holders of an ERC-1155 contract ${at}, ${place}`,
          ask: HolderStore.use((it) => it.listErc1155({ ...all, token: goods, page })).pipe(
            Effect.map(({ value }) => value.items.length),
          ),
          excuse,
        }),
      ),
      {
        name: `owners of a collection ${at}`,
        ask: HolderStore.use((it) => it.list("erc721", { ...all, token: collection, page: { limit } })).pipe(
          Effect.map(({ value }) => value.items.length),
        ),
        excuse,
      },
      {
        name: `holders of a rare token by page and offset ${at}`,
        ask: HolderStore.use((it) => it.listWindow(chainId, rareToken, window, blockNumber)).pipe(
          Effect.map(({ value }) => value.length),
        ),
        excuse,
      },
      {
        name: `number of holders of a hot token ${at}`,
        ask: HolderStore.use((it) => it.count(chainId, hotToken, blockNumber)).pipe(Effect.as(1)),
        excuse,
      },
      ...pages(depths.ids).map(
        ([place, page]): Question => ({
          name: `ids of a collection ${at}, ${place}`,
          ask: NftStore.use((it) => it.list({ ...all, token: collection, page })).pipe(
            Effect.map(({ value }) => value.items.length),
          ),
          excuse: "ids that did not live then are passed over",
        }),
      ),
      {
        name: `ids of a collection that an account owned ${at}`,
        ask: NftStore.use((it) =>
          it.listInventory({ chainId, token: collection, owner: collector, window, blockNumber }),
        ).pipe(Effect.map(({ value }) => value.length)),
        excuse: "every block that touched the account in the collection is looked into",
      },
      {
        name: `erc20 holdings of an exchange ${at}`,
        ask: HolderStore.use((it) => it.listHoldings("erc20", { chainId, holder: exchange, window, blockNumber })).pipe(
          Effect.map(({ value }) => value.length),
        ),
        excuse: "holdings are sorted by contract address, which no index of balances has",
      },
    ]
  })
}

/** As far as a reader has seen the ledger. */
const pointAt = (chainId: ChainId, blockNumber: number): AsOf => ({
  ...{ chainId, blockNumber, hash: Hash.make(`0x${"00".repeat(32)}`), time: 0, finality: "latest" as const },
  ...{ nodeHead: blockNumber, firstBlock: 0, revision: 0, figures: 0, rewrites: 0 },
})

/** One value each. */
export const points = (subjects: Subjects): ReadonlyArray<Question> => {
  const { chainId, hotToken, exchange, trader, wallet, head } = subjects
  const blocks = [undefined, head, Math.floor(head / 2), 1]
  const at = (block: number | undefined) => (block === undefined ? "now" : `at block ${block}`)
  return [
    { name: "the chain's newest block", ask: Freshness.use((it) => it.asOf([chainId])).pipe(Effect.as(1)) },
    ...[1, 100, 10_000].map(
      (count): Question => ({
        name: `what ${count} blocks touched`,
        ask: Freshness.use((it) => it.touched(pointAt(chainId, head - count))).pipe(Effect.as(1)),
        excuse: "the rows of those blocks are read, 4,097 of each feed at most",
      }),
    ),
    { name: "one token", ask: TokenStore.use((it) => it.find(chainId, hotToken)).pipe(Effect.as(1)) },
    ...blocks.flatMap(
      (block): ReadonlyArray<Question> => [
        {
          name: `balance of a trader ${at(block)}`,
          ask: HolderStore.use((it) => it.findBalance(chainId, hotToken, trader, block)).pipe(Effect.as(1)),
        },
        {
          name: `supply of a hot token ${at(block)}`,
          ask: SupplyStore.use((it) => it.find(chainId, hotToken, block)).pipe(Effect.as(1)),
        },
      ],
    ),
    ...(["erc20", "erc721"] as const).flatMap((standard) =>
      [["a wallet", wallet] as const, ["an exchange", exchange] as const].map(
        ([name, holder]): Question => ({
          name: `${standard} holdings of ${name}`,
          ask: HolderStore.use((it) =>
            it.listHoldings(standard, { chainId, holder, window: { page: 1, offset: 100 } }),
          ).pipe(Effect.map(({ value }) => value.length)),
          ...(name === "an exchange"
            ? { excuse: "holdings are sorted by contract address, which no index of balances has" }
            : {}),
        }),
      ),
    ),
  ]
}
