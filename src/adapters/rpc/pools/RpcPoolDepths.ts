/** The PoolDepths port over JSON-RPC: kinds of pools are asked once, the liquidity of concentrated ones state by state. */
import { Effect, identity, Layer } from "effect"
import { type Curve, nearDepth } from "../../../domain/prices/nearDepth.ts"
import type { NearDepth } from "../../../model/price.ts"
import type { Address } from "../../../model/primitives.ts"
import { makeBatchCache } from "../../../model/time/batchCache.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../../ports/PoolDepths.ts"
import { makeMulticall } from "../contracts/multicall.ts"
import { type AskState, view } from "../contracts/view.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { quantityOf } from "../wire/shapes.ts"
import { findKeeper, gas, type Way } from "./keeper.ts"
import { type ConcentratedPool, curvesOf } from "./poolCurves.ts"
import { type Concentrated, kindCalls, kindOf, type PoolKind, saysState } from "./poolKinds.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    PoolDepths,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const readerOf = RpcClients.byChain(clients, chains, ({ client, each }, { multicall3 }) => {
        const withMulticall = (client: RpcClient) => ({ client, multicall: makeMulticall(client, multicall3) })
        return depthReader(withMulticall(client), each.length > 1 ? each.map(withMulticall) : [])
      })
      return PoolDepths.of({ read: (chainId, pools, at) => readerOf(chainId)(pools, at) })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Pools that are asked about at once: each takes some dozens of calls, with a tick at each price two thousand. */
const poolsAtOnce = 50
/** The newest block may not be everywhere yet. */
const blocksBehind = 2
/** Pools whose kind is remembered: about 700 bytes each. */
const mostKinds = 20_000

/** What a pool should have answered, and has not, is asked again: among many backends one may have lost a state. */
const timesAsked = 3

/** Asks again what is answered by nothing. */
const insisting =
  (ask: AskState): AskState =>
  (calls) =>
    Effect.gen(function* () {
      const data = [...(yield* ask(calls))]
      for (let time = 1; time < timesAsked; time++) {
        const open = [...data.keys()].filter((place) => data[place] === "0x")
        if (open.length === 0) break
        const more = yield* ask(open.map((place) => calls[place]!))
        for (const [index, place] of open.entries()) data[place] = more[index]!
      }
      return data
    })

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

  const askKinds = Effect.fnUntraced(function* (pools: ReadonlyArray<Address>, newest: number) {
    const found = new Map<Address, ReadonlyArray<string>>()
    const isOpen = (pool: Address) => !saysState(found.get(pool) ?? [])
    for (let time = 0; time < timesAsked && pools.some(isOpen); time++) {
      const open = pools.filter(isOpen)
      const data = yield* ask(newest)(open.flatMap(kindCalls))
      const each = data.length / open.length
      for (const [place, pool] of open.entries()) found.set(pool, data.slice(place * each, (place + 1) * each))
    }
    return pools.map((pool) => kindOf(found.get(pool) ?? []))
  })

  const readCurves = Effect.fnUntraced(function* (
    asked: ReadonlyArray<ConcentratedPool>,
    newest: number,
    at: number | undefined,
  ) {
    const pools = asked.map(({ pool }) => pool)
    const keeper = at === undefined ? { way, there: undefined } : yield* findKeeper([way, ...others], asked, at)
    if (typeof keeper === "string") return pools.map(() => keeper)
    const curves = yield* curvesOf(insisting(ask(at ?? newest, keeper.way)), asked)
    if (keeper.there !== undefined && curves[pools.indexOf(keeper.there)] === "silent")
      return yield* new SourceUnavailable({
        message: `${way.client.label}: pool ${keeper.there} was there, and was not`,
      })
    const known = yield* readable.find(new Set(pools))
    const depths = asked.map(({ pool, kind }, place): FoundDepth | undefined => {
      const curve = curves[place]
      const depth = typeof curve === "object" ? depthOf(kind, curve) : undefined
      if (depth !== undefined || (at !== undefined && curve === "silent")) return depth
      if (!known.has(pool) && curve !== "silent") return undefined
      return at === undefined ? "silent" : "unheard"
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
      if (typeof kind !== "object") depths.set(pool, kind)
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
