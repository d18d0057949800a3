/** Questions to the lists of tokens, holders and ids, and for single values. */
import { Effect } from "effect"
import { Freshness } from "../../src/ports/Freshness.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { type Depths, pages, type Question } from "./question.ts"
import type { Subjects } from "./subjects.ts"

export const lists = ({ chainId }: Subjects, { tokens }: Depths): ReadonlyArray<Question> =>
  (["createdAt", "holdersCount", "name"] as const).flatMap((field) =>
    (["desc", "asc"] as const).flatMap((direction) =>
      pages(tokens[field]).map(
        ([place, page]): Question => ({
          name: `tokens by ${field}, ${direction}, ${place}`,
          ask: TokenStore.use((it) =>
            it.list({
              standard: "erc20",
              chains: [chainId],
              sort: { field, direction },
              page,
              count: place === "page 1",
            }),
          ).pipe(Effect.map(({ value }) => value.items.length)),
        }),
      ),
    ),
  )

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

/** One value each. */
export const points = (subjects: Subjects): ReadonlyArray<Question> => {
  const { chainId, hotToken, exchange, trader, wallet, head } = subjects
  const blocks = [undefined, head, Math.floor(head / 2), 1]
  const at = (block: number | undefined) => (block === undefined ? "now" : `at block ${block}`)
  return [
    { name: "the chain's newest block", ask: Freshness.use((it) => it.asOf([chainId])).pipe(Effect.as(1)) },
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
