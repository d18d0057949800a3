/** Questions of wallets: what addresses hold, what it was worth through time; and of single tokens, of search, of a holder's rank. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../src/model/primitives.ts"
import { searchTextOf } from "../../src/model/search/searchText.ts"
import type { HeldSort } from "../../src/model/wallet/heldOrder.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { TokenHistories, type Versioned } from "../../src/ports/TokenHistories.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { type HeldBy, WalletStore } from "../../src/ports/WalletStore.ts"
import { limit, type Question } from "./question.ts"
import { walletAccounts, walletDays, walletToken } from "./seedWallets.ts"
import type { Subjects } from "./subjects.ts"

const day = 86_400
const sorts: ReadonlyArray<HeldSort> = [
  { field: "valueUsd", direction: "desc" },
  { field: "tokenAddress", direction: "asc" },
]
const allPairs = "a wallet's order by value is in no index: its pairs are read for each page (decision 143)"
const manyPairs =
  "more than 1,000 pairs: the pairs, and all tokens that have a price or are trusted, are read once each"

/** A block far behind, and its hour. */
const past = { blockNumber: 40_000, hour: walletDays.first / 3600 + Math.floor(40_000 / 6) }

/** Of the chain that `seedWallets` makes. */
export const walletQuestions = (chainId: ChainId): ReadonlyArray<Question> => {
  const base: HeldBy = {
    chains: [chainId],
    holders: [],
    standards: ["erc20", "erc721", "erc1155"],
    onlyTrusted: false,
    byId: false,
  }
  const at = [{ chainId, ...past }]
  const which: ReadonlyArray<readonly [string, Partial<HeldBy>]> = [
    ["all", {}],
    ["trusted", { onlyTrusted: true }],
    ["worth a dollar", { minValue: 10n ** 18n }],
    ["worth a dollar, as of a block", { minValue: 10n ** 18n, at }],
    ["by id", { byId: true }],
  ]
  const wallets = Object.entries(walletAccounts).flatMap(([name, holder]) =>
    which.flatMap(([some, more]): ReadonlyArray<Question> => {
      const query = { ...base, holders: [holder], ...more }
      const excuse = name === "spammed" ? manyPairs : allPairs
      return [
        ...sorts.map(
          (sort): Question => ({
            name: `holdings of the ${name} wallet, ${some}, by ${sort.field}`,
            ask: WalletStore.use((it) => it.list({ ...query, sort, page: { limit }, count: true })).pipe(
              Effect.map(({ value }) => value.items.length),
            ),
            excuse,
          }),
        ),
        {
          name: `portfolio of the ${name} wallet, ${some}`,
          ask: WalletStore.use((it) => it.total(query)).pipe(Effect.map(({ value }) => value.totals[0]?.rows ?? 0)),
          excuse,
        },
      ]
    }),
  )
  const native: Question = {
    name: "what the native currency costs",
    ask: WalletStore.use((it) => it.nativeFacts(chainId, [walletToken], past)).pipe(Effect.as(1)),
  }
  return [...wallets, native, ...throughTime(chainId)]
}

const throughTime = (chainId: ChainId): ReadonlyArray<Question> => {
  const { usual, busy } = walletAccounts
  const first = Math.ceil(walletDays.first / day) * day
  const times = (number: number, step: number) => Array.from({ length: number }, (_, index) => first + index * step)
  const blocks = Array.from({ length: limit }, (_, index) => 30_000 + 501 * index)
  const moments = [
    ["365 days", { times: times(365, day) }],
    ["25 days", { times: times(limit, day) }],
    ["500 hours", { times: times(500, 3600) }],
    ["25 blocks", { blocks }],
  ] as const
  const page = { limit }
  const direction = "desc"
  const versioned: ReadonlyArray<readonly [string, Versioned]> = [
    ["a balance", { of: "balance", token: walletToken, holder: busy }],
    ["a supply", { of: "supply", token: walletToken }],
  ]
  return [
    ...moments.flatMap(([name, some]) =>
      ([usual, busy] as ReadonlyArray<Address>).map(
        (holder): Question => ({
          name: `${name} of a wallet of ${holder === usual ? 100 : 200} tokens`,
          ask: TokenHistories.use((it) =>
            it.series({ chainId, holder, moments: some, onlyTrusted: false, page: {} }),
          ).pipe(
            Effect.map(({ value }) =>
              value.tokens.reduce((sum, { versions, prices }) => sum + versions.length + prices.length, 0),
            ),
          ),
        }),
      ),
    ),
    ...versioned.map(
      ([name, what]): Question => ({
        name: `history of ${name}`,
        ask: TokenHistories.use((it) => it.versions({ chainId, what, range: {}, direction, page, count: false })).pipe(
          Effect.map(({ value }) => value.items.length),
        ),
      }),
    ),
    {
      name: "history of a price",
      ask: TokenHistories.use((it) => it.prices({ chainId, token: walletToken, direction, page, count: false })).pipe(
        Effect.map(({ value }) => value.items.length),
      ),
    },
    {
      name: "prices in 25 hours",
      ask: TokenHistories.use((it) =>
        it.pricesAt(
          chainId,
          walletToken,
          times(limit, 7200).map((time) => time / 3600),
        ),
      ).pipe(Effect.map(({ prices }) => prices.length)),
    },
    {
      name: "blocks that touched a wallet of 200 tokens",
      ask: TokenHistories.use((it) => it.touched({ chainId, holder: busy, range: {}, direction, page })).pipe(
        Effect.map(({ value }) => value.items.length),
      ),
      excuse: "the newest blocks of each of its tokens are read, and put in order",
    },
    {
      name: "holders whose balance is another than in the middle of the chain",
      ask: TokenHistories.use((it) =>
        it.diff({ chainId, token: walletToken, from: 30_000, to: 57_000, page, count: false }),
      ).pipe(Effect.map(({ value }) => value.items.length)),
      excuse: "no index has the balances of an old block: every pair of the token is read once",
    },
  ]
}

/** Of the chain with hot tokens: one token, search, and holders by their least balance and with their rank. */
export const tokenQuestions = ({ chainId, hotToken, rareToken, trader }: Subjects): ReadonlyArray<Question> => [
  ...[hotToken, rareToken].map(
    (token): Question => ({
      name: `one ${token === hotToken ? "hot" : "rare"} token with what is known of it`,
      ask: TokenStore.use((it) => it.findOne("erc20", chainId, token)).pipe(Effect.as(1)),
    }),
  ),
  ...["token", "t", hotToken.slice(0, 12), "no such word", "t-1"].map(
    (text, index): Question => ({
      name: `search ${["a common word", "one letter", "the beginning of an address", "for nothing", "a symbol in parts"][index]}`,
      ask: TokenStore.use((it) =>
        it.search({ standard: "erc20", chains: [chainId], text: searchTextOf(text), page: { limit }, count: false }),
      ).pipe(Effect.map(({ value }) => value.items.length)),
    }),
  ),
  {
    name: "holders of a hot token from a least balance on",
    ask: HolderStore.use((it) =>
      it.list("erc20", { chainId, token: hotToken, page: { limit }, count: false, minBalance: "1000" }),
    ).pipe(Effect.map(({ value }) => value.items.length)),
  },
  {
    name: "the rank of a holder of a hot token",
    ask: HolderStore.use((it) =>
      it.list("erc20", { chainId, token: hotToken, page: { limit }, count: false, addresses: [trader], rank: true }),
    ).pipe(Effect.map(({ value }) => value.items.length)),
    excuse: "a rank counts the holders before it in one index",
  },
]
