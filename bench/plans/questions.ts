/** Every question that the read ports can be asked, of hot and of ordinary tokens and holders, near and far. */
import { Effect } from "effect"
import type { StoreError } from "../../src/domain/model/errors.ts"
import type { HolderKey } from "../../src/domain/model/holder.ts"
import type { PageRequest, Rows } from "../../src/domain/model/page.ts"
import type { TokenKey } from "../../src/domain/model/token.ts"
import type { FeedKey, TransferFilter } from "../../src/domain/model/transfer.ts"
import { Freshness } from "../../src/ports/Freshness.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { type TokensQuery, TokenStore } from "../../src/ports/TokenStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import type { ReadPorts } from "../support/stores.ts"
import type { Subjects } from "./subjects.ts"

export interface Question {
  readonly name: string
  /** Gives how many rows the answer has, or counts. */
  readonly ask: Effect.Effect<number, StoreError, ReadPorts>
  /** Why it may read more than 20 times the rows it returns. */
  readonly excuse?: string
}

/** Places far from the start of each list. */
export interface Depths {
  readonly feed: FeedKey
  readonly tokenFeed: FeedKey
  readonly holders: HolderKey
  readonly tokens: Readonly<Record<TokensQuery["sort"]["field"], TokenKey>>
}

const limit = 25

export const questionsOf = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => [
  ...feeds(subjects, depths),
  ...walks(subjects, depths),
  ...lists(subjects, depths),
  ...holders(subjects, depths),
  ...points(subjects),
]

/** The first page, one far in, and the one before that. */
const pages = <Key>(key: Key): ReadonlyArray<readonly [string, PageRequest<Key>]> => [
  ["page 1", { limit }],
  ["deep page", { limit, after: key }],
  ["page before a deep one", { limit, before: key }],
]

const rowsOf = ({ value }: { readonly value: Rows<unknown, unknown> }): number =>
  Math.max(value.items.length, value.count?.count ?? 0)

const transfers = (
  { chainId }: Subjects,
  filter: TransferFilter,
  page: PageRequest<FeedKey>,
  direction: "asc" | "desc" = "desc",
  count = false,
) =>
  TransferStore.use((it) => it.list({ standard: "erc20",  chains: [chainId], filter, direction, page, count })).pipe(
    Effect.map(rowsOf),
  )

const feeds = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
  const { hotToken, middleToken, rareToken, fiftyTokens, head } = subjects
  const middle = Math.floor(head / 2)
  const filters: ReadonlyArray<readonly [string, TransferFilter, FeedKey]> = [
    ["the chain", {}, depths.feed],
    ["a hot token", { tokenAddress: [hotToken] }, depths.tokenFeed],
    ["an ordinary token", { tokenAddress: [middleToken] }, depths.feed],
    ["a rare token", { tokenAddress: [rareToken] }, depths.feed],
    ["fifty hot tokens", { tokenAddress: fiftyTokens }, depths.feed],
    ["the chain between two blocks", { blockNumberFrom: middle - 100, blockNumberTo: middle }, depths.feed],
    ["a hot token from a block on", { tokenAddress: [hotToken], blockNumberFrom: middle }, depths.tokenFeed],
  ]
  return filters.flatMap(([name, filter, key]) =>
    (["desc", "asc"] as const).flatMap((direction) => [
      ...pages(key).map(
        ([place, page]): Question => ({
          name: `transfers of ${name}, ${direction}, ${place}`,
          ask: transfers(subjects, filter, page, direction),
          ...(name === "fifty hot tokens"
            ? { excuse: "each of the tokens gives a page's rows, of which one page is left" }
            : {}),
        }),
      ),
      {
        name: `transfers of ${name}, ${direction}, with count`,
        ask: transfers(subjects, filter, { limit }, direction, true),
        ...(name === "fifty hot tokens"
          ? { excuse: "each of the tokens gives a page's rows, of which one page is left" }
          : {}),
      },
    ]),
  )
}

