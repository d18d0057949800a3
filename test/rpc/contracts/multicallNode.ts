/** A node in memory whose chain has Multicall3 from some block on, every other contract answering one. Counts what it is asked. */
import { Effect } from "effect"
import { multicall3 } from "../../../src/adapters/rpc/contracts/multicall.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { Hash } from "../../../src/model/primitives.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"

/** Of its newest block. */
export const head = 1000

export interface MulticallNode {
  /** The first block after which Multicall3 is there; absent = none. */
  made: number | undefined
  /** Whether it fails at a call: `eth_getCode`, an `eth_call` of Multicall3 ("together") or of another contract. */
  fails: (kind: "eth_getCode" | "together" | "alone") => boolean
  /** Whether what it says of Multicall3 is that nothing is there, though it is. */
  lies: boolean
  /** Bytes that follow the one word of each answer: zeros, whole words of them. */
  bytesBehind: number
  /** Calls but headers since they were last counted. */
  readonly count: () => number
  readonly client: RpcClient
}

export const pinOf = (blockNumber: number) => ({ blockNumber, hash: Hash.make(`0x${hex(blockNumber)}`) })

export const makeMulticallNode = (): MulticallNode => {
  let asked = 0
  const answer = ({ method, params, read }: RpcCall<unknown>): unknown => {
    if (method === "eth_getBlockByNumber") return read(headerOf(Number(params[0])))
    asked++
    const [{ to } = {}, block] = params as [{ to?: string; data: string }?, unknown?]
    const kind = method === "eth_getCode" ? method : to === multicall3 ? "together" : "alone"
    if (node.fails(kind)) throw new SourceUnavailable({ message: "out of order" })
    const at = typeof block === "object" ? Number((block as { blockHash: string }).blockHash) : Number(block)
    const number = block === "latest" ? head : at
    const isThere = node.made !== undefined && number >= node.made
    if (kind === "eth_getCode") return read(isThere ? "0xfe" : "0x")
    if (kind === "together")
      return read(isThere && !node.lies ? aggregateOf(params[0] as { data: string }, number, behind()) : "0x")
    return to === undefined ? read(`0x${hex(number)}${hex(timeOf(number))}`) : read(`0x${hex(1)}${behind()}`)
  }
  const behind = () => "00".repeat(node.bytesBehind)
  const batch = (calls: ReadonlyArray<RpcCall<unknown>>) =>
    Effect.try({ try: () => calls.map(answer), catch: (error) => error as SourceUnavailable })
  const together = (calls: ReadonlyArray<RpcCall<unknown>>) =>
    Effect.map(batch(calls), (values) => ({
      values,
      whole: true,
      origins: calls.map(() => 0),
      tellers: calls.map(() => 0),
    }))
  const node: MulticallNode = {
    made: 500,
    fails: () => false,
    lies: false,
    bytesBehind: 0,
    count: () => {
      const counted = asked
      asked = 0
      return counted
    },
    client: { batch, together, current: () => 0, label: "node", failover: Effect.void } as unknown as RpcClient,
  }
  return node
}

const hex = (value: number) => value.toString(16).padStart(64, "0")
const timeOf = (number: number) => 1_700_000_000 + 12 * number
const headerOf = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: pinOf(number).hash,
  parentHash: pinOf(number - 1).hash,
  timestamp: `0x${timeOf(number).toString(16)}`,
})

/** What aggregate3 returns: the two clocks of a pinned question as they are, one of all others, and what is `behind` it. */
const aggregateOf = ({ data }: { readonly data: string }, number: number, behind: string): string => {
  const count = Number(`0x${data.slice(10 + 64, 10 + 128)}`)
  const isPinned = data.includes("42cbb15c")
  const values = Array.from({ length: count }, (_, place) =>
    isPinned && place < 2 ? hex([number, timeOf(number)][place]!) : hex(1) + behind,
  )
  const tuples = values.map((value) => hex(1) + hex(64) + hex(value.length / 2) + value)
  let end = 32 * count
  const offsets = tuples.map((tuple) => {
    end += tuple.length / 2
    return hex(end - tuple.length / 2)
  })
  return `0x${hex(32)}${hex(count)}${offsets.join("")}${tuples.join("")}`
}
