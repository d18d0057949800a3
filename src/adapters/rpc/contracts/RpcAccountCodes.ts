/** The AccountCodes port over JSON-RPC: `eth_getCode`, many in a batch. */
import { Effect, Layer } from "effect"
import type { Address } from "../../../model/primitives.ts"
import { AccountCodes, type CodeKind } from "../../../ports/AccountCodes.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { quantity } from "../wire/abi.ts"
import { Malformed, quote } from "../wire/shapes.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    AccountCodes,
    Effect.map(RpcClients.RpcClients, (clients) =>
      AccountCodes.of({
        kindsOf: (chainId, addresses, blockNumber) => kindsOf(clients.of(chainId).client, addresses, blockNumber),
      }),
    ),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. */
export const kindsOf = (client: Pick<RpcClient, "batch">, addresses: ReadonlyArray<Address>, blockNumber: number) =>
  client.batch(addresses.map((address) => codeCall(address, blockNumber)))

/** EIP-7702: three bytes, and the address that the account lends its code from. */
const delegation = /^0xef0100[0-9a-f]{40}$/iu

const codeCall = (address: Address, blockNumber: number): RpcCall<CodeKind> => ({
  method: "eth_getCode",
  params: [address, quantity(blockNumber)],
  read: (result) => {
    if (typeof result !== "string" || !/^0x(?:[0-9a-f]{2})*$/iu.test(result.slice(0, 64)))
      throw new Malformed(`code: expected hex, got ${quote(result)}`)
    if (result.length === 2) return "none"
    return delegation.test(result) ? "delegation" : "contract"
  },
})
