/** The LedgerLogs port in PostgreSQL: one statement a page, which reads so many rows of each table and no more. */
import { Effect, Layer, Semaphore } from "effect"
import type { Address } from "../../../../model/primitives.ts"
import { LedgerLogs } from "../../../../ports/LedgerLogs.ts"
import type { StoredSettings } from "../../database/ledgerSettings.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectLogs } from "./page.ts"
import { type FoundRow, logOf } from "./record.ts"

interface Row {
  readonly coverage?: { readonly from_block: number; readonly settings: StoredSettings }
  readonly found?: { readonly whole: boolean; readonly logs: ReadonlyArray<FoundRow> }
}

/** Rows of a table that one search reads. */
const usualMostRead = 20_000
/** Searches at one time: they wait among themselves, and leave the store to other reads. */
const atOnce = 2

export const layerWith = (mostRead = usualMostRead) =>
  Layer.effect(
    LedgerLogs,
    Effect.gen(function* () {
      const across = yield* AcrossChains.AcrossChains
      const permits = yield* Semaphore.make(atOnce)
      return LedgerLogs.of({
        find: Effect.fnUntraced(function* (chainId, filter, window) {
          const none: Row = {}
          const { asOf, value } = yield* permits.withPermits(1)(
            across.readOne(chainId, none, (chain) => {
              const { sql, state } = chain
              return sql`
                (select json_build_object('from_block', greatest(s.first_block, s.full_from, s.odd_from),
                  'settings', s.settings::json) from ${state} s) as coverage,
                (${selectLogs(chain, filter, { ...window, mostRead })}) as found`
            }),
          )
          const { coverage, found } = value
          if (coverage === undefined) return { asOf, value: {} }
          const { wrappedNative, approvals = false, tokens } = coverage.settings
          return {
            asOf,
            value: {
              coverage: {
                fromBlock: coverage.from_block,
                wrappedNative: wrappedNative as ReadonlyArray<Address>,
                approvals,
                ...(tokens === null ? {} : { tokens: tokens as ReadonlyArray<Address> }),
              },
              ...(found?.whole === true ? { logs: found.logs.map(logOf) } : {}),
            },
          }
        }),
      })
    }),
  ).pipe(Layer.provide(AcrossChains.layer))

export const layer = layerWith()
