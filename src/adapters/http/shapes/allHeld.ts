/** All that an address holds of a chain, as one state: however many pages that takes. */
import { Effect } from "effect"
import { worstByChain } from "../../../domain/audit/doubts.ts"
import type { BlockSelector } from "../../../domain/reads/askedBlock.ts"
import { beginAnew } from "../../../domain/reads/beginAnew.ts"
import type { AtTime } from "../../../domain/wallet/atBlocks.ts"
import { listWallet } from "../../../domain/wallet/holdings.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { HeldSort } from "../../../model/wallet/heldOrder.ts"
import type { HeldKey, HeldStandard, WalletToken } from "../../../model/wallet/holdings.ts"
import { defined } from "../contract/parameter.ts"

/** Chain, holder, native currency, contracts. */
export const steadyOrder: HeldSort = { field: "tokenAddress", direction: "asc" }
export const fungible: ReadonlyArray<HeldStandard> = ["native", "erc20"]

/** At most one of `blockNumber` and `selector`; neither = now. */
interface Asked {
  readonly chainId: ChainId
  readonly holder: Address
  readonly onlyTrusted: boolean
  readonly blockNumber?: number
  readonly selector?: BlockSelector
}

const pageRows = 10_000

/** `suspects`: the worst state of those in doubt. `block`: that of the state. Where now does not go on one page, all pages are of the block of the first. */
export const allHeld = (asked: Asked) => beginAnew(readAll(asked))

const readAll = Effect.fnUntraced(function* ({ chainId, holder, onlyTrusted, blockNumber, selector }: Asked) {
  const page = (of: { readonly after?: HeldKey } & Pick<AtTime, "blockNumber" | "selector">) =>
    listWallet({
      chains: [chainId],
      holders: [holder],
      standards: fungible,
      onlyTrusted,
      byId: false,
      sort: steadyOrder,
      count: false,
      page: { limit: pageRows, ...defined({ after: of.after }) },
      ...defined({ blockNumber: of.blockNumber, selector: of.selector }),
    })
  const begun = yield* page(defined({ blockNumber, selector }))
  const block = blockNumber ?? (begun.at ?? begun.asOf)[0]?.blockNumber
  const isOfNow = blockNumber === undefined && selector === undefined
  let last = isOfNow && begun.next !== undefined ? yield* page(defined({ blockNumber: block })) : begun
  const items: Array<WalletToken> = [...last.items]
  const suspects = [...last.suspects]
  while (last.next !== undefined) {
    // The place has the block of its walk, and the hour.
    last = yield* page({ after: last.next })
    items.push(...last.items)
    suspects.push(...last.suspects)
  }
  return { asOf: last.asOf, items, suspects: worstByChain(suspects), block }
})
