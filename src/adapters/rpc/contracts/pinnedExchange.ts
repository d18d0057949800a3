/** Calls after one very block, all answered by one node that shows that it has the block and its state. */
import { Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import { quantity } from "../wire/abi.ts"
import { type Answer, headerCall, type PinnedHeader, type Spent, viewCall } from "./pinnedCalls.ts"

export interface BlockPin {
  readonly blockNumber: number
  readonly hash: Hash
}

export interface PinnedExchange {
  /** The node takes a block's hash for the block (EIP-1898): until the contrary is seen. */
  takesHashes: boolean
  /** The answers, and the header of the block. */
  readonly ask: (
    at: BlockPin,
    calls: ReadonlyArray<Spent>,
  ) => Effect.Effect<{ readonly header: PinnedHeader; readonly answers: ReadonlyArray<Answer> }, SourceUnavailable>
  /**
   * Undefined = what contracts see as number and time of their block is this header's; else why that is not shown.
   * On Arbitrum and the like that number is another chain's, which the header tells.
   */
  readonly prove: (
    header: PinnedHeader,
    number: string | undefined,
    time: string | undefined,
  ) => SourceUnavailable | undefined
  /** The failure is that the node did not show which block it speaks of. */
  readonly isUnproven: (failure: SourceUnavailable) => boolean
}

export const makePinnedExchange = (client: RpcClient): PinnedExchange => {
  const fail = (what: string) => new SourceUnavailable({ message: `${client.label}: eth_call: ${what}` })

  const ask: PinnedExchange["ask"] = Effect.fnUntraced(function* (at, calls) {
    const { blockNumber: number, hash } = at
    const byHash = exchange.takesHashes
    const block = byHash ? { blockHash: hash, requireCanonical: true } : quantity(number)
    const { values, whole } = yield* client.together<unknown>([
      headerCall(number),
      ...calls.map((call) => viewCall(call, block, byHash)),
      headerCall(number),
    ])
    const headers = [values[0], values.at(-1)] as ReadonlyArray<PinnedHeader | undefined>
    const answers = values.slice(1, -1) as ReadonlyArray<Answer>
    if (answers.includes("by number")) {
      exchange.takesHashes = false
      return yield* ask(at, calls)
    }
    if (answers.includes("absent") || headers.some((header) => header?.hash !== hash)) {
      return yield* fail(`the node has no block ${number} with hash ${hash}`)
    }
    if (answers.includes("pruned")) return yield* fail(`the node does not keep the state of block ${number}`)
    if (!whole && !byHash) return yield* fail("the node answers neither by a block's hash nor in one batch")
    return { header: headers[0]!, answers }
  })

  const unproven = new WeakSet<SourceUnavailable>()
  const failUnproven = (what: string) => {
    const failure = fail(what)
    unproven.add(failure)
    return failure
  }

  const exchange: PinnedExchange = {
    takesHashes: true,
    ask,
    prove: (header, number, time) => {
      if (!isWord(number) || !isWord(time)) return failUnproven(withoutClock)
      const seen = Number(BigInt(number))
      const distance = Math.abs(seen - header.number)
      // Old versions of Arbitrum's showed contracts one more than the header tells.
      const isToldSo = header.seenAs !== undefined && [0, 1].includes(seen - header.seenAs)
      const isOfBlock = distance === 0 || distance > otherChainFrom || isToldSo
      if (BigInt(time) === BigInt(header.time) && isOfBlock) return undefined
      const what = distance === 0 && BigInt(time) > BigInt(header.time) ? withLaterTime : "of the state of another"
      return failUnproven(`asked about block ${header.number}, the node answers ${what}`)
    },
    isUnproven: (failure) => unproven.has(failure),
  }
  return exchange
}

/** By Multicall3, or by init code, as `pinned.ts` asks it. */
const withoutClock =
  "the node does not show which block it answers for: it has no Multicall3 there, and runs no init code (eth_call without `to`). Use another node, or name the chain's Multicall3 in the file of COWRY_CONFIG (`multicall3`)"

/** The state may be the right one, which nothing shows: https://github.com/cosmos/cosmos-sdk/issues/12226 */
const withLaterTime =
  "with its number and a later block's time, so its state may be another's too. Nodes on old versions of the Cosmos SDK do so: use one on a newer version, or another node"

const isWord = (data: string | undefined): data is string => data !== undefined && /^0x[0-9a-f]{64}$/.test(data)

/** Of blocks: a number of another chain that no header tells is further away than any state that is kept. */
const otherChainFrom = 100_000
