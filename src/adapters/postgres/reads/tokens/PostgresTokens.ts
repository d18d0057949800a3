/** The TokenStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import type { Standard, TokenRecords } from "../../../../model/token.ts"
import type { TokenNote } from "../../../../model/tokenNote.ts"
import { TokenStore, type TokensQuery } from "../../../../ports/TokenStore.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectNumber } from "./branches.ts"
import { readOneToken } from "./one.ts"
import { type TokenRow, tokenListOf, tokenRows } from "./page.ts"
import { selectDetailsAt, selectNoteAt, type TokenDetails, tokenOfStandard } from "./record.ts"
import { readFound } from "./search.ts"

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return TokenStore.of({
      list: Effect.fnUntraced(function* <S extends Standard>(query: TokensQuery<S>) {
        const { standard, chains, sort, page, count, addresses } = query
        const { asOf, value } = yield* across.list<TokenRow>(chains, {
          ...tokenListOf({ kind: standard, sort, page, ...(addresses && { addresses }) }),
          total: count
            ? (sql, opened) => {
                const counts = opened.map((chain) =>
                  addresses === undefined
                    ? sql`select ${totals[standard](sql)} as total from ${chain.state} s`
                    : selectNumber(chain, { kind: standard, addresses }),
                )
                return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, counts)}) t`
              }
            : undefined,
        })
        const total = count ? ({ count: value.total ?? 0, countType: "exact" } as const) : undefined
        return { asOf, value: tokenRows<TokenRecords[S]>(page, value.rows, total) }
      }),
      search: (query) => readFound(across, query),
      findOne: (standard, chainId, address) => readOneToken(across, standard, chainId, address),
      find: Effect.fnUntraced(function* (chainId, address) {
        const none: { found: Array<TokenDetails>; note?: TokenNote } = { found: [] }
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`
            (${selectDetailsAt(chain, address)}) as found, (${selectNoteAt(chain, address)}) as note`,
        )
        return { asOf, value: value.found.map((details) => tokenOfStandard(chainId, details, value.note)) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Tokens of a chain, in its `state`. */
const totals: Readonly<Record<Standard, (sql: Sql) => Fragment>> = {
  erc20: (sql) => sql`s.erc20_tokens`,
  erc721: (sql) => sql`s.erc721_tokens`,
  erc1155: (sql) => sql`s.erc1155_tokens`,
}
