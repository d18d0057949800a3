/** The TrustedTokens port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Erc20Token } from "../../../../model/token.ts"
import { TrustedTokens } from "../../../../ports/TrustedTokens.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectNumber } from "./branches.ts"
import { selectTokenPage, type TokenRow, tokenRows } from "./page.ts"

export const layer = Layer.effect(
  TrustedTokens,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return TrustedTokens.of({
      list: Effect.fnUntraced(function* ({ chains, sort, page, count, addresses }) {
        const none: { rows: Array<TokenRow>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
          const tokens = selectTokenPage(sql, opened, { kind: "trusted", sort, page, ...(addresses && { addresses }) })
          // Trusted tokens are few, and an index holds no others.
          const counts = opened.map((chain) =>
            addresses !== undefined
              ? selectNumber(chain, { kind: "trusted", addresses })
              : sql`select count(*) as total from (select from ${chain.tokenStat} x where x.trusted order by x.holders_step desc, x.address) t`,
          )
          return sql`(${tokens}) as rows
            ${count ? sql`, (select sum(total)::int8 from (${unionAll(sql, counts)}) t) as total` : sql``}`
        })
        const total = count ? ({ count: value.total ?? 0, countType: "exact" } as const) : undefined
        return { asOf, value: tokenRows<Erc20Token>(page, value.rows, total) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
