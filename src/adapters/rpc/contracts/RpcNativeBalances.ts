/** The NativeBalances port over JSON-RPC. */
import { Array as Arr, Effect, Layer } from "effect"
import type { Address, Hash } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { NativeBalances } from "../../../ports/NativeBalances.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { quantity } from "../wire/abi.ts"
import { Malformed, quote } from "../wire/shapes.ts"
import { hashCall } from "./hashCall.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    NativeBalances,
    Effect.map(RpcClients.RpcClients, (clients) =>
      NativeBalances.of({
        of: (chainId, addresses, blockNumber, hash) =>
          balancesOf(clients.of(chainId).aside, addresses, blockNumber, hash),
      }),
    ),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Addresses of one request, which says the block's hash too: nodes take fewer calls at once than a caller may name addresses. */
const perRequest = 40

/** Exported for tests, which bring a client of their own. */
export const balancesOf = Effect.fn("RpcNativeBalances.of")(function* (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
  blockNumber: number,
  hash?: Hash,
) {
  if (hash === undefined) return yield* client.batch(addresses.map((address) => balanceCall(address, blockNumber)))
  const parts = Arr.chunksOf(addresses, perRequest)
  const balances = yield* Effect.forEach(parts, (part) => checkedBalances(client, part, blockNumber, hash), {
    concurrency: 4,
  })
  return balances.flat()
})

/** Behind a balancer two nodes may be on two forks: the hash and the balances must be of one answer. */
const checkedBalances = (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
  blockNumber: number,
  hash: Hash,
): Effect.Effect<ReadonlyArray<bigint>, SourceUnavailable> =>
  Effect.gen(function* () {
    const calls: ReadonlyArray<RpcCall<bigint | Hash | undefined>> = [
      hashCall(blockNumber),
      ...addresses.map((address) => balanceCall(address, blockNumber)),
    ]
    const { values, whole } = yield* client.together(calls)
    const [told, ...balances] = values
    if (told !== hash || (!whole && addresses.length === 1)) {
      return yield* new SourceUnavailable({ message: `the node does not have block ${blockNumber} (${hash})` })
    }
    if (whole) return balances as ReadonlyArray<bigint>
    // It was more than one request: a node that takes few calls, or another one that went on.
    const half = Math.ceil(addresses.length / 2)
    const halves = [addresses.slice(0, half), addresses.slice(half)]
    return (yield* Effect.forEach(halves, (part) => checkedBalances(client, part, blockNumber, hash))).flat()
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
