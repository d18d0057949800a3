/** The PoolDepths port over JSON-RPC: kinds of pools are asked once, the liquidity of concentrated ones state by state. */
import { Effect, identity, Layer, Result } from "effect"
import { type Curve, nearDepth } from "../../../domain/prices/nearDepth.ts"
import type { NearDepth } from "../../../model/price.ts"
import type { Address } from "../../../model/primitives.ts"
import { makeBatchCache } from "../../../model/time/batchCache.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../../ports/PoolDepths.ts"
import { callParams, type Multicall, makeMulticall } from "../contracts/multicall.ts"
import { type AskState, view } from "../contracts/view.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isContractFault, isPruned } from "../transport/fault.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { bytesOf, quantityOf } from "../wire/shapes.ts"
import { type ConcentratedPool, curvesOf, liquiditySelector } from "./poolCurves.ts"
import { type Concentrated, kindCalls, kindOf, type PoolKind } from "./poolKinds.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    PoolDepths,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const readers = new Map(
        chains.map(({ chainId, multicall3 }) => {
          const { client, each } = clients.of(chainId)
          const withMulticall = (client: RpcClient) => ({ client, multicall: makeMulticall(client, multicall3) })
          return [chainId, depthReader(withMulticall(client), each.length > 1 ? each.map(withMulticall) : [])]
        }),
      )
      return PoolDepths.of({
        read: (chainId, pools, at) => {
          const read = readers.get(chainId)
          return read === undefined ? Effect.die(new Error(`chain ${chainId} has no configured node`)) : read(pools, at)
        },
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** What any of these calls may use: far more than they need. */
const gas = 5_000_000
/** Pools that are asked about at once: each takes some dozens of calls, with a tick at each price two thousand. */
const poolsAtOnce = 50
/** The newest block may not be everywhere yet. */
const blocksBehind = 2
/** Pools whose kind is remembered: about 700 bytes each. */
const mostKinds = 20_000

/** Without `multicall` every call is made alone. */
interface Way {
  readonly client: RpcClient
  readonly multicall?: Multicall
}

/** Exported for tests. `others` ask one node each: for a past state that is not kept where `way` leads. */
export const depthReader = (way: Way, others: ReadonlyArray<Way> = []) => {
  /** A pool whose kind is not recognised is asked again. */
  const kinds = makeBatchCache<Address, PoolKind | "silent" | undefined>({
    capacity: mostKinds,
    lifetimeMs: (kind) => (kind === undefined || kind === "silent" ? 0 : Number.POSITIVE_INFINITY),
  })
  /** Pools that could be read once: what cannot be of one is a node's fault. */
  const readable = makeBatchCache<Address, true>({ capacity: mostKinds })
  const ask =
    (at: number, { client, multicall }: Way = way): AskState =>
    (calls) =>
      view(client, calls, multicall, { at, gas, strict: true })

  /**
   * Who keeps the state after a block, and a pool that was there then. "gone": all say that they do not. Where some do not say it,
   * and none keeps it, nothing is known.
   */
  const findKeeper = Effect.fnUntraced(function* (pools: ReadonlyArray<Address>, at: number) {
    const failures: Array<SourceUnavailable> = []
    let refused = 0
    for (const each of [way, ...others]) {
      const asked = yield* Effect.result(each.client.batch(pools.map((pool) => keptCall(pool, at))))
      if (Result.isFailure(asked)) failures.push(asked.failure)
      else {
        const there = pools.find((_, place) => asked.success[place] === "kept")
        if (there !== undefined) return { way: each, there }
        refused++
      }
    }
    if (refused > 0) return failures.length > 0 ? "unheard" : "gone"
    return yield* failures[0]!
  })

  const askKinds = Effect.fnUntraced(function* (pools: ReadonlyArray<Address>, newest: number) {
    const data = yield* ask(newest)(pools.flatMap(kindCalls))
    const each = data.length / pools.length
    return pools.map((_, place) => kindOf(data.slice(place * each, (place + 1) * each)))
  })

  const readCurves = Effect.fnUntraced(function* (
    asked: ReadonlyArray<ConcentratedPool>,
    newest: number,
    at: number | undefined,
  ) {
    const pools = asked.map(({ pool }) => pool)
    const keeper = at === undefined ? { way, there: undefined } : yield* findKeeper(pools, at)
    if (typeof keeper === "string") return pools.map(() => keeper)
    const curves = yield* curvesOf(ask(at ?? newest, keeper.way), asked)
    const known = yield* readable.find(new Set(pools))
    const isThere = keeper.there !== undefined && curves[pools.indexOf(keeper.there)] !== "silent"
    const depths = asked.map(({ pool, kind }, place): FoundDepth | undefined => {
      const curve = curves[place]
      // One that was made later says nothing in the state of a node that has just said something of another.
      if (curve === "silent") return isThere ? undefined : "unheard"
      return (curve && depthOf(kind, curve)) ?? (known.has(pool) ? "unheard" : undefined)
    })
    yield* readable.keep(pools.flatMap((pool, place) => (typeof depths[place] === "object" ? [[pool, true]] : [])))
    return depths
  })

  const readSome = Effect.fnUntraced(function* (pools: ReadonlyArray<Address>, newest: number, at: number | undefined) {
    const found = yield* kinds.recall(pools, identity, (missing) => askKinds(missing, newest))
    const depths = new Map<Address, FoundDepth | undefined>()
    const concentrated: Array<ConcentratedPool> = []
    for (const [place, pool] of pools.entries()) {
      const kind = found[place]
      if (kind === "silent") depths.set(pool, "unheard")
      else if (kind === undefined || kind === "held") depths.set(pool, kind)
      else concentrated.push({ pool, kind })
    }
    if (concentrated.length > 0)
      for (const [place, depth] of (yield* readCurves(concentrated, newest, at)).entries())
        depths.set(concentrated[place]!.pool, depth)
    return pools.map((pool) => depths.get(pool))
  })

  return Effect.fn("RpcPoolDepths.read")(function* (pools: ReadonlyArray<Address>, at?: number) {
    const [head] = yield* way.client.batch([headCall])
    const newest = Math.max(0, head! - blocksBehind)
    const depths: Array<FoundDepth | undefined> = []
    for (let from = 0; from < pools.length; from += poolsAtOnce) {
      depths.push(...(yield* readSome(pools.slice(from, from + poolsAtOnce), newest, at)))
    }
    return depths
  })
}

const depthOf = ({ token0, token1 }: Concentrated, curve: Curve) => {
  const reserves = nearDepth(curve)
  const byToken = (of0: bigint, of1: bigint): NearDepth =>
    new Map([
      [token0, of0],
      [token1, of1],
    ])
  return reserves && byToken(reserves.of0, reserves.of1)
}

const headCall: RpcCall<number> = {
  method: "eth_blockNumber",
  params: [],
  read: (result) => quantityOf(result, "block number"),
}

/** Whether the node keeps a pool's state after the block: some that do not say "0x", as of a pool that was made later. */
const keptCall = (to: Address, at: number): RpcCall<"kept" | "not kept"> => ({
  method: "eth_call",
  params: callParams({ to, data: liquiditySelector }, { at, gas }),
  read: (result) => (bytesOf(result, "eth_call") === "0x" ? "not kept" : "kept"),
  readFault: (fault) =>
    isPruned(fault) ? { value: "not kept" } : isContractFault(fault) ? { value: "kept" } : undefined,
})
