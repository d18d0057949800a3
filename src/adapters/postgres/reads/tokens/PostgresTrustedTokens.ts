/** The TrustedTokens port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Erc20Token } from "../../../../model/token.ts"
import { TrustedTokens } from "../../../../ports/TrustedTokens.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectNumber } from "./branches.ts"
import { type TokenRow, tokenListOf, tokenRows } from "./page.ts"

export const layer = Layer.effect(
  TrustedTokens,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return TrustedTokens.of({
      list: Effect.fnUntraced(function* ({ chains, sort, page, count, addresses }) {
        const { asOf, value } = yield* across.list<TokenRow>(chains, {
          ...tokenListOf({ kind: "trusted", sort, page, ...(addresses && { addresses }) }),
          total: count
            ? (sql, opened) => {
                // Trusted tokens are few, and an index holds no others.
                const counts = opened.map((chain) =>
                  addresses !== undefined
                    ? selectNumber(chain, { kind: "trusted", addresses })
                    : sql`select count(*) as total from (select from ${chain.tokenStat} x where x.trusted order by x.holders_step desc, x.address) t`,
                )
                return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, counts)}) t`
              }
            : undefined,
        })
        const total = count ? ({ count: value.total ?? 0, countType: "exact" } as const) : undefined
        return { asOf, value: tokenRows<Erc20Token>(page, value.rows, total) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
