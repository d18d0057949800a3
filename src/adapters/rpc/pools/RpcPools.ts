/** The Pools port over JSON-RPC: what pools say of themselves, held against what their factories say. */

import { Effect, Layer } from "effect"
import { addressAt } from "../../../domain/ingest/decode/abi.ts"
import { type Address, zeroAddress } from "../../../model/primitives.ts"
import { type AskedState, Pools } from "../../../ports/Pools.ts"
import { havingBlock } from "../contracts/havingBlock.ts"
import { type Multicall, makeMulticall, type ViewCall } from "../contracts/multicall.ts"
import { view } from "../contracts/view.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { abiDecimals } from "../wire/abiText.ts"
import { type Claim, makeJudge } from "./poolProof.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    Pools,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const readerOf = RpcClients.byChain(clients, chains, ({ client }, { multicall3, nativeCurrency }) =>
        poolReader(client, makeMulticall(client, multicall3), nativeCurrency?.decimals),
      )
      return Pools.of({
        describe: (chainId, pools, at) => readerOf(chainId).describe(pools, at),
        decimals: (chainId, tokens, at) => readerOf(chainId).decimals(tokens, at),
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** What any of these calls may use: far more than an honest contract needs, little enough that none keeps a node busy. */
const gas = 5_000_000

/** Exported for tests, which bring a client of their own. Without `multicall` every call is made alone. */
export const poolReader = (client: RpcClient, multicall?: Multicall, nativeDecimals = 18) => {
  const ask = (state: AskedState) => {
    const asking = havingBlock(client, state)
    const at = state.hash && state.block
    return (calls: ReadonlyArray<ViewCall>) => view(asking, calls, multicall, { at, gas })
  }
  const judge = makeJudge(ask)

  const decimals = Effect.fn("RpcPools.decimals")(function* (tokens: ReadonlyArray<Address>, at: AskedState) {
    const asked = tokens.filter((token) => token !== zeroAddress)
    const data = yield* ask(at)(asked.map((to) => ({ to, data: selectors.decimals })))
    const known = new Map(asked.map((token, place) => [token, abiDecimals(data[place]!) ?? 0]))
    return tokens.map((token) => (token === zeroAddress ? nativeDecimals : known.get(token)!))
  })

  const describe = Effect.fn("RpcPools.describe")(function* (pools: ReadonlyArray<Address>, at: AskedState) {
    const data = yield* ask(at)(
      pools.flatMap((to) => [selectors.token0, selectors.token1, selectors.factory].map((data) => ({ to, data }))),
    )
    const said = pools.map((pool, index) => {
      const [token0, token1, factory] = data.slice(3 * index, 3 * index + 3).map(addressAt)
      if (token0 === undefined || token1 === undefined || token0 === token1) return undefined
      if (token0 === zeroAddress || token1 === zeroAddress) return undefined
      return { pool, token0, token1, ...(factory === undefined || factory === zeroAddress ? {} : { factory }) }
    })
    const claims = said.filter((each): each is Claim => each?.factory !== undefined)
    const verdicts = yield* judge(claims, at)
    const denied = new Set(claims.filter((_, index) => verdicts[index] === "denied").map(({ pool }) => pool))
    const made = said.map((each) => (each === undefined || denied.has(each.pool) ? undefined : each))
    const tokens = [...new Set(made.flatMap((each) => (each === undefined ? [] : [each.token0, each.token1])))]
    const found = yield* decimals(tokens, at)
    const decimalsBy = new Map(tokens.map((token, place) => [token, found[place]!]))
    return made.map((each) =>
      each === undefined
        ? undefined
        : { ...each, decimals0: decimalsBy.get(each.token0)!, decimals1: decimalsBy.get(each.token1)! },
    )
  })

  return { describe, decimals }
}

const selectors = { token0: "0x0dfe1681", token1: "0xd21220a7", factory: "0xc45a0155", decimals: "0x313ce567" }
