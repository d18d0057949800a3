/** The TokenMetadata port over JSON-RPC: three view calls a token, many in one `eth_call` or at least many a request. */
import { Effect, Layer } from "effect"
import type { Address } from "../../domain/model/primitives.ts"
import type { TokenDescription } from "../../domain/model/token.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"
import type { RpcCall } from "./answers.ts"
import type { RpcClient } from "./client.ts"
import { isContractFault } from "./fault.ts"
import { type Multicall, makeMulticall, type ViewCall } from "./multicall.ts"
import type { RpcChain } from "./RpcClients.ts"
import * as RpcClients from "./RpcClients.ts"
import { bytesOf } from "./shapes.ts"
import { decimalsOf, textOf } from "./texts.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    TokenMetadata,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const multicalls = new Map(chains.map(({ chainId }) => [chainId, makeMulticall(clients.of(chainId).client)]))
      return TokenMetadata.of({
        describe: (chainId, addresses) => describe(clients.of(chainId).client, addresses, multicalls.get(chainId)),
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. Without `multicall` every call is made alone. */
export const describe = Effect.fn("RpcTokenMetadata.describe")(function* (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
  multicall?: Multicall,
) {
  const calls = addresses.flatMap((to) => selectors.map((data): ViewCall => ({ to, data })))
  const data = [...(multicall === undefined ? calls.map(() => undefined) : yield* multicall.ask(calls))]
  const open = [...calls.keys()].filter((index) => data[index] === undefined)
  const alone = yield* client.batch(open.map((index) => aloneCall(calls[index]!)))
  open.forEach((index, place) => {
    data[index] = alone[place]!
  })
  return addresses.map((_, index): TokenDescription => {
    const name = textOf(data[3 * index]!)
    const symbol = textOf(data[3 * index + 1]!)
    const decimals = decimalsOf(data[3 * index + 2]!)
    return {
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(decimals === undefined ? {} : { decimals }),
    }
  })
})

/** name(), symbol(), decimals() */
const selectors = ["0x06fdde03", "0x95d89b41", "0x313ce567"]

const aloneCall = ({ to, data }: ViewCall): RpcCall<string> => ({
  method: "eth_call",
  params: [{ to, data }, "latest"],
  read: (result) => bytesOf(result, "eth_call"),
  readFault: (fault) => (isContractFault(fault) ? { value: "0x" } : undefined),
})
