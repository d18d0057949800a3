/** Transfer feeds. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { toListPage } from "../../model/page.ts"
import type { Standard } from "../../model/token.ts"
import type { TransferFilter } from "../../model/transfer.ts"
import { TransferStore, type TransfersQuery } from "../../ports/TransferStore.ts"

/** Transfers of the chains that pass the filter, in feed order. */
export const listTransfers = <S extends Standard>(query: TransfersQuery<S>) =>
  Effect.gen(function* () {
    yield* check(query.filter)
    const store = yield* TransferStore
    return toListPage(query.page, yield* store.list(query))
  })

const check = Effect.fnUntraced(function* (filter: TransferFilter) {
  const { tokenAddress, tokenId, blockNumberFrom, blockNumberTo } = filter
  if (tokenId !== undefined && tokenAddress?.length !== 1) {
    return yield* new InvalidParameter({
      parameter: "tokenId",
      value: `${tokenAddress?.length ?? 0}`,
      wanted: "exactly one tokenAddress beside it (an id says nothing without its contract)",
    })
  }
  if (blockNumberFrom !== undefined && blockNumberTo !== undefined && blockNumberFrom > blockNumberTo) {
    return yield* new InvalidParameter({
      parameter: "blockNumberFrom",
      value: String(blockNumberFrom),
      wanted: `a block number up to blockNumberTo (${blockNumberTo})`,
    })
  }
})
