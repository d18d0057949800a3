/** Balances of a chain's native currency: the node's, at the very block of the answer. */
import { Duration, Effect } from "effect"
import { FigureUnknown, InvalidParameter } from "../../model/errors.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { NativeBalances } from "../../ports/NativeBalances.ts"
import { nodeTimeout, whyUnasked } from "../turns/nodeWait.ts"

export interface NativeBalancesQuery {
  readonly chainId: ChainId
  readonly addresses: ReadonlyArray<Address>
  /** After this block; absent = the ledger's newest. */
  readonly blockNumber?: number | undefined
}

/** How long a node has to show that it is not down. */
const probeTimeout = Duration.seconds(2)

/** In the currency's smallest unit, in order. What the node does not tell fails, and is never 0. */
export const findNativeBalances = Effect.fnUntraced(function* ({
  chainId,
  addresses,
  blockNumber,
}: NativeBalancesQuery) {
  const freshness = yield* Freshness
  const asOf = yield* freshness.asOf([chainId])
  const [head] = asOf
  if (head === undefined || (blockNumber ?? 0) > head.blockNumber) {
    return yield* new InvalidParameter({
      parameter: "blockNumber",
      value: String(blockNumber ?? "latest"),
      wanted:
        head === undefined
          ? "a block up to the indexed head (nothing is indexed yet)"
          : `a block up to the indexed head ${head.blockNumber}`,
      asOf,
    })
  }
  const isNewest = blockNumber === undefined || blockNumber === head.blockNumber
  const balances = yield* NativeBalances
  const found = yield* balances
    .of(chainId, addresses, blockNumber ?? head.blockNumber, isNewest ? head.hash : undefined)
    .pipe(
      Effect.timeout(nodeTimeout),
      Effect.catch((error) =>
        Effect.gen(function* () {
          const lacksState = !isNewest && (yield* answersNow(chainId, addresses, head.blockNumber))
          const why = lacksState
            ? `the chain's node could not tell it after block ${blockNumber}, which takes an archive node`
            : whyUnasked(error)
          return yield* new FigureUnknown({ message: `the balance is not known: ${why}`, asOf })
        }),
      ),
    )
  return { asOf, value: found.map(String), ofNode: true }
})

/** Whether the node tells balances of its newest blocks: then an old one is refused for its age, else for a node that is down. */
const answersNow = Effect.fnUntraced(function* (
  chainId: ChainId,
  addresses: ReadonlyArray<Address>,
  blockNumber: number,
) {
  const balances = yield* NativeBalances
  return yield* balances
    .of(chainId, addresses.slice(0, 1), blockNumber)
    .pipe(Effect.timeout(probeTimeout), Effect.match({ onFailure: () => false, onSuccess: () => true }))
})
