/** Transfer feeds. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { toListPage } from "../../model/page.ts"
import type { Standard } from "../../model/token.ts"
import type { TransferFilter } from "../../model/transfer.ts"
import { TransferStore, type TransfersQuery } from "../../ports/TransferStore.ts"
import { checkRange } from "./feedRange.ts"

/** Transfers of the chains that pass the filter, in feed order. */
export const listTransfers = <S extends Standard>(query: TransfersQuery<S>) =>
  Effect.gen(function* () {
    yield* checkTransfers(query.filter)
    const store = yield* TransferStore
    if (query.filter.wraps === true) yield* checkWraps(query)
    return toListPage(query.page, yield* store.list(query))
  })

/** Ledgers of older versions do not have the time of every Deposit. */
const checkWraps = Effect.fnUntraced(function* ({ chains, filter }: Pick<TransfersQuery, "chains" | "filter">) {
  const { asOf, value: from } = yield* (yield* TransferStore).wrapsFrom(chains)
  if (from <= (filter.blockNumberFrom ?? 0)) return
  return yield* new InvalidParameter({
    parameter: "include",
    value: "wraps",
    wanted: `wraps of blocks from ${from} on, where the ledger began to keep their times: beside blockNumberFrom=${from}, or after a resync`,
    asOf,
  })
})

/** Whether the filter is one that can be answered. Asks nobody. */
export const checkTransfers = Effect.fnUntraced(function* (
  filter: Pick<TransferFilter, "tokenAddress" | "tokenId" | "blockNumberFrom" | "blockNumberTo">,
) {
  const { tokenAddress, tokenId } = filter
  if (tokenId !== undefined && tokenAddress?.length !== 1) {
    return yield* new InvalidParameter({
      parameter: "tokenId",
      value: `${tokenAddress?.length ?? 0}`,
      wanted: "exactly one tokenAddress beside it (an id says nothing without its contract)",
    })
  }
  yield* checkRange(filter)
})