/** Filters by account, which follow the blocks that touched it. */
const walks = (subjects: Subjects, { feed }: Depths): ReadonlyArray<Question> => {
  const { hotToken, middleToken, exchange, trader, wallet } = subjects
  const zero = `0x${"0".repeat(40)}`
  const crowded = "in each block that touched the pair all rows of the token are looked at, and a hot token has many"
  const filters: ReadonlyArray<readonly [string, TransferFilter, string?]> = [
    ["a wallet", { address: [wallet] }],
    ["an exchange", { address: [exchange] }, "an exchange's pairs are all looked at, to find those touched last"],
    ["a trader", { address: [trader] }, "a trader's pairs are all looked at, to find those touched last"],
    ["a trader in a hot token", { address: [trader], tokenAddress: [hotToken] }, crowded],
    ["an exchange in an ordinary token", { address: [exchange], tokenAddress: [middleToken] }],
    ["from a trader in a hot token", { from: [trader], tokenAddress: [hotToken] }, crowded],
    ["to a trader in a hot token", { to: [trader], tokenAddress: [hotToken] }, crowded],
    [
      "from a trader to an exchange",
      { from: [trader], to: [exchange] },
      "blocks that touched one of the two are looked through for transfers between them",
    ],
    ["mints", { from: [zero] }],
    ["burns", { to: [zero] }],
    ["mints of a hot token", { from: [zero], tokenAddress: [hotToken] }],
    ["burns of a hot token", { to: [zero], tokenAddress: [hotToken] }],
  ]
  return filters.flatMap(([name, filter, excuse]) => [
    ...pages(feed).map(
      ([place, page]): Question => ({
        name: `transfers by account: ${name}, ${place}`,
        ask: transfers(subjects, filter, page),
        ...(excuse === undefined ? {} : { excuse }),
      }),
    ),
    {
      name: `transfers by account: ${name}, asc`,
      ask: transfers(subjects, filter, { limit }, "asc"),
      ...(excuse === undefined ? {} : { excuse }),
    },
    {
      name: `transfers by account: ${name}, with count`,
      ask: transfers(subjects, filter, { limit }, "desc", true),
      ...(excuse === undefined ? {} : { excuse }),
    },
  ])
}

const lists = ({ chainId }: Subjects, { tokens }: Depths): ReadonlyArray<Question> =>
  (["createdAt", "holdersCount", "name"] as const).flatMap((field) =>
    (["desc", "asc"] as const).flatMap((direction) =>
      pages(tokens[field]).map(
        ([place, page]): Question => ({
          name: `tokens by ${field}, ${direction}, ${place}`,
          ask: TokenStore.use((it) =>
            it.list({ standard: "erc20",  chains: [chainId], sort: { field, direction }, page, count: place === "page 1" }),
          ).pipe(Effect.map(({ value }) => value.items.length)),
        }),
      ),
    ),
  )

const holders = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
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

/** One value each. */
const points = (subjects: Subjects): ReadonlyArray<Question> => {
  const { chainId, hotToken, exchange, trader, wallet, head } = subjects
  const blocks = [undefined, head, Math.floor(head / 2), 1]
  const at = (block: number | undefined) => (block === undefined ? "now" : `at block ${block}`)
  return [
    { name: "the chain's newest block", ask: Freshness.use((it) => it.asOf([chainId])).pipe(Effect.as(1)) },
    { name: "one token", ask: TokenStore.use((it) => it.findErc20(chainId, hotToken)).pipe(Effect.as(1)) },
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
    ...[
      ["a wallet", wallet],
      ["an exchange", exchange],
    ].map(
      ([name, holder]): Question => ({
        name: `holdings of ${name}`,
        ask: HolderStore.use((it) => it.listHoldings("erc20", chainId, holder!, { page: 1, offset: 100 })).pipe(
          Effect.map(({ value }) => value.length),
        ),
        ...(name === "an exchange"
          ? { excuse: "holdings are sorted by contract address, which no index of balances has" }
          : {}),
      }),
    ),
  ]
}
