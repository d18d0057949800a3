/** Which transaction of a block made a contract: by receipts, else by a trace; else the block's time, if the node proves that. */
import { Effect, Option } from "effect"
import type { Address, Hash } from "../../../model/primitives.ts"
import type { TokenOrigin } from "../../../model/token.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import { type Block, blockCall, mentionsCall, receiptCall, type Transaction } from "./originCalls.ts"
import { isProven } from "./stateProof.ts"
import { type Made, tracesOf } from "./traces.ts"

/** A contract, and the block that made it if the node is to be believed. */
export interface Sought {
  readonly address: Address
  readonly block: number
  /** The transaction of its first transfer, if that is in this block: the contract was there by then. */
  readonly firstTxHash?: Hash
  /** The receipt of that transaction names the contract as its own. */
  readonly proven: boolean
}

export interface Creations {
  /** In order; undefined = nothing is proven. */
  find(sought: ReadonlyArray<Sought>): Effect.Effect<ReadonlyArray<TokenOrigin | undefined>, SourceUnavailable>
}

/** What a transaction made, where a trace comes. */
type Tracing = (hash: Hash) => Effect.Effect<Made | undefined>

/** Transactions that are traced for one contract. */
const mostTraces = 20

export const creationsOf = (client: RpcClient): Creations => {
  const traces = tracesOf(client)

  /** `block:contract` → the transaction whose receipt names the contract. */
  const byReceipt = Effect.fnUntraced(function* (blocks: ReadonlyArray<Block>) {
    const creating = blocks.flatMap(({ transactions }) => transactions.filter(({ creates }) => creates))
    const receipts = yield* client.batch(creating.map(({ hash }) => receiptCall(hash)))
    return new Map(
      creating.map(({ hash }, place) => [`${receipts[place]?.blockNumber}:${receipts[place]?.contract}`, hash]),
    )
  })

  /** A trace may have megabytes, and one transaction may have made all that is sought: each comes once. */
  const tracing = (): Tracing => {
    const known = new Map<Hash, Made | undefined>()
    return Effect.fnUntraced(function* (hash) {
      // Where no trace comes, the time is still worth something.
      if (!known.has(hash)) known.set(hash, Option.getOrUndefined(yield* Effect.option(traces.made(hash))))
      return known.get(hash)
    })
  }

  const firstThatMade = Effect.fnUntraced(function* (address: Address, hashes: ReadonlyArray<Hash>, madeBy: Tracing) {
    for (const hash of hashes) {
      const made = yield* madeBy(hash)
      if (made === undefined) return "no trace"
      if (made.has(address)) return hash
    }
    return undefined
  })

  /** The first transfer's own transaction is asked first, then those with logs that name the contract. */
  const byTrace = Effect.fnUntraced(function* (
    { address, block, firstTxHash }: Sought,
    candidates: ReadonlyArray<Transaction>,
    madeBy: Tracing,
  ) {
    const own = firstTxHash === undefined ? undefined : yield* firstThatMade(address, [firstTxHash], madeBy)
    if (own !== undefined) return own === "no trace" ? undefined : own
    const others = candidates.map(({ hash }) => hash).filter((hash) => hash !== firstTxHash)
    if (others.length === 0) return undefined
    const answer = yield* Effect.option(client.batch([mentionsCall(address, block)]))
    const mentions = Option.getOrUndefined(answer)?.[0]
    const ordered = [
      ...others.filter((hash) => mentions?.has(hash) === true),
      ...others.filter((hash) => mentions?.has(hash) !== true),
    ]
    const hash = yield* firstThatMade(address, ordered.slice(0, mostTraces), madeBy)
    return hash === "no trace" ? undefined : hash
  })

  const findOne = Effect.fnUntraced(function* (
    sought: Sought,
    block: Block,
    { made, madeBy }: { readonly made: ReadonlyMap<string, Hash>; readonly madeBy: Tracing },
  ) {
    const { address, firstTxHash, proven } = sought
    const { hashes, transactions, time } = block
    const last = firstTxHash === undefined ? hashes.length - 1 : hashes.indexOf(firstTxHash)
    // The block was replaced meanwhile.
    if (last === -1) return undefined
    const receipt = proven ? firstTxHash : made.get(`${block.number}:${address}`)
    if (receipt !== undefined) return { txHash: receipt, time }
    // By its first transfer it was there: what comes after did not make it.
    const txHash = yield* byTrace(sought, transactions.slice(0, last + 1), madeBy)
    if (txHash !== undefined) return { txHash, time }
    if (!(yield* isProven(client, address, block))) return undefined
    return firstTxHash !== undefined && last === 0 ? { txHash: firstTxHash, time } : { time }
  })

  return {
    find: Effect.fnUntraced(function* (sought) {
      const numbers = [...new Set(sought.map(({ block }) => block))]
      const isEnough = (number: number) => sought.every(({ block, proven }) => block !== number || proven)
      const blocks = yield* client.batch(numbers.map((number) => blockCall(number, !isEnough(number))))
      const found = new Map(blocks.flatMap((block) => (block === undefined ? [] : [[block.number, block]])))
      const made = yield* byReceipt([...found.values()])
      const known = { made, madeBy: tracing() }
      return yield* Effect.forEach(sought, (each) => {
        const block = found.get(each.block)
        return block === undefined ? Effect.undefined : findOne(each, block, known)
      })
    }),
  }
}
