/** Questions to the feed of swaps of the chain that `seedSwaps` makes: hot tokens, rare pairs, many of each. */
import { Effect } from "effect"
import { ChainId } from "../../src/model/primitives.ts"
import type { SwapFilter } from "../../src/model/swap.ts"
import type { FeedKey } from "../../src/model/transfer.ts"
import { SwapStore } from "../../src/ports/SwapStore.ts"
import { limit, pages, type Question } from "./question.ts"
import { swapAsset } from "./seedSwaps.ts"

const [hub, second, third] = [swapAsset(1), swapAsset(2), swapAsset(3)] as const
const [ordinary, rare] = [swapAsset(30), swapAsset(15_000)]
const upTo = (count: number) => Array.from({ length: count }, (_, at) => swapAsset(at + 1))

const merged = "each of the lists gives a page's rows, of which one page is left"

const filters: ReadonlyArray<readonly [string, SwapFilter, string?]> = [
  ["the chain", {}],
  ["a hot token", { token: [hub] }],
  ["an ordinary token", { token: [ordinary] }],
  ["a rare token", { token: [rare] }],
  ["a token nobody knows", { token: [swapAsset(10 ** 8)] }],
  ["two hot tokens of one pool", { token: [hub, second] }],
  ["fifty tokens", { token: upTo(50) }, merged],
  ["tokenIn, hot", { tokenIn: [hub] }],
  ["tokenOut, hot", { tokenOut: [second] }],
  ["tokenOut of fifty", { tokenOut: upTo(50) }, merged],
  ["a hot pair", { tokenIn: [hub], tokenOut: [second] }],
  ["a rare pair of hot tokens", { tokenIn: [hub], tokenOut: [third] }],
  ["a pair of hot tokens without swaps", { tokenIn: [second], tokenOut: [third] }],
  ["a hot token for an ordinary one", { token: [hub], tokenIn: [ordinary] }],
  ["hot tokens, one of them paid", { token: [hub, third], tokenIn: [hub, second] }],
  ["all three", { token: [second], tokenIn: [hub, third], tokenOut: [second, third] }],
  ["fifty by fifty", { tokenIn: upTo(50), tokenOut: upTo(50) }, merged],
]

/** A place far in the chain's feed of `rows`, and one of another chain at that time. */
export const swapFeeds = (chainId: ChainId, rows: number): ReadonlyArray<Question> => {
  const blockNumber = Math.floor(rows / 25)
  const key: FeedKey = { chainId, blockNumber, logIndex: 2, sub: 0, time: 1_700_000_000 + blockNumber * 2 }
  return filters.flatMap(([name, filter, excuse]) =>
    [
      ...[...pages(key), ...pages({ ...key, chainId: ChainId.make("1") }).slice(1)].map(([place, page], at) => ({
        place: at < 3 ? place : `${place}, by a cursor of another chain`,
        page,
        direction: "desc" as const,
        count: false,
      })),
      { place: "asc", page: { limit }, direction: "asc" as const, count: false },
      { place: "with count", page: { limit }, direction: "desc" as const, count: true },
    ].map(
      ({ place, ...asked }): Question => ({
        name: `swaps of ${name}, ${place}`,
        ask: SwapStore.use((it) => it.list({ chains: [chainId], filter, ...asked })).pipe(
          Effect.map(({ value }) => Math.max(value.items.length, value.count?.count ?? 0)),
        ),
        ...(excuse === undefined ? {} : { excuse }),
      }),
    ),
  )
}
