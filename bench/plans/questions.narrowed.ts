/** Questions to lists that leave rows out by what is known of their tokens and accounts: trusted tokens alone, no contracts; and the marks they go by. */
import { Effect } from "effect"
import type postgres from "postgres"
import type { ChainId } from "../../src/model/primitives.ts"
import type { SwapFilter } from "../../src/model/swap.ts"
import type { FeedKey } from "../../src/model/transfer.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SwapStore } from "../../src/ports/SwapStore.ts"
import { type Depths, limit, pages, type Question } from "./question.ts"
import { swapAsset } from "./seedSwaps.ts"
import type { Subjects } from "./subjects.ts"

/** Lets a list vouch for the assets of these numbers, of a chain that `seedSwaps` made. */
export const seedTrust = async (sql: postgres.Sql, schema: string, numbers: ReadonlyArray<number>): Promise<void> => {
  const addresses = numbers.map((number) => swapAsset(number).slice(2))
  await sql.unsafe(
    `insert into ${schema}.token_note select decode(a, 'hex'), true, '{}', '' from unnest($1::text[]) a`,
    [addresses],
  )
  await sql.unsafe(`vacuum analyze ${schema}.token_note`)
}

/** Of each holder whether it is a contract: every third of all, and all of the ordinary token. */
export const seedCodes = async (sql: postgres.Sql, schema: string, { middleToken }: Subjects): Promise<void> => {
  await sql.unsafe(`
    insert into ${schema}.account_code (address, is_contract, block_number, asked_at)
    select b.holder, get_byte(b.holder, 19) % 3 = 0 or bool_or(t.address = '\\x${middleToken.slice(2)}'), 0, 0
    from ${schema}.balance b join ${schema}.token t using (token_id) where octet_length(b.holder) = 20 group by b.holder
    on conflict (address) do update set is_contract = excluded.is_contract`)
  await sql.unsafe(`vacuum analyze ${schema}.account_code`)
}

const sides: ReadonlyArray<readonly [string, SwapFilter]> = [
  ["all", {}],
  ["a hot token", { token: [swapAsset(1)] }],
  ["an ordinary token", { token: [swapAsset(30)] }],
  ["a rare token", { token: [swapAsset(15_000)] }],
  ["tokenIn, hot", { tokenIn: [swapAsset(1)] }],
  ["tokenOut, hot", { tokenOut: [swapAsset(2)] }],
  ["a hot pair", { tokenIn: [swapAsset(1)], tokenOut: [swapAsset(2)] }],
]

/** Swaps between trusted tokens of a chain of so many; `name` says how many tokens are. */
export const trustedSwaps = (
  chainId: ChainId,
  rows: number,
  name: string,
  excuse?: string,
): ReadonlyArray<Question> => {
  const blockNumber = Math.floor(rows / 25)
  const key: FeedKey = { chainId, blockNumber, logIndex: 2, sub: 0, time: 1_700_000_000 + blockNumber * 2 }
  return sides.flatMap(([side, filter]) =>
    [
      ...pages(key).map(([place, page]) => ({ place, page, direction: "desc" as const, count: false })),
      { place: "asc", page: { limit }, direction: "asc" as const, count: false },
      { place: "with count", page: { limit }, direction: "desc" as const, count: true },
    ].map(
      ({ place, ...asked }): Question => ({
        name: `swaps between ${name} trusted tokens, ${side}, ${place}`,
        ask: SwapStore.use((it) => it.list({ chains: [chainId], filter: { ...filter, trusted: true }, ...asked })).pipe(
          Effect.map(({ value }) => Math.max(value.items.length, value.count?.count ?? 0)),
        ),
        ...(excuse === undefined ? {} : { excuse }),
      }),
    ),
  )
}

export const holdersWithoutContracts = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => {
  const { chainId, hotToken, middleToken, rareToken, goods } = subjects
  const passed = "contracts are passed over in the order of balances, and all holders here are"
  const tokens = [
    ["a hot token", hotToken],
    ["a token of contracts alone", middleToken, passed],
    ["a rare token", rareToken],
  ] as const
  return [
    ...tokens.flatMap(([name, token, excuse]) =>
      [false, true].flatMap((count) =>
        pages(depths.holders).map(
          ([place, page]): Question => ({
            name: `holders of ${name} without contracts, ${place}${count ? ", with count" : ""}`,
            ask: HolderStore.use((it) =>
              it.list("erc20", { chainId, token, page, count, codes: true, excludeContracts: true }),
            ).pipe(Effect.map(({ value }) => Math.max(value.items.length, value.count?.count ?? 0))),
            ...(excuse === undefined ? {} : { excuse }),
          }),
        ),
      ),
    ),
    ...pages(depths.units).map(
      ([place, page]): Question => ({
        name: `holders of an ERC-1155 contract without contracts, ${place}`,
        ask: HolderStore.use((it) =>
          it.listErc1155({ chainId, token: goods, page, count: false, codes: true, excludeContracts: true }),
        ).pipe(Effect.map(({ value }) => value.items.length)),
      }),
    ),
  ]
}
