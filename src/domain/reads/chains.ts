/** Which chains a request speaks of: the path's network and chain, narrowed by the three selectors. */
import { Effect } from "effect"
import { ChainNotSupported } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type Chain, Networks } from "../../ports/Networks.ts"

export interface ChainSelectors {
  /** An ecosystem's name or a chain id. */
  readonly ecosystem?: string
  readonly includedChainIds?: ReadonlyArray<string>
  readonly excludedChainIds?: ReadonlyArray<string>
}

/** The named chain of those that are followed. `all` is not one. */
export const chainNamed = (chains: ReadonlyArray<Chain>, network: string, chainId: string): Chain | ChainNotSupported =>
  chains.find((chain) => chain.chainId === chainId && chain.network === network) ??
  notSupported(network, chains.some((chain) => chain.network === network) ? chainId : undefined)

/** The chains of a path (`all` = every chain of the network), ascending by id, that pass the selectors; possibly none. */
export const selectChains = (network: string, chainId: string, selectors: ChainSelectors) =>
  Networks.use(({ chains }): Effect.Effect<ReadonlyArray<ChainId>, ChainNotSupported> => {
    if (chainId !== "all") {
      const chain = chainNamed(chains, network, chainId)
      if ("_tag" in chain) return Effect.fail(chain)
      return Effect.succeed(selectedOf([chain], selectors))
    }
    const named = chains.filter((chain) => chain.network === network)
    if (named.length === 0) return Effect.fail(notSupported(network, undefined))
    return Effect.succeed(selectedOf(named, selectors))
  })

/** The ids of those that pass. */
export const selectedOf = (chains: ReadonlyArray<Chain>, selectors: ChainSelectors): ReadonlyArray<ChainId> =>
  chains.filter((chain) => passes(chain, selectors)).map(({ chainId }) => chainId)

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
