/** The block in which a contract came to be: galloping back from a block that knows it, then halving, many contracts at once. */
import { Effect } from "effect"
import type { Address } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import { codeCall, type Pruned } from "./originCalls.ts"

/** A contract, and a block after which it had been there. */
export interface Known {
  readonly address: Address
  readonly block: number
}

/** First step back, in blocks, and how it grows. Small at first: most nodes know the newest blocks' state only. */
const firstStep = 1
const growth = 8

/**
 * The first block after which each contract had code, in order: the block before it had none, as the node says.
 * Undefined where the node does not know, or says that the contract was there from the first block on. That is also
 * what a node says that answers every question about old blocks with the newest state.
 */
export const findCreationBlocks = Effect.fnUntraced(function* (client: RpcClient, contracts: ReadonlyArray<Known>) {
  const searches = contracts.map((known): Search => ({ ...known, step: firstStep, low: -1, gone: undefined }))
  for (;;) {
    const open = searches.filter((search) => probeOf(search) !== undefined)
    if (open.length === 0) break
    const probes = open.map((search) => probeOf(search)!)
    const codes = yield* client.batch(open.map(({ address }, place) => codeCall(address, probes[place]!)))
    open.forEach((search, place) => {
      learn(search, probes[place]!, codes[place]!)
    })
  }
  return searches.map(({ block, gone }) => (gone === false ? block : undefined))
}) satisfies (
  client: RpcClient,
  contracts: ReadonlyArray<Known>,
) => Effect.Effect<ReadonlyArray<number | undefined>, SourceUnavailable>

interface Search {
  readonly address: Address
  /** It had code after this block… */
  block: number
  step: number
  /** …and not after this one, or the node does not know; −1 = before the first block. */
  low: number
  /** What was said of `low`: no code, or nothing (pruned); undefined = not asked yet. */
  gone: false | Pruned | undefined
}

/** The next block to ask about; undefined = at the end. */
const probeOf = ({ block, low, step, gone }: Search): number | undefined => {
  if (gone === undefined) return block === 0 ? undefined : Math.max(0, block - step)
  return block - low > 1 ? Math.floor((block + low) / 2) : undefined
}

const learn = (search: Search, probe: number, code: boolean | Pruned): void => {
  if (code === true) {
    search.block = probe
    search.step *= growth
  } else {
    search.low = probe
    search.gone = code
  }
}
