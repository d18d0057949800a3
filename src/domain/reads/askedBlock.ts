/** Which block is meant by a time, a hash or a finality: what is asked of the past is then asked as of that block. */
import { Clock, Duration, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { BlockUnknown, HistoryNotAvailable, InvalidParameter } from "../../model/errors.ts"
import { type ChainId, dateTimeOf, type Hash } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { ChainNode } from "../../ports/ChainNode.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { whyNotNewest } from "../lag/ledgerLag.ts"
import { nodeTimeout, whyUnasked } from "../turns/nodeWait.ts"
import { findBlockByTime } from "./blockByTime.ts"

/**
 * The last block that is not younger; seconds. Without `exact` it may be an earlier one after which no balance of a token
 * changed; the native currency moves in blocks of which the ledger knows nothing.
 */
interface AskedTime {
  readonly by: "timestamp"
  readonly time: number
  readonly exact?: boolean
  /** By which parameter and in which words, for refusals; absent = `timestamp`, in ISO 8601. */
  readonly given?: { readonly parameter: string; readonly text: string }
}

export type BlockSelector =
  | AskedTime
  | { readonly by: "blockHash"; readonly hash: Hash }
  /** The newest that no reorg takes back any more. */
  | { readonly by: "finality" }

export interface AskedBlock {
  readonly blockNumber: number
  /** Of the ledger when this was found: a page of the block gives it back (`PageRequest`). */
  readonly rollbacks: number
  /** A node had a word in it. */
  readonly ofNode: boolean
}

const pauseBetween = Duration.millis(100)

/** Of a block between two, in which no balance changes, the first: whichever is meant, they say the same. */
export const findAskedBlock = Effect.fnUntraced(function* (chainId: ChainId, selector: BlockSelector) {
  switch (selector.by) {
    case "timestamp":
      return yield* blockAt(chainId, selector)
    case "blockHash":
      return yield* blockOf(chainId, selector.hash)
    case "finality":
      return yield* newestFinal(chainId)
  }
})

const newestFinal = Effect.fnUntraced(function* (chainId: ChainId) {
  const { asOf, value } = yield* (yield* BlockTimes).newest(chainId)
  const head = yield* headOf("finality", "finalized", asOf)
  const blockNumber = Math.min(value.finalizedBlock, head.blockNumber)
  if (blockNumber < head.firstBlock) {
    return yield* new HistoryNotAvailable({ message: "no block of the indexed history is final yet", asOf })
  }
  const found: AskedBlock = { blockNumber, rollbacks: value.rollbacks, ofNode: false }
  return found
})

const blockAt = Effect.fnUntraced(function* (chainId: ChainId, { time, exact = false, given }: AskedTime) {
  const { asOf, value: around } = yield* (yield* BlockTimes).around(chainId, time + 1)
  const { parameter, text: value } = given ?? { parameter: "timestamp", text: dateTimeOf(time) }
  const head = yield* headOf(parameter, value, asOf)
  const { before, after, isQuiet, rollbacks } = around
  if (before === undefined) {
    return yield* new HistoryNotAvailable({
      message: `${parameter}: expected a time of the indexed history, which starts at block ${head.firstBlock}, got ${value}`,
      asOf,
    })
  }
  if (after === undefined) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    if (time > Math.max(now, head.time)) {
      return yield* new InvalidParameter({ parameter, value, wanted: "a time up to now", asOf })
    }
    const why = yield* whyNotNewest(head)
    if (why !== undefined) return yield* unknown(`${why}. Try again shortly`)
    const newest: AskedBlock = { blockNumber: head.blockNumber, rollbacks, ofNode: false }
    return newest
  }
  if ((isQuiet && !exact) || after.block - before.block === 1) {
    const known: AskedBlock = { blockNumber: before.block, rollbacks, ofNode: false }
    return known
  }
  const told = yield* findBlockByTime({ chainId, time, closest: "before" }).pipe(
    Effect.catchTag("FigureUnknown", ({ message }) => Effect.fail(new BlockUnknown({ message }))),
  )
  const found: AskedBlock = { blockNumber: told.value ?? before.block, rollbacks, ofNode: told.ofNode }
  return found
})

/** Of old blocks the ledger keeps few hashes: the node tells the number of one, and which block stands there. */
const blockOf = Effect.fnUntraced(function* (chainId: ChainId, hash: Hash) {
  const { asOf, value } = yield* (yield* BlockTimes).newest(chainId, hash)
  const head = yield* headOf("blockHash", hash, asOf)
  const { ofHash, finalizedBlock, rollbacks } = value
  if (ofHash !== undefined) {
    const known: AskedBlock = { blockNumber: ofHash, rollbacks, ofNode: false }
    return known
  }
  const refuse = (wanted: string) => new InvalidParameter({ parameter: "blockHash", value: hash, wanted, asOf })
  const told = yield* blockByHash(chainId, hash).pipe(
    Effect.timeout(nodeTimeout),
    Effect.mapError((error) => unknown(whyUnasked(error))),
  )
  const number = numberOf("result" in told ? told.result : undefined)
  if ("error" in told) return yield* vain
  if (number === undefined) return yield* refuse("the hash of a block of this chain, which its node knows none by")
  if (number > head.blockNumber)
    return yield* refuse(`a block up to the indexed head ${head.blockNumber}; it is ${number}`)
  const gone = `a block of this chain; another one stands at ${number}`
  if (number > finalizedBlock) return yield* refuse(gone)
  const [header] = yield* (yield* ChainSource)
    .of(chainId)
    .headers([number])
    .pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError((error) => unknown(whyUnasked(error))),
    )
  if (header === undefined) return yield* vain
  if (header.hash !== hash) return yield* refuse(gone)
  const found: AskedBlock = { blockNumber: number, rollbacks, ofNode: true }
  return found
})

/** One of many servers behind a node's URL may say once that it knows no such block: it is believed when it is said three times. */
const blockByHash = Effect.fnUntraced(function* (chainId: ChainId, hash: Hash) {
  const node = yield* ChainNode
  for (let tries = 1; ; tries++) {
    const told = yield* node.call(chainId, "eth_getBlockByHash", [hash, false])
    if ("error" in told || told.result !== null || tries === 3) return told
    yield* Effect.sleep(pauseBetween)
  }
})

/** A number that a node tells, where it tells of a block. */
const numberOf = (block: unknown): number | undefined => {
  const number =
    typeof block === "object" && block !== null ? (block as { readonly number?: unknown }).number : undefined
  return typeof number === "string" && /^0x[0-9a-f]{1,12}$/iu.test(number) ? Number(number) : undefined
}

const headOf = Effect.fnUntraced(function* (parameter: string, value: string, asOf: ReadonlyArray<AsOf>) {
  const [head] = asOf
  if (head !== undefined) return head
  return yield* new InvalidParameter({
    parameter,
    value,
    wanted: "a block up to the indexed head (nothing is indexed yet)",
  })
})

const unknown = (why: string) => new BlockUnknown({ message: `the block is not known: ${why}` })
const vain = unknown("the chain's node could not be asked. Try again shortly")
