/** The chain table that ships with Cowry: what viem knows of a chain, and above it our own rows, each fact with its source. */
import { type ChainFacts, mergeFacts, readFacts, type WrittenFacts } from "./facts.ts"
import registry from "./registry.json" with { type: "json" }
import viem from "./viem.json" with { type: "json" }

/** Settings of a chain, as they would be written in the environment. */
export type SettingDefaults = Readonly<
  Partial<Record<"NETWORK" | "ECOSYSTEMS" | "FINALITY" | "WRAPPED_NATIVE" | "POOL_MANAGERS", string>>
>

export interface KnownChain {
  /** What a setting is when nobody sets it; a word that is absent has the plain default of `settings.ts`. */
  readonly defaults: SettingDefaults
  readonly facts: ChainFacts
}

interface Row {
  readonly settings: { readonly [Name in keyof SettingDefaults]: { readonly value: string; readonly source: string } }
  readonly facts?: unknown
}

const rows: Readonly<Record<string, Row>> = registry.chains

/** Letters and digits alone. */
const bareOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/gu, "")
/** As the tables have them, and without what many have behind their name; beside them what people call the first of all. */
const names = new Set([
  "mainnet",
  ...viem.flatMap(([, name]) =>
    [name, String(name).replace(/ (?:mainnet|one)$/iu, "")].map((it) => bareOf(String(it))),
  ),
])

/** Whether a chain of the tables is called so, in whatever letters. */
export const isChainName = (word: string): boolean => names.has(bareOf(word))

/** A chain of the tables, or of none of them, with what the configuration file says of it above all. */
export const knownChain = (chainId: string, fromFile: WrittenFacts = {}): KnownChain => {
  const [, name, coin, symbol, decimals, testnet, multicall3] = viem.find(([id]) => id === Number(chainId)) ?? []
  const row = Object.hasOwn(rows, chainId) ? rows[chainId] : undefined
  const facts = mergeFacts(
    readFacts(chainId, name === undefined ? {} : { name, nativeCurrency: { name: coin, symbol, decimals } }, []),
    readFacts(chainId, multicall3 ? { multicall3 } : {}, []),
    readFacts(chainId, row?.facts ?? {}, []),
    fromFile,
  )
  const { wrappedNative, poolManagers } = facts
  return {
    defaults: {
      ...(testnet ? { NETWORK: "testnet" } : {}),
      // Counting the Deposits of a token that also mints by Transfer would count twice.
      ...(wrappedNative?.mintedBy === "Deposit" ? { WRAPPED_NATIVE: wrappedNative.address } : {}),
      ...(poolManagers.length > 0 ? { POOL_MANAGERS: poolManagers.map(({ address }) => address).join() } : {}),
      ...Object.fromEntries(Object.entries(row?.settings ?? {}).map(([word, { value }]) => [word, value])),
    },
    facts,
  }
}
