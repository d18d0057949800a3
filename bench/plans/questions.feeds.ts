/** Questions to the transfer feeds: of the chain, of tokens, of accounts. */
import { Effect } from "effect"
import type { PageRequest, Rows } from "../../src/model/page.ts"
import { Address } from "../../src/model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../src/model/transfer.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { type Depths, limit, pages, type Question } from "./question.ts"
import type { Subjects } from "./subjects.ts"

const rowsOf = ({ value }: { readonly value: Rows<unknown, unknown> }): number =>
  Math.max(value.items.length, value.count?.count ?? 0)

const transfers = (
  { chainId }: Subjects,
  filter: TransferFilter,
  page: PageRequest<FeedKey>,
  direction: "asc" | "desc" = "desc",
  count = false,
) =>
  TransferStore.use((it) => it.list({ standard: "erc20", chains: [chainId], filter, direction, page, count })).pipe(
    Effect.map(rowsOf),
  )

export const feeds = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
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
export const walks = (subjects: Subjects, { feed }: Depths): ReadonlyArray<Question> => {
  const { hotToken, middleToken, exchange, trader, wallet } = subjects
  const zero = Address.make(`0x${"0".repeat(40)}`)
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
