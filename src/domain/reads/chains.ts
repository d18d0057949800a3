/** Which chains a request speaks of: the path's network and chain, narrowed by the three selectors. */
import { Effect } from "effect"
import { ChainNotSupported } from "../../model/errors.ts"
import { type Chain, Networks } from "../../ports/Networks.ts"

export interface ChainSelectors {
  /** An ecosystem's name or a chain id. */
  readonly ecosystem?: string
  readonly includedChainIds?: ReadonlyArray<string>
  readonly excludedChainIds?: ReadonlyArray<string>
}

/** The named chain. `all` is not one. */
export const findChain = Effect.fnUntraced(function* (network: string, chainId: string) {
  const chain = (yield* chainsOf(network)).find((candidate) => candidate.chainId === chainId)
  if (chain === undefined) return yield* notSupported(network, chainId)
  return chain
})

/** The chains of a path (`all` = every chain of the network), ascending by id, that pass the selectors; possibly none. */
export const selectChains = Effect.fnUntraced(function* (network: string, chainId: string, selectors: ChainSelectors) {
  const named = chainId === "all" ? yield* chainsOf(network) : [yield* findChain(network, chainId)]
  return named.filter((chain) => passes(chain, selectors)).map((chain) => chain.chainId)
})

const chainsOf = Effect.fnUntraced(function* (network: string) {
  const { chains } = yield* Networks
  const inNetwork = chains.filter((chain) => chain.network === network)
  if (inNetwork.length === 0) return yield* notSupported(network, undefined)
  return inNetwork
})

const passes = (chain: Chain, { ecosystem, includedChainIds, excludedChainIds }: ChainSelectors): boolean =>
  (ecosystem === undefined || chain.chainId === ecosystem || chain.ecosystems.includes(ecosystem)) &&
  (includedChainIds === undefined || includedChainIds.includes(chain.chainId)) &&
  (excludedChainIds === undefined || !excludedChainIds.includes(chain.chainId))

const notSupported = (network: string, chainId: string | undefined) =>
  new ChainNotSupported({
    message:
      chainId === undefined
        ? `network ${quote(network)} is not supported`
        : `chain ${quote(chainId)} is not supported in network ${quote(network)}`,
  })

const quote = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
