/** All that an address holds of a chain, as one state: however many pages that takes. */
import { Effect } from "effect"
import { worstByChain } from "../../../domain/audit/doubts.ts"
import { type BlockSelector, findAskedBlock } from "../../../domain/reads/askedBlock.ts"
import { beginAnew } from "../../../domain/reads/beginAnew.ts"
import { listWallet } from "../../../domain/wallet/holdings.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { HeldSort } from "../../../model/wallet/heldOrder.ts"
import type { HeldKey, HeldStandard, WalletToken } from "../../../model/wallet/holdings.ts"

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
  const page = (after: HeldKey | undefined, at: number | undefined, rollbacks?: number) =>
    listWallet({
      chains: [chainId],
      holders: [holder],
      standards: fungible,
      onlyTrusted,
      byId: false,
      sort: steadyOrder,
      count: false,
      page: { limit: pageRows, ...(after === undefined ? {} : { after }) },
      ...(at === undefined ? {} : { blockNumber: at, rollbacks }),
    })
  // The native currency is among them.
  const meant = selector?.by === "timestamp" ? { ...selector, exact: true } : selector
  const found = meant && (yield* findAskedBlock(chainId, meant))
  const asked = blockNumber ?? found?.blockNumber
  const begun = yield* page(undefined, asked, found?.rollbacks)
  const block = asked ?? begun.asOf[0]?.blockNumber
  let last = asked === undefined && begun.next !== undefined ? yield* page(undefined, block) : begun
  const items: Array<WalletToken> = [...last.items]
  const suspects = [...last.suspects]
  while (last.next !== undefined) {
    last = yield* page(last.next, block)
    items.push(...last.items)
    suspects.push(...last.suspects)
  }
  return { asOf: last.asOf, items, suspects: worstByChain(suspects), block }
})
