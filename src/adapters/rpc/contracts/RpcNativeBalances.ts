/** The NativeBalances port over JSON-RPC. */
import { Effect, Layer } from "effect"
import type { Address, Hash } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { NativeBalances } from "../../../ports/NativeBalances.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf, Malformed, quote } from "../wire/shapes.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    NativeBalances,
    Effect.map(RpcClients.RpcClients, (clients) =>
      NativeBalances.of({
        of: (chainId, addresses, blockNumber, hash) =>
          balancesOf(clients.of(chainId).client, addresses, blockNumber, hash),
      }),
    ),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. */
export const balancesOf = Effect.fn("RpcNativeBalances.of")(function* (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
  blockNumber: number,
  hash?: Hash,
) {
  const calls = addresses.map((address) => balanceCall(address, blockNumber))
  if (hash === undefined) return yield* client.batch(calls)
  const checked: ReadonlyArray<RpcCall<bigint | Hash | undefined>> = [hashCall(blockNumber), ...calls]
  // Behind a balancer two nodes may be on two forks.
  const { values, whole } = yield* client.together(checked)
  const [told, ...balances] = values
  if (whole && told === hash) return balances as ReadonlyArray<bigint>
  return yield* new SourceUnavailable({ message: `the node does not have block ${blockNumber} (${hash})` })
})

const hashCall = (blockNumber: number): RpcCall<Hash | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(blockNumber), false],
  read: (result) => headerOf(result)?.hash,
})

const balanceCall = (address: Address, blockNumber: number): RpcCall<bigint> => ({
  method: "eth_getBalance",
  params: [address, quantity(blockNumber)],
  read: (result) => {
    // Null and `0x` are what a node says that does not have the state.
    if (typeof result === "string" && /^0x[0-9a-f]{1,64}$/iu.test(result)) return BigInt(result)
    throw new Malformed(`balance: expected a hex quantity, got ${quote(result)}`)
  },
})
