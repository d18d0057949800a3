/** What an address holds: together with figures where that is little, else in groups of its own. */
import { Effect } from "effect"
import type { Snapshot } from "../../../../model/page.ts"
import type { HolderStore } from "../../../../ports/HolderStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { type HoldingRow, holdingOf, mostForetold, selectFewHoldings, selectHoldings } from "./holdings.ts"

interface Held {
  readonly rows?: ReadonlyArray<HoldingRow>
}

export const makeListHoldings = (across: AcrossChains["Service"]): HolderStore["Service"]["listHoldings"] =>
  Effect.fnUntraced(function* (standard, query) {
    const { chainId, holder, window, blockNumber } = query
    const isJoined = blockNumber === undefined && window.page * window.offset <= mostForetold
    const foundOf = ({ asOf, value: { rows = [] } }: Snapshot<Held>) => ({ asOf, value: rows.map(holdingOf) })
    if (!isJoined) {
      const select = (chain: ChainSql) => chain.sql`(${selectHoldings(chain, standard, query)}) as rows`
      return foundOf(yield* across.readOne<Held>(chainId, {}, select))
    }
    const kind = `${standard} held ${window.offset} ${window.page}`
    const few = yield* across.readJoined<Held>(
      chainId,
      kind,
      {},
      [holder],
      (chain, [by]) => chain.sql`select (${selectFewHoldings(chain, standard, { window, holder: by! })}) as rows`,
    )
    if (few.value.rows !== undefined || few.asOf.length === 0) return foundOf(few)
    // All that the address ever had is looked through: of some that are hundreds of thousands.
    const all = yield* across.readUnforetold<Held>(
      chainId,
      `${kind} all`,
      {},
      [holder],
      (chain, [by]) => chain.sql`select (${selectHoldings(chain, standard, { window, holder: by! })}) as rows`,
    )
    return foundOf(all)
  })
