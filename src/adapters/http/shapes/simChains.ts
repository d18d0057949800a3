/** The chains that a client of Dune Sim's names. */
import type { ChainId } from "../../../model/primitives.ts"
import type { Chain } from "../../../ports/Networks.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { chainsByName, simNames } from "./chainNames.ts"

/** Words of a parameter, comma-joined. */
export const wordsOf = (query: Query, name: string): ReadonlyArray<string> =>
  (firstValue(query, name) ?? "")
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "")

const testnet = "testnet"

interface Named {
  readonly chains: ReadonlyArray<ChainId>
  /** Words that stand for no chain. */
  readonly unknown: ReadonlyArray<string>
}

/** Some words stand for several chains: a network's name, all, or default, which none means too: all but testnets. */
export const namedBy = (query: Query, followed: ReadonlyArray<Chain>): Named => {
  const words = new Set(wordsOf(query, "chain_ids"))
  const tags = new Set(["all", "default", ...followed.map(({ network }) => network)])
  const isDefault = words.size === 0 || words.has("default")
  const hasOthers = followed.some(({ network }) => network !== testnet)
  const named = chainsByName(simNames, followed)
  const ids = new Set([...words].map((word) => named(word)?.chainId))
  const isMeant = (network: string) => isDefault && (network !== testnet || !hasOthers)
  const chains = followed.filter(
    ({ network, chainId }) => words.has("all") || isMeant(network) || words.has(network) || ids.has(chainId),
  )
  return {
    chains: chains.map(({ chainId }) => chainId),
    unknown: [...words].filter((word) => !tags.has(word) && named(word) === undefined),
  }
}
