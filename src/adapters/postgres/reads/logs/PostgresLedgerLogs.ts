/** The LedgerLogs port in PostgreSQL: one statement a page, which reads so many rows of each table and no more. */
import { Effect, Layer, Semaphore } from "effect"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import { type LedgerLogFilter, type LedgerLogPage, LedgerLogs } from "../../../../ports/LedgerLogs.ts"
import type { StoredSettings } from "../../database/ledgerSettings.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { type PageWindow, selectLogs } from "./page.ts"
import { type FoundRow, logOf } from "./record.ts"

interface Row {
  readonly coverage?: { readonly from_block: number; readonly settings: StoredSettings }
  readonly found?: { readonly whole: boolean; readonly logs: ReadonlyArray<FoundRow> | null }
}

/** Rows of a table that one search reads. */
const mostRead = 20_000
/** Of a page of so many logs at first: most pages are found in these. */
const firstRead = (logs: number): number => 200 + 4 * logs
/** Searches at one time: they wait among themselves, and leave the store to other reads. */
const atOnce = 2

export const layer = Layer.effect(
  LedgerLogs,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const permits = yield* Semaphore.make(atOnce)
    const read = (chainId: ChainId, filter: LedgerLogFilter, window: PageWindow) => {
      const none: Row = {}
      return across.readOne(chainId, none, (chain) => {
        const { sql, state } = chain
        return sql`
          (select json_build_object('from_block', greatest(s.first_block, s.full_from, s.odd_from),
            'settings', s.settings::json) from ${state} s) as coverage,
          (${selectLogs(chain, filter, window)}) as found`
      })
    }
    return LedgerLogs.of({
      find: Effect.fnUntraced(function* (chainId, filter, { skip, take }) {
        const few = firstRead(skip + take)
        const first = yield* permits.withPermits(1)(read(chainId, filter, { skip, take, mostRead: few }))
        const isEnough = first.value.found?.whole !== false || few >= mostRead
        const { asOf, value } = isEnough
          ? first
          : yield* permits.withPermits(1)(read(chainId, filter, { skip, take, mostRead }))
        return { asOf, value: pageOf(value) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

const pageOf = ({ coverage, found }: Row): LedgerLogPage => {
  if (coverage === undefined) return {}
  const { wrappedNative, approvals = false, tokens } = coverage.settings
  return {
    coverage: {
      fromBlock: coverage.from_block,
      wrappedNative: wrappedNative as ReadonlyArray<Address>,
      approvals,
      ...(tokens === null ? {} : { tokens: tokens as ReadonlyArray<Address> }),
    },
    ...(found?.whole === true ? { logs: (found.logs ?? []).map(logOf) } : {}),
  }
}
