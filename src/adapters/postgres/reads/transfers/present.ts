/** On which of many chains accounts were ever seen: most have been on a few, and the others need no walk. */
import { Effect } from "effect"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { hexArray } from "../../database/arrays.ts"
import { mostPlans } from "../../database/client.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { asOfPoints } from "../common/asOf.ts"
import { makeKeptPlans } from "../common/keptPlans.ts"
import { makeAsk, makeKeptTexts } from "../common/keptTexts.ts"
import { readPoints, selectPoints } from "../common/points.ts"
import { accessPathsOf } from "./walk/accessPath.ts"

/** Chains of the query where rows of the filter may be, and the blocks at which there is none on the others. */
export interface Present {
  readonly present: ReadonlyArray<ChainId>
  readonly absent: ReadonlyArray<AsOf>
}

/** undefined = accounts do not tell: the zero address is one of them, and was seen everywhere. */
export type FindPresent = (
  query: Pick<TransfersQuery, "standard" | "filter" | "chains">,
) => Effect.Effect<Present | undefined, StoreError>

export const makeFindPresent = (across: AcrossChains["Service"]): FindPresent => {
  const { database } = across
  const { sql } = database
  const plans = makeKeptPlans(mostPlans.ofPresence)
  const statements = makeKeptTexts()
  return Effect.fnUntraced(function* ({ standard, filter, chains: ids }) {
    const path = accessPathsOf(standard, filter).find(({ walk, indexed }) => walk.length > 0 && indexed.length === 0)
    if (path === undefined) return undefined
    const chains = yield* across.opened(ids)
    if (chains.length === 0) return { present: [], absent: [] }
    return yield* database.wide.snapshot(async (transaction, run): Promise<Present> => {
      const ask = makeAsk({ transaction, run, statements, plans })
      const [{ points }] = await ask<[{ points: string | null }]>(
        ["present", chains.map(({ chainId }) => chainId)],
        chains.length,
        [hexArray(path.walk)],
        ([accounts]) => sql`
          with account as materialized (select ${accounts!}::text::bytea[] as holders)
          select (${selectPoints(sql, chains, ({ balance }) => [
            sql`exists (select from ${balance} b where b.holder = any((select a.holders from account a)::bytea[]))::int4`,
          ])}) as points`,
      )
      const found = readPoints(points)
      const states = (seen: string) => found.flatMap(({ state, more: [is] }) => (is === seen ? [state] : []))
      return { present: states("1").map(({ chain_id }) => chain_id), absent: asOfPoints(chains, states("0")) }
    })
  })
}
