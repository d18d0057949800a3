/** What other services call chains: by chain id, as their documentations list them. A chain without a name there goes by its id. */
import type { ChainId } from "../../../model/primitives.ts"
import type { Chain } from "../../../ports/Networks.ts"

/** What one service calls chains. */
export interface Names {
  /** The name that answers have, by id. */
  readonly answered: ReadonlyMap<string, string>
  /** The id of each name that is taken. */
  readonly taken: ReadonlyMap<string, string>
}

/** Names of one chain: the first is answered, each is taken. */
const namesBy = (table: Readonly<Record<string, string | ReadonlyArray<string>>>): Names => {
  const rows = Object.entries(table).map(([id, names]) => [id, [names].flat()] as const)
  return {
    answered: new Map(rows.map(([id, names]) => [id, names[0]!])),
    taken: new Map(rows.flatMap(([id, names]) => names.map((name) => [name, id] as const))),
  }
}

export const alchemyNames = namesBy({
  1: "eth-mainnet",
  10: "opt-mainnet",
  56: "bnb-mainnet",
  97: "bnb-testnet",
  100: "gnosis-mainnet",
  130: "unichain-mainnet",
  137: ["polygon-mainnet", "matic-mainnet"],
  146: "sonic-mainnet",
  324: "zksync-mainnet",
  480: "worldchain-mainnet",
  1329: "sei-mainnet",
  1868: "soneium-mainnet",
  2741: "abstract-mainnet",
  5000: "mantle-mainnet",
  8453: "base-mainnet",
  33139: "apechain-mainnet",
  42161: "arb-mainnet",
  42220: "celo-mainnet",
  43113: "avax-fuji",
  43114: "avax-mainnet",
  57073: "ink-mainnet",
  59144: "linea-mainnet",
  80002: ["polygon-amoy", "matic-amoy"],
  80094: "berachain-mainnet",
  81457: "blast-mainnet",
  84532: "base-sepolia",
  421614: "arb-sepolia",
  534352: "scroll-mainnet",
  11155111: "eth-sepolia",
  11155420: "opt-sepolia",
})

export const simNames = namesBy({
  1: "ethereum",
  10: "optimism",
  56: "bnb",
  100: "gnosis",
  130: "unichain",
  137: "polygon",
  146: "sonic",
  250: "fantom",
  324: "zksync",
  480: "world",
  5000: "mantle",
  8453: "base",
  33139: "apechain",
  42161: "arbitrum",
  42170: "arbitrum_nova",
  42220: "celo",
  43113: "avalanche_fuji",
  43114: "avalanche_c",
  57073: "ink",
  59144: "linea",
  80094: "berachain",
  81457: "blast",
  84532: "base_sepolia",
  534352: "scroll",
  7777777: "zora",
  11155111: "sepolia",
})

export const goldrushNames = namesBy({
  1: "eth-mainnet",
  10: "optimism-mainnet",
  56: "bsc-mainnet",
  97: "bsc-testnet",
  88: "viction-mainnet",
  100: "gnosis-mainnet",
  130: "unichain-mainnet",
  137: "matic-mainnet",
  143: "monad-mainnet",
  146: "sonic-mainnet",
  204: "bnb-opbnb-mainnet",
  250: "fantom-mainnet",
  324: "zksync-mainnet",
  480: "world-mainnet",
  999: "hyperevm-mainnet",
  1284: "moonbeam-mainnet",
  1285: "moonbeam-moonriver",
  1329: "sei-mainnet",
  4326: "megaeth-mainnet",
  5000: "mantle-mainnet",
  7000: "zetachain-mainnet",
  8453: "base-mainnet",
  9745: "plasma-mainnet",
  17000: "eth-holesky",
  33139: "apechain-mainnet",
  42161: "arbitrum-mainnet",
  42170: "arbitrum-nova-mainnet",
  42220: "celo-mainnet",
  43113: "avalanche-testnet",
  43114: "avalanche-mainnet",
  57073: "ink-mainnet",
  59144: "linea-mainnet",
  80002: "polygon-amoy-testnet",
  80094: "berachain-mainnet",
  81457: "blast-mainnet",
  84532: "base-sepolia-testnet",
  167000: "taiko-mainnet",
  421614: "arbitrum-sepolia",
  534352: "scroll-mainnet",
  11155111: "eth-sepolia",
  11155420: "optimism-sepolia",
})

/** The name that answers have. */
export const nameOf = (names: Names, chainId: ChainId): string => names.answered.get(chainId) ?? chainId

/** Finds the followed chain of a name, or of an id, in any letter case. Callers bring many names: no chain is looked at for each. */
export const chainsByName = (names: Names, followed: ReadonlyArray<Chain>): ((name: string) => Chain | undefined) => {
  const byId = new Map<string, Chain>(followed.map((chain) => [chain.chainId, chain]))
  return (name) => {
    const folded = name.trim().toLowerCase()
    return byId.get(names.taken.get(folded) ?? folded)
  }
}
