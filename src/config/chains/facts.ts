/** What is known of a chain beside what its node says: the words of the chain table and of `chains` in the configuration file. */
import type { Address, ChainId } from "../../model/primitives.ts"
import { byAddress, choice, contract, exactly, label, type Reader, type ReadOf, whole } from "./readers.ts"
import { type SupplySource, supplySource } from "./supply.ts"

const nativeCurrency = exactly({ name: label, symbol: label, decimals: whole(0, 255) })

/**
 * The chain's wrapped native token. `Deposit`: it mints and burns by Deposit and Withdrawal alone, as WETH9 does, so it is
 * what `WRAPPED_NATIVE` is for. `Transfer`: each mint and burn is a Transfer too, so counting Deposits would count twice.
 * Absent = not known.
 */
const wrappedNative = exactly({ address: contract }, { mintedBy: choice("Deposit", "Transfer") })

/** `deployer` is what a swap's `sourceDeployer` says; absent = the factory's address. */
const factory = exactly({ dex: label, kind: choice("v2", "v3") }, { deployer: label })
const poolManager = exactly({ dex: label }, { deployer: label })

/** Tokens that stand for one US dollar. */
const anchor = exactly({ symbol: label })

/** Every word a chain may have. A new kind of fact is a row here, and nowhere else to be read. */
const words = {
  name: label,
  nativeCurrency,
  multicall3: contract,
  wrappedNative,
  /** Uniswap V2 and V3, and what was forked from them. */
  factories: byAddress(factory),
  /** Uniswap V4 kind: one contract holds all pools. */
  poolManagers: byAddress(poolManager),
  anchors: byAddress(anchor),
  /** Where the native supply is known from. */
  supply: supplySource,
} satisfies Record<string, Reader<unknown>>

type Words = typeof words

/** Facts as written. In the tables by address null takes out what an earlier source says. */
export type WrittenFacts = { readonly [Word in keyof Words]?: ReadOf<Words[Word]> }

export type NativeCurrency = ReadOf<typeof nativeCurrency>
export type WrappedNative = ReadOf<typeof wrappedNative>
export type Factory = ReadOf<typeof factory> & { readonly address: Address }
export type PoolManager = ReadOf<typeof poolManager> & { readonly address: Address }
export type Anchor = ReadOf<typeof anchor> & { readonly address: Address }

/** All addresses in lower case. */
export interface ChainFacts {
  /** Absent = nobody has said it; never invented. */
  readonly name?: string
  readonly nativeCurrency?: NativeCurrency
  readonly multicall3?: Address
  readonly wrappedNative?: WrappedNative
  readonly factories: ReadonlyArray<Factory>
  readonly poolManagers: ReadonlyArray<PoolManager>
  readonly anchors: ReadonlyArray<Anchor>
  /** Absent = not configured. */
  readonly supply?: SupplySource
}

const readWords = exactly({}, words)

/** Facts from JSON; each fault is a line in `problems`, led by `at` and the way to it, and its word is left out. */
export const readFacts = (at: string, given: unknown, problems: Array<string>): WrittenFacts => {
  const read = readWords(at, given, problems)
  if (read !== undefined) return read
  const sound = Object.entries(given ?? {}).filter(([word, value]) => readWords(at, { [word]: value }, []))
  return readWords(at, Object.fromEntries(sound), []) ?? {}
}

/** The facts of several sources, later ones over earlier ones: word by word, the tables row by row. */
export const mergeFacts = (...sources: ReadonlyArray<WrittenFacts>): ChainFacts => {
  const table = <Word extends "factories" | "poolManagers" | "anchors">(word: Word) => {
    const rows = Object.assign({}, ...sources.map((source) => source[word])) as Record<Address, object | null>
    return Object.entries(rows).flatMap(([address, row]) => (row === null ? [] : [{ address, ...row }]))
  }
  return {
    ...Object.assign({}, ...sources),
    factories: table("factories"),
    poolManagers: table("poolManagers"),
    anchors: table("anchors"),
  }
}

/** A factory makes pools, a pool manager holds them: one address cannot be both. `managers`: those of POOL_MANAGERS. */
export const checkManagers = (
  chainId: ChainId,
  { factories, poolManagers }: ChainFacts,
  managers: ReadonlyArray<Address>,
  problems: Array<string>,
): void => {
  for (const { address } of factories) {
    if (poolManagers.some((manager) => manager.address === address)) {
      problems.push(
        `chains.${chainId}.poolManagers.${address}: it is one of factories too; take it out of one with null`,
      )
    } else if (managers.includes(address)) {
      problems.push(`POOL_MANAGERS_${chainId}: expected pool managers, ${address} is one of the chain's factories`)
    }
  }
}
