/** The TokenMetadata port over JSON-RPC: view calls, many in one `eth_call` or at least many a request. */
import { Effect, Layer } from "effect"
import type { Address } from "../../../model/primitives.ts"
import type { TokenDescription } from "../../../model/token.ts"
import type { MintedNft } from "../../../ports/Ledger.ts"
import { TokenMetadata } from "../../../ports/TokenMetadata.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { abiWord } from "../wire/abi.ts"
import { abiDecimals, abiString, abiUri } from "../wire/abiText.ts"
import { type Multicall, makeMulticall, type ViewCall } from "./multicall.ts"
import { view } from "./view.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    TokenMetadata,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const wayOf = RpcClients.byChain(clients, chains, ({ client }, { multicall3 }) => ({
        client,
        multicall: makeMulticall(client, multicall3),
      }))
      return TokenMetadata.of({
        describe: (chainId, addresses) => {
          const { client, multicall } = wayOf(chainId)
          return describe(client, addresses, multicall)
        },
        tokenUris: (chainId, nfts) => {
          const { client, multicall } = wayOf(chainId)
          return tokenUris(client, nfts, multicall)
        },
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** What one call may use. A picture may be drawn on the chain: it has as much as most nodes allow. */
const gas = { text: 5_000_000, uri: 50_000_000 }

/** Exported for tests, which bring a client of their own. Without `multicall` every call is made alone. */
export const describe = Effect.fn("RpcTokenMetadata.describe")(function* (
  client: RpcClient,
  addresses: ReadonlyArray<Address>,
  multicall?: Multicall,
) {
  const calls = addresses.flatMap((to) => selectors.map((data): ViewCall => ({ to, data })))
  const data = yield* view(client, calls, multicall, { gas: gas.text })
  return addresses.map((_, index): TokenDescription => {
    const name = abiString(data[3 * index]!)
    const symbol = abiString(data[3 * index + 1]!)
    const decimals = abiDecimals(data[3 * index + 2]!)
    return {
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(decimals === undefined ? {} : { decimals }),
    }
  })
})

/** Exported for tests, like `describe`. */
export const tokenUris = Effect.fn("RpcTokenMetadata.tokenUris")(function* (
  client: RpcClient,
  nfts: ReadonlyArray<Pick<MintedNft, "token" | "tokenId">>,
  multicall?: Multicall,
) {
  const calls = nfts.map(({ token, tokenId }): ViewCall => ({ to: token, data: uriSelector + abiWord(tokenId) }))
  const data = yield* view(client, calls, multicall, { gas: gas.uri })
  return data.map(abiUri)
})

/** tokenURI(uint256) */
const uriSelector = "0xc87b56dd"

/** name(), symbol(), decimals() */
const selectors = ["0x06fdde03", "0x95d89b41", "0x313ce567"]
