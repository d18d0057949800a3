/** The TokenMetadata port over JSON-RPC: three `eth_call`s a token, many tokens a request. */
import { Effect, Layer } from "effect"
import type { Address } from "../../domain/model/primitives.ts"
import type { TokenDescription } from "../../domain/model/token.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"
import type { RpcCall } from "./answers.ts"
import type { RpcClient } from "./client.ts"
import { isRateLimit, type RpcFault } from "./fault.ts"
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
      return TokenMetadata.of({ describe: (chainId, addresses) => describe(clients.of(chainId).client, addresses) })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. */
export const describe = Effect.fn("RpcTokenMetadata.describe")(function* (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
) {
  const calls = addresses.flatMap((address) => selectors.map((selector) => call(address, selector)))
  const data = yield* client.batch(calls)
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

const call = (to: Address, data: string): RpcCall<string> => ({
  method: "eth_call",
  params: [{ to, data }, "latest"],
  read: (result) => bytesOf(result, "eth_call"),
  readFault: (fault) => (isRevert(fault) ? { value: "0x" } : undefined),
})

/** The contract's own failure, told from the node's. */
const isRevert = (fault: RpcFault): boolean =>
  fault.kind === "answer" &&
  !isRateLimit(fault) &&
  (fault.code === 3 || fault.code === -32015 || failures.test(fault.message))

const failures =
  /revert|invalid opcode|bad instruction|undefined instruction|opcode|out of ?gas|gas required exceeds|stack ?(?:under|over)flow|bad jump|invalid jump|jump destination|vm (?:exception|execution)|evm error|invalidfeopcode|contract execution|always failing/i
