/** The WalletStore port in PostgreSQL: a statement a chain, whose plan is kept, and the chains' rows put together. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { suspectAt } from "../../../../domain/audit/doubts.ts"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { PageRequest, Pin, Snapshot } from "../../../../model/page.ts"
import type { ChainId, Hash } from "../../../../model/primitives.ts"
import { compareHeld } from "../../../../model/wallet/heldOrder.ts"
import { type HeldAt, type HeldBy, type HeldQuery, type HeldTotal, WalletStore } from "../../../../ports/WalletStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut } from "../common/page.ts"
import { pinColumn } from "../common/pin.ts"
import { type DoubtRow, doubtOf } from "./doubts.ts"
import { heldJson, heldTables, isListed, selectDoubts, selectNativeFacts } from "./held.ts"
import { type HoldingRow, holdingOf, keyOf, selectRows } from "./page.ts"

/** Statements at once: others have their turn too. */
const chainsAtOnce = 4

interface Found {
  readonly rows?: ReadonlyArray<HoldingRow>
  readonly doubtful?: ReadonlyArray<HoldingRow>
  readonly total?: number
  readonly sums?: { readonly rows: number; readonly priced: number; readonly value: string }
  readonly doubts?: ReadonlyArray<readonly [DoubtRow, rows: number]>
}

type Row = { readonly found?: Found; readonly pin?: Pin }

export const layer = Layer.effect(
  WalletStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains

    const read = <R extends Row>(
      { chains, at, ...asked }: HeldBy & { readonly page?: PageRequest<unknown> },
      columns: (chain: ChainSql, at: HeldAt | undefined) => Fragment,
    ): Effect.Effect<ReadonlyArray<Snapshot<Partial<R>> & { readonly chainId: ChainId }>, StoreError> =>
      Effect.forEach(
        chains,
        (chainId) => {
          const pin = at?.find((it) => it.chainId === chainId)
          const none: Partial<R> = {}
          return across
            .readOne<Partial<R>>(chainId, none, (chain) => {
              const { sql } = chain
              const walk = pin?.rollbacks === undefined ? {} : { rollbacks: pin.rollbacks }
              return sql`(with ${heldTables(chain, asked, pin)} ${columns(chain, pin)}) as found
                ${pinColumn(chain, pin?.blockNumber, { limit: 1, ...walk })}`
            })
            .pipe(Effect.map((snapshot) => ({ ...snapshot, chainId })))
        },
        { concurrency: chainsAtOnce },
      )

    const doubtful = (chain: ChainSql, at: HeldAt | undefined) => chain.sql`(
      select coalesce(json_agg(${heldJson(chain, at)}), '[]') from held h where h.doubtful and (select told from few))`

    return WalletStore.of({
      list: Effect.fnUntraced(function* (query) {
        const { page, sort, count, at } = query
        const found = yield* read<Row>(query, (chain, then) => {
          const { sql } = chain
          const total = sql`, 'total', (select count(*) from held h where ${isListed(chain, query)})`
          return sql`select json_build_object('rows', (${selectRows(chain, query, then)}), 'doubtful', ${doubtful(chain, then)}
            ${count ? total : sql``})`
        })
        const compare = compareHeld(sort)
        const sign = page.before === undefined ? 1 : -1
        const all = found
          .flatMap(({ chainId, value }) =>
            (value.found?.rows ?? []).map((row) => ({ row, key: keyOf(sort, chainId, row) })),
          )
          .sort((a, b) => sign * compare(a.key, b.key))
        const { rows, hasMore } = cut(page, all)
        return {
          asOf: asOfAll(found),
          value: {
            items: rows.map(({ row, key: { chainId } }) => holdingOf(chainId, row, blockOf(chainId, at))),
            keys: rows.map(({ key }) => key),
            hasMore,
            doubtful: found.flatMap(({ chainId, value }) => rowsOf(chainId, value.found?.doubtful, at)),
            pins: pinsOf(found),
            ...(count ? { count: exactly(found.map(({ value }) => value.found?.total ?? 0)) } : {}),
          },
        }
      }),
      total: Effect.fnUntraced(function* (query) {
        const found = yield* read<Row>(
          query,
          (chain, then) => chain.sql`select json_build_object('doubtful', ${doubtful(chain, then)},
            'doubts', (${selectDoubts(chain, query, then)}), 'sums', (
            select json_build_object('rows', count(*), 'priced', count(h.value), 'value', coalesce(sum(h.value), 0)::text)
            from held h where ${isListed(chain, query)}))`,
        )
        return {
          asOf: asOfAll(found),
          value: {
            totals: found.flatMap(({ chainId, value }) =>
              value.found?.sums
                ? [{ chainId, ...value.found.sums, ...suspectsOf(value.found, blockOf(chainId, query.at)) }]
                : [],
            ),
            doubtful: found.flatMap(({ chainId, value }) => rowsOf(chainId, value.found?.doubtful, query.at)),
            pins: pinsOf(found),
          },
        }
      }),
      nativeFacts: Effect.fnUntraced(function* (chainId, wrapped, at) {
        const { value } = yield* across.readOne<{ readonly price?: string; readonly hash?: Hash }>(
          chainId,
          {},
          (chain) => selectNativeFacts(chain, wrapped, at),
        )
        return { ...(value.price && { price: value.price }), ...(value.hash && { hash: value.hash }) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

const suspectsOf = ({ doubts = [] }: Found, block: number | undefined): Pick<HeldTotal, "suspect" | "states"> => {
  const found = doubts.flatMap(([doubt, rows]) => {
    const state = suspectAt(doubtOf(doubt), block)
    return state === undefined ? [] : [{ state, rows }]
  })
  const states = [...new Set(found.map(({ state }) => state))]
  return { suspect: found.reduce((sum, { rows }) => sum + rows, 0), states }
}

const rowsOf = (chainId: ChainId, rows: ReadonlyArray<HoldingRow> | undefined, at: HeldQuery["at"]) => {
  const block = blockOf(chainId, at)
  return (rows ?? []).map((row) => holdingOf(chainId, row, block))
}

const blockOf = (chainId: ChainId, at: HeldQuery["at"]): number | undefined =>
  at?.find((it) => it.chainId === chainId)?.blockNumber

const pinsOf = (found: ReadonlyArray<{ readonly chainId: ChainId; readonly value: Partial<Row> }>) =>
  found.flatMap(({ chainId, value }) => (value.pin ? [{ chainId, ...value.pin }] : []))

const asOfAll = (found: ReadonlyArray<{ readonly asOf: ReadonlyArray<AsOf> }>): ReadonlyArray<AsOf> =>
  found.flatMap(({ asOf }) => asOf)

const exactly = (totals: ReadonlyArray<number>) => ({
  count: totals.reduce((sum, total) => sum + total, 0),
  countType: "exact" as const,
})
