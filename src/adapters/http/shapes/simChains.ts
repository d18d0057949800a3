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

interface Named {
  readonly chains: ReadonlyArray<ChainId>
  /** Words that stand for no chain. */
  readonly unknown: ReadonlyArray<string>
}

/** Some words stand for several chains: a network's name, or all. */
export const namedBy = (query: Query, followed: ReadonlyArray<Chain>): Named => {
  const words = new Set(wordsOf(query, "chain_ids"))
  const tags = new Set(["all", "default", ...followed.map(({ network }) => network)])
  const all = words.size === 0 || words.has("all") || words.has("default")
  const named = chainsByName(simNames, followed)
  const ids = new Set([...words].map((word) => named(word)?.chainId))
  const chains = followed.filter(({ network, chainId }) => all || words.has(network) || ids.has(chainId))
  return {
    chains: chains.map(({ chainId }) => chainId),
    unknown: [...words].filter((word) => !tags.has(word) && named(word) === undefined),
  }
}
