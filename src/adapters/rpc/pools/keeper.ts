/** Which node keeps the state of a past block: asked by what it says of pools, which may not have been there yet. */
import { Effect, Result } from "effect"
import type { Address } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { callParams, type Multicall } from "../contracts/multicall.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isContractFault, isPruned, isRateLimit, isUnknownBlock, type RpcFault } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { bytesOf } from "../wire/shapes.ts"
import { type ConcentratedPool, liquiditySelector } from "./poolCurves.ts"

/** What any of these calls may use: far more than they need. */
export const gas = 5_000_000

/** Without `multicall` every call is made alone. */
export interface Way {
  readonly client: RpcClient
  readonly multicall?: Multicall
}

/** Who keeps the state after a block, and a pool that was there then; none where none of them was, but the token was. */
export const findKeeper = Effect.fnUntraced(function* (
  ways: ReadonlyArray<Way>,
  asked: ReadonlyArray<ConcentratedPool>,
  at: number,
) {
  const pools = asked.map(({ pool }) => pool)
  const failures: Array<SourceUnavailable> = []
  const empty: Array<Way> = []
  let pruned = 0
  for (const each of ways) {
    const answer = yield* Effect.result(askKept(pools, at, each))
    if (Result.isFailure(answer)) failures.push(answer.failure)
    else {
      const { there, kept } = answer.success
      if (there !== undefined) return { way: each, there }
      if (kept.includes("failed")) failures.push(new SourceUnavailable({ message: `${each.client.label}: no answer` }))
      else if (kept.includes("empty")) empty.push(each)
      else pruned++
    }
  }
  // A pool that was made later says nothing, as a node does that has no state: an anchor is older than most pools.
  const tokens = [...new Set(asked.flatMap(({ kind: { token0, token1 } }) => [token0, token1]))]
  for (const each of empty) {
    const code = yield* Effect.result(each.client.batch(tokens.map((token) => codeCall(token, at))))
    if (Result.isFailure(code)) failures.push(code.failure)
    else if (code.success.includes(true)) return { way: each, there: undefined }
    else pruned++
  }
  if (failures.length === 0) return "gone"
  return pruned > 0 ? "unheard" : yield* failures[0]!
})

/** The first pool by itself, then the others: an odd one among them says nothing of the node. */
const askKept = Effect.fnUntraced(function* (pools: ReadonlyArray<Address>, at: number, { client }: Way) {
  const [first, ...rest] = pools
  const alone = yield* Effect.result(client.batch([keptCall(first!, at)]))
  if (Result.isSuccess(alone) && alone.success[0] === "kept") return { there: first!, kept: alone.success }
  const others = rest.length === 0 ? [] : yield* client.batch(rest.map((pool) => tolerant(keptCall(pool, at))))
  const there = rest[others.indexOf("kept")]
  if (there === undefined && Result.isFailure(alone)) return yield* alone.failure
  return { there, kept: [...(Result.isSuccess(alone) ? alone.success : []), ...others] }
})

type Kept = "kept" | "empty" | "pruned" | "failed"

/** What the node says of one call alone is told of that one. */
const tolerant = (call: RpcCall<Kept>): RpcCall<Kept> => ({
  ...call,
  readFault: (fault) =>
    call.readFault?.(fault) ?? (fault.kind === "answer" && !isRateLimit(fault) ? { value: "failed" } : undefined),
})

/** Whether the node keeps a pool's state after the block. */
const keptCall = (to: Address, at: number): RpcCall<Kept> => ({
  method: "eth_call",
  params: callParams({ to, data: liquiditySelector }, { at, gas }),
  read: (result) => (bytesOf(result, "eth_call") === "0x" ? "empty" : "kept"),
  readFault: (fault) =>
    isOldState(fault) ? { value: "pruned" } : isContractFault(fault) ? { value: "kept" } : undefined,
})

/** Whether there is a contract after the block. */
const codeCall = (address: Address, at: number): RpcCall<boolean> => ({
  method: "eth_getCode",
  params: [address, quantity(at)],
  read: (result) => bytesOf(result, "eth_getCode") !== "0x",
  readFault: (fault) => (isOldState(fault) ? { value: false } : undefined),
})

/** A node that does not know a final block has no state of it either. */
const isOldState = (fault: RpcFault): boolean => isPruned(fault) || isUnknownBlock(fault)
