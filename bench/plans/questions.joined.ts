/** Questions that many callers ask at once: those that wait together are one statement, of all their tokens, or of the longest page. */
import { Effect } from "effect"
import type { StoreError } from "../../src/model/errors.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import type { ReadPorts } from "../support/stores.ts"
import { limit, type Question } from "./question.ts"
import type { Subjects } from "./subjects.ts"

/** As many as one statement answers at most. */
const callers = 32

/** Rows of the longest page, and those of all pages together. */
const [longest, sum] = [
  (rows: ReadonlyArray<number>) => Math.max(...rows),
  (rows: ReadonlyArray<number>) => rows.reduce((all, one) => all + one, 0),
]

const atOnce = (
  name: string,
  asks: ReadonlyArray<Effect.Effect<number, StoreError, ReadPorts>>,
  rows: (of: ReadonlyArray<number>) => number = sum,
): Question => ({
  name: `${asks.length} at once: ${name}`,
  ask: Effect.all(asks, { concurrency: "unbounded" }).pipe(Effect.map(rows)),
})

export const joinedQuestions = ({ chainId, fiftyTokens, exchange, head }: Subjects): ReadonlyArray<Question> => {
  const tokens = fiftyTokens.slice(0, callers)
  const newest = (most: number, direction: "asc" | "desc") =>
    TransferStore.use((it) =>
      it.list({ standard: "erc20", chains: [chainId], filter: {}, direction, page: { limit: most }, count: false }),
    ).pipe(Effect.map(({ value }) => value.items.length))
  const short = tokens.map((_, index) => 1 + (index % limit))
  const long = [100, 250, 500, 1000]
  const limits = [
    ["short", short],
    ["long", long],
  ] as const
  return [
    ...limits.flatMap(([name, all]) =>
      (["desc", "asc"] as const).map((direction) =>
        atOnce(
          `${name} pages of the chain's transfers, ${direction}`,
          all.map((most) => newest(most, direction)),
          longest,
        ),
      ),
    ),
    ...[limit, 1000].flatMap((most) => [
      atOnce(
        `${most} transfers of hot tokens`,
        tokens.map((token) =>
          TransferStore.use((it) =>
            it.list({
              standard: "erc20",
              chains: [chainId],
              filter: { tokenAddress: [token] },
              direction: "desc",
              page: { limit: most },
              count: false,
            }),
          ).pipe(Effect.map(({ value }) => value.items.length)),
        ),
      ),
      atOnce(
        `${most} holders of hot tokens`,
        tokens.map((token) =>
          HolderStore.use((it) => it.list("erc20", { chainId, token, page: { limit: most }, count: false })).pipe(
            Effect.map(({ value }) => value.items.length),
          ),
        ),
      ),
    ]),
    ...[undefined, Math.floor(head / 2)].flatMap((block) => {
      const at = block === undefined ? "now" : `at block ${block}`
      return [
        atOnce(
          `balances of an exchange ${at}`,
          tokens.map((token) =>
            HolderStore.use((it) => it.findBalance(chainId, token, exchange, block)).pipe(Effect.as(1)),
          ),
        ),
        atOnce(
          `supplies ${at}`,
          tokens.map((token) => SupplyStore.use((it) => it.find(chainId, token, block)).pipe(Effect.as(1))),
        ),
      ]
    }),
    atOnce(
      "numbers of holders",
      tokens.map((token) => HolderStore.use((it) => it.count(chainId, token)).pipe(Effect.as(1))),
    ),
  ]
}
