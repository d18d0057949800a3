/** The ApprovalStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { countCap, countUpTo } from "../../../../model/page.ts"
import { ApprovalStore } from "../../../../ports/ApprovalStore.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut } from "../common/page.ts"
import { selectNumber, selectPage } from "./page.ts"
import { type ApprovalRow, approvalOf, keyOf } from "./record.ts"

export const layer = Layer.effect(
  ApprovalStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return ApprovalStore.of({
      list: Effect.fnUntraced(function* ({ chainId, owner, page, count }) {
        const none: { rows: Array<ApprovalRow>; total?: number; kept?: boolean } = { rows: [], kept: true }
        const { asOf, value } = yield* across.readOne(chainId, none, (chain) => {
          const { sql, state } = chain
          return sql`(${selectPage(chain, owner, page)}) as rows,
            (select coalesce((s.settings::jsonb ->> 'approvals')::boolean, false) from ${state} s) as kept
            ${count ? sql`, (${selectNumber(chain, owner, countCap + 1)})::int8 as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(approvalOf(chainId)),
            keys: rows.map(keyOf),
            hasMore,
            isKept: value.kept ?? true,
            ...(count ? { count: countUpTo(value.total ?? 0) } : {}),
          },
        }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
