/** Transfer feeds. */
import { Effect } from "effect"
import { type Erc20TransfersQuery, TransferStore } from "../ports/TransferStore.ts"
import { InvalidParameter } from "./model/errors.ts"
import { toListPage } from "./model/page.ts"

/** ERC-20 transfers of the chains that pass the filter, in feed order. */
export const listErc20Transfers = Effect.fn("listErc20Transfers")(function* (query: Erc20TransfersQuery) {
  const { blockNumberFrom, blockNumberTo } = query.filter
  if (blockNumberFrom !== undefined && blockNumberTo !== undefined && blockNumberFrom > blockNumberTo) {
    return yield* new InvalidParameter({
      parameter: "blockNumberFrom",
      value: String(blockNumberFrom),
      wanted: `a block number up to blockNumberTo (${blockNumberTo})`,
    })
  }
  const store = yield* TransferStore
  return toListPage(query.page, yield* store.listErc20(query))
})
