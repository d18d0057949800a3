/** The TokenStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Standard, TokenRecords } from "../../domain/model/token.ts"
import { TokenStore, type TokensQuery } from "../../ports/TokenStore.ts"
import * as AcrossChains from "./acrossChains.ts"
import { cut, placeOf } from "./page.ts"
import { selectTokenPage, type TokenRow, tokenKeyOf } from "./tokens/page.ts"
import { selectDetails, type TokenDetails, tokenOf } from "./tokens/record.ts"

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return TokenStore.of({
      list: Effect.fn("PostgresTokens.list")(function* <S extends Standard>({
        chains,
        sort,
        page,
        count,
      }: TokensQuery<S>) {
        const { key, reading } = placeOf(page, sort.direction)
        const none: { rows: Array<TokenRow>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
          const tokens = selectTokenPage(sql, opened, {
            field: sort.field,
            direction: reading,
            absent: page.before === undefined ? "last" : "first",
            key,
            limit: page.limit + 1,
          })
          const totals = opened.map(({ state }) => sql`select s.erc20_tokens as total from ${state} s`)
          return sql`(${tokens}) as rows
            ${count ? sql`, (select sum(total)::int8 from (${AcrossChains.unionAll(sql, totals)}) t) as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map((row) => tokenOf(row.chain_id, row.details) as TokenRecords[S]),
            keys: rows.map(tokenKeyOf),
            hasMore,
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
          },
        }
      }),
      find: Effect.fn("PostgresTokens.find")(function* (chainId, address) {
        const none: { details?: TokenDetails } = {}
        const { asOf, value } = yield* across.read([chainId], none, (sql, [chain]) => {
          const details = selectDetails(sql, chain, sql`k.address = ${address}::bytea and k.standard = 20`)
          return sql`(${details}) as details`
        })
        const record = value.details && tokenOf(chainId, value.details)
        return {
          asOf,
          value:
            record === undefined
              ? []
              : [{ standard: "erc20" as const, record, ...(record.totalSupply && { supply: record.totalSupply }) }],
        }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
