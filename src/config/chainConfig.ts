/** What is configured of one chain, and which chains are. */

import { type Address, type ChainId, chainIdOf } from "../model/primitives.ts"
import type { Chain } from "../ports/Networks.ts"
import { chainSettings } from "./chainSettings.ts"
import type { ChainFacts, WrittenFacts } from "./chains/facts.ts"
import { type FieldsOf, type Given, isGiven, readFields } from "./deriveFields.ts"

type ChainFields = FieldsOf<typeof chainSettings>

/** The fields of `settings.ts`, and what follows from them and from the facts of the chain. */
export interface ChainConfig
  extends Omit<ChainFields, "audit" | "auditSeconds">,
    Pick<ChainFacts, "name" | "nativeCurrency" | "multicall3" | "supply"> {
  readonly chainId: ChainId
  /** Absent = AUDIT is off. */
  readonly auditSeconds?: number
  /** Absent = not known. */
  readonly addsLogs?: boolean
  /** A contract that shows the native currency itself as a token, and does not tell who has how much: the native balance is it. */
  readonly nativeToken?: Address
  /** Exchanges by the address of their factory or pool manager. */
  readonly factories: NonNullable<Chain["factories"]>
  /**
   * What the ledger counts as such, and beside it what is known to wrap the currency. Of others that is not sure: the currency
   * may be a token itself, as on Celo, whose holders would be counted twice.
   */
  readonly nativePricedBy: NonNullable<Chain["nativePricedBy"]>
  /** Of the chain table and the configuration file. */
  readonly facts: ChainFacts
}

export type GivenFacts = Readonly<Record<string, WrittenFacts>>

/** A name that begins with another is tried first: AUDIT_SECONDS_1 is not of AUDIT. */
const prefixes = Object.keys(chainSettings).sort((a, b) => b.length - a.length)
const chainSettingPattern = new RegExp(`^(${prefixes.join("|")})_(.+)$`, "u")

/** What an answer of any chain needs, whoever follows it. */
const upstreamSettings = {
  ETHERSCAN_UPSTREAM_URL: chainSettings.ETHERSCAN_UPSTREAM_URL,
  ETHERSCAN_UPSTREAM_KEY: chainSettings.ETHERSCAN_UPSTREAM_KEY,
} as const

export type UpstreamElsewhere = Pick<ChainConfig, "chainId" | "upstreamUrl" | "upstreamKey">

/** Upstreams of chains that this process has no node of; `chainIds`: those that it has. */
export const upstreamsElsewhereOf = (
  given: Given,
  chainIds: ReadonlyArray<ChainId>,
  problems: Array<string>,
): ReadonlyArray<UpstreamElsewhere> => {
  const said = Object.keys(given).filter((name) => isGiven(given[name]))
  const named = new Set(said.flatMap((name) => upstreamOfChain.exec(name)?.[1] ?? []))
  return [...named].flatMap((id): ReadonlyArray<UpstreamElsewhere> => {
    const chainId = chainIdOf(id)
    if (chainId === undefined || chainIds.includes(chainId)) return []
    return [{ chainId, ...readFields(upstreamSettings, given, problems, { suffix: `_${chainId}` }) }]
  })
}

const upstreamOfChain = new RegExp(`^(?:${Object.keys(upstreamSettings).join("|")})_(\\d+)$`, "u")

/**
 * Chains that are spoken of, ascending; those that have no node are problems. `isReader`: they are left out, and there may
 * be none at all.
 */
export const chainIdsOf = (
  given: Given,
  givenFacts: GivenFacts,
  problems: Array<string>,
  isReader = false,
): ReadonlyArray<ChainId> => {
  const spokenOf = new Set(Object.keys(givenFacts).flatMap((id) => chainIdOf(id) ?? []))
  const configured = new Set<string>()
  for (const [name, value] of Object.entries(given)) {
    const [, prefix, id] = chainSettingPattern.exec(name) ?? []
    if (prefix === undefined || id === undefined || !isGiven(value)) continue
    const chainId = Number.isSafeInteger(Number(id)) ? chainIdOf(id) : undefined
    // Where no digit follows, it may be another program's: NETWORK_NAME.
    if (chainId === undefined && (prefix === "RPC_URL" || /^\d/.test(id)))
      problems.push(`${name}: expected a chain id after ${prefix}_, got ${JSON.stringify(id)}`)
    if (chainId === undefined) continue
    const hasNode = isGiven(given[`RPC_URL_${id}`])
    if (!hasNode && Object.hasOwn(upstreamSettings, prefix)) continue
    spokenOf.add(chainId)
    if (hasNode) configured.add(id)
    else if (!isReader) problems.push(`${name}: chain ${id} has no node; set RPC_URL_${id}`)
  }
  if (isReader) return [...configured].flatMap((id) => chainIdOf(id) ?? []).sort((a, b) => Number(a) - Number(b))
  for (const id of Object.keys(givenFacts)) {
    if (!configured.has(id)) problems.push(`chains.${id}: chain ${id} has no node; set RPC_URL_${id}`)
  }
  if (configured.size === 0 && problems.length === 0) {
    problems.push(
      "RPC_URL_<chain id>: no node is configured; set at least one, for example RPC_URL_1=https://your-node.example",
    )
  }
  return [...spokenOf].sort((a, b) => Number(a) - Number(b))
}

export const chainConfig = (
  chainId: ChainId,
  { audit, auditSeconds, ...fields }: ChainFields,
  facts: ChainFacts,
): ChainConfig => {
  const { name, nativeCurrency, multicall3, nativeToken, supply, addedLogs } = facts
  // Where TOKENS narrows what is stored, pools are not asked for.
  const swaps = fields.swaps && fields.tokens === undefined
  return {
    ...fields,
    chainId,
    ...(name && { name }),
    ...(nativeCurrency && { nativeCurrency }),
    ...(multicall3 && { multicall3 }),
    ...(nativeToken?.balances === "native" && { nativeToken: nativeToken.address }),
    ...(supply && { supply }),
    ...(addedLogs && { addsLogs: true }),
    swaps,
    poolManagers: swaps ? fields.poolManagers : [],
    ...(audit && { auditSeconds }),
    factories: exchangesOf(facts),
    nativePricedBy: pricersOf(facts, fields.wrappedNative),
    facts,
  }
}

/** `set`: absent where the setting is at fault, of which the problems tell. The currency's own token is counted by its own price. */
const pricersOf = (
  { wrappedNative: wrapped, nativeToken }: ChainFacts,
  set: ChainFields["wrappedNative"] = [],
): ChainConfig["nativePricedBy"] => {
  const known = wrapped?.mintedBy === undefined ? [] : [wrapped.address]
  return [...new Set([...known, ...set])].filter((token) => token !== nativeToken?.address)
}

const exchangesOf = ({ factories, poolManagers }: ChainFacts): ChainConfig["factories"] =>
  new Map(
    [...factories, ...poolManagers].map(({ address, dex, deployer }) => [
      address,
      { dex, ...(deployer && { label: deployer }) },
    ]),
  )
