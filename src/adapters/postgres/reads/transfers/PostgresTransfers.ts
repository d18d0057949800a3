/** The TransferStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { ChainId } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { TransferRecords } from "../../../../model/transfer.ts"
import { TransferStore, type TransfersQuery } from "../../../../ports/TransferStore.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut } from "../common/page.ts"
import { makeKnownPages } from "../feed/knownPages.ts"
import { readIndexed } from "./indexedFeed.ts"
import { makeSegments } from "./marks/segments.ts"
import { makeFindPresent } from "./present.ts"
import { feedKeyOf, transferOf } from "./record.ts"
import { readWalked } from "./walkedFeed.ts"
import { makeWalkedKeys } from "./walkedKeys.ts"

/** Chains of a distributed server that are asked at a time. */
const chainsAtOnce = 8

/** `far`: see `Remembered`. */
export const layerWith = ({ far = 400 }: { readonly far?: number } = {}) =>
  Layer.effect(
    TransferStore,
    Effect.gen(function* () {
      const across = yield* AcrossChains.AcrossChains
      const remembered = { walks: makeWalkedKeys(), segments: makeSegments(), far }
      const findPresent = makeFindPresent(across)
      const readKnown = makeKnownPages(across)
      const wrapsFrom = (chains: ReadonlyArray<ChainId>) =>
        Effect.map(
          across.read(chains, { block: 0 }, (sql, opened) => {
            const each = opened.map(({ state }) => sql`select s.wraps_from as block from ${state} s`)
            return sql`(select coalesce(max(block), 0) from (${unionAll(sql, each)}) w) as block`
          }),
          ({ asOf, value }) => ({ asOf, value: value.block }),
        )
      return TransferStore.of({
        wrapsFrom: (chains) =>
          across.database.distributed() && chains.length > 1
            ? Effect.map(
                Effect.forEach(chains, (chain) => wrapsFrom([chain]), { concurrency: chainsAtOnce }),
                (parts) => ({
                  asOf: parts.flatMap(({ asOf }) => asOf),
                  value: Math.max(...parts.map(({ value }) => value)),
                }),
              )
            : wrapsFrom(chains),
        list: Effect.fnUntraced(function* <S extends Standard>(query: TransfersQuery<S>) {
          const { from, to, address, either } = query.filter
          const walked = from !== undefined || to !== undefined || address !== undefined || either !== undefined
          const { asOf, value } = yield* across.retryIfDropped(
            walked ? readWalked(across, remembered, findPresent, query) : readIndexed(across, readKnown, query),
          )
          const { rows, hasMore } = cut(query.page, value.rows)
          return {
            asOf,
            value: {
              // Made once for all who wait for them: of a first page those of its rows.
              items:
                "records" in value
                  ? (value.records as ReadonlyArray<TransferRecords[S]>).slice(0, rows.length)
                  : rows.map((row) => transferOf(query.standard, row)),
              keys: rows.map(feedKeyOf),
              hasMore,
              ...(value.count === undefined ? {} : { count: value.count }),
            },
          }
        }),
      })
    }),
  ).pipe(Layer.provide(AcrossChains.layer))

export const layer = layerWith()
