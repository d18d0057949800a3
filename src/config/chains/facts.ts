/** What is known of a chain beside what its node says: the words of the chain table and of `chains` in the configuration file. */
import { Result, Schema, Struct } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { decodeWhole } from "../../model/userFiles/decode.ts"
import { choice, contract, isObject, label, object, source, whole } from "../../model/userFiles/shapes.ts"
import { SupplySettings } from "../../model/userFiles/supplySettings.ts"
import { table } from "../../model/userFiles/table.ts"

const fact = <const Words extends Schema.Struct.Fields>(words: Words) => object(words, { source })

const nativeCurrency = fact({ name: label, symbol: label, decimals: whole(0, 255) })

/**
 * The chain's wrapped native token. `Deposit`: it mints and burns by Deposit and Withdrawal alone, as WETH9 does, so it is
 * what `WRAPPED_NATIVE` is for. `Transfer`: each mint and burn is a Transfer too, so counting Deposits would count twice.
 * Absent = not known, nor whether it wraps at all.
 */
const wrappedNative = fact({ address: contract, mintedBy: Schema.optionalKey(choice("Deposit", "Transfer")) })

/**
 * A contract that shows the native currency itself as a token: who holds the one holds the other. `native`: it does not tell who has
 * how much (no `balanceOf(address)`), and one unit of it is the smallest of the currency. Absent = it is asked as any token.
 */
const nativeToken = fact({ address: contract, balances: Schema.optionalKey(choice("native")) })

/** Logs that the chain adds beside its transactions, of all its blocks or of old ones. Neither receiptsRoot nor logsBloom hold them. */
const addedLogs = fact({ kind: label })

/** `deployer` is what a swap's `sourceDeployer` says; absent = the factory's address. */
const factory = fact({ dex: label, kind: choice("v2", "v3"), deployer: Schema.optionalKey(label) })
const poolManager = fact({ dex: label, deployer: Schema.optionalKey(label) })

/** Tokens that stand for one US dollar. */
const anchor = fact({ symbol: label })

/** By the address of a contract; null instead of a row takes the address out. */
const byAddress = <Row extends Schema.Codec<object, unknown>>(row: Row) =>
  table(contract, Schema.NullOr(row).annotate({ expected: "an object" }), "address")

/** Every word a chain may have, all of them optional. A new kind of fact is a row here, and nowhere else to be read. */
const words = {
  name: label,
  nativeCurrency,
  multicall3: contract,
  wrappedNative,
  nativeToken,
  addedLogs,
  /** Uniswap V2 and V3, and what was forked from them. */
  factories: byAddress(factory),
  /** Uniswap V4 kind: one contract holds all pools. */
  poolManagers: byAddress(poolManager),
  anchors: byAddress(anchor),
  /** Where the native supply is known from. */
  supply: SupplySettings,
}
const facts = fact(Struct.map(words, Schema.optionalKey))

/** Facts as written. In the tables by address null takes out what an earlier source says. */
export type WrittenFacts = typeof facts.Type

export type NativeCurrency = typeof nativeCurrency.Type
export type WrappedNative = typeof wrappedNative.Type
export type NativeToken = typeof nativeToken.Type
export type AddedLogs = typeof addedLogs.Type
export type Factory = typeof factory.Type & { readonly address: Address }
export type PoolManager = typeof poolManager.Type & { readonly address: Address }
export type Anchor = typeof anchor.Type & { readonly address: Address }

/** All addresses in lower case. */
export interface ChainFacts {
  /** Absent = nobody has said it; never invented. */
  readonly name?: string
  readonly nativeCurrency?: NativeCurrency
  readonly multicall3?: Address
  readonly wrappedNative?: WrappedNative
  readonly nativeToken?: NativeToken
  readonly addedLogs?: AddedLogs
  readonly factories: ReadonlyArray<Factory>
  readonly poolManagers: ReadonlyArray<PoolManager>
  readonly anchors: ReadonlyArray<Anchor>
  /** Absent = not configured. */
  readonly supply?: SupplySettings
}

const decode = decodeWhole(facts)

/** Facts from JSON; each fault is a line in `problems`, led by `at` and the way to it, and its word is left out. */
export const readFacts = (at: string, given: unknown, problems: Array<string>): WrittenFacts => {
  const read: WrittenFacts = {}
  for (const part of isObject(given) ? Object.entries(given).map(([word, value]) => ({ [word]: value })) : [given]) {
    const decoded = decode(part)
    if (Result.isSuccess(decoded)) Object.assign(read, decoded.success)
    else problems.push(...decoded.failure.map((fault) => `${at}${fault.at}: ${fault.problem}`))
  }
  return read
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
