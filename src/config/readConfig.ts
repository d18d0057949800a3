/** Settings as given → what the service runs with, or every problem there is with them. */
import { readKeyFile } from "../adapters/keys/keyFile.ts"
import type { Information } from "../adapters/lists/informationFile.ts"
import { chainIdOf } from "../model/primitives.ts"
import {
  type ChainConfig,
  chainConfig,
  chainIdsOf,
  type GivenFacts,
  type UpstreamElsewhere,
  upstreamsElsewhereOf,
} from "./chainConfig.ts"
import { chainSettings } from "./chainSettings.ts"
import { checkManagers } from "./chains/facts.ts"
import { knownChain } from "./chains/registry.ts"
import { checkSupply } from "./chains/supply.ts"
import { type FieldsOf, type Given, readFields } from "./deriveFields.ts"
import { isProfile, profiles } from "./profiles.ts"
import { serviceSettings } from "./settings.ts"
import { tokenInformation } from "./tokenInformation.ts"

/** The fields of `settings.ts`, and: */
export interface Config extends Omit<FieldsOf<typeof serviceSettings>, "tokenInfo"> {
  /** What the file of TOKEN_INFO says; absent = nothing. */
  readonly tokenInformation?: Information
  /** Ascending by chain id; at least one, unless they were not read or ROLE is reader. */
  readonly chains: ReadonlyArray<ChainConfig>
  /** Where native supplies are known from; of a reader of chains without a node too. */
  readonly supplies: ReadonlyArray<Pick<ChainConfig, "chainId" | "nativeCurrency" | "supply">>
  /** Of chains that other processes follow: what is set of their upstreams here. */
  readonly upstreamsElsewhere: ReadonlyArray<UpstreamElsewhere>
}

/**
 * The settings, or every problem there is with them. `given`: name → text, as in the environment; `givenFacts`: what the
 * configuration file says of chains. What is not given comes from the chain table, then from `settings.ts`.
 * `withoutNodes`: chains are not read, and there are none. `isCommand`: it is for a command, which works on no standby.
 */
export const readConfig = (
  given: Given,
  givenFacts: GivenFacts = {},
  { withoutNodes = false, isCommand = false }: { readonly withoutNodes?: boolean; readonly isCommand?: boolean } = {},
): Config | { readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const asked = given.PROFILE?.trim().toLowerCase() ?? ""
  // A word that is none is told of by its own row.
  const profile = profiles[isProfile(asked) ? asked : "usual"]
  const { tokenInfo, ...service } = readFields(serviceSettings, given, problems, { known: profile.service })
  const chainIds = withoutNodes ? [] : chainIdsOf(given, givenFacts, problems, service.role === "reader")
  const chains = chainIds.map((chainId) => {
    const { defaults, facts } = knownChain(chainId, givenFacts[chainId])
    if (facts.supply !== undefined)
      checkSupply(`chains.${chainId}.supply`, facts.supply, facts.nativeCurrency, problems)
    const known = { ...profile.chain, ...defaults }
    const fields = readFields(chainSettings, given, problems, { suffix: `_${chainId}`, known })
    checkManagers(chainId, facts, fields.poolManagers ?? [], problems)
    return chainConfig(chainId, fields, facts)
  })
  const others = !withoutNodes && service.role === "reader" ? suppliesOf(givenFacts, chains, problems) : []
  const upstreamsElsewhere = withoutNodes ? [] : upstreamsElsewhereOf(given, chainIds, problems)
  if (service.databaseUrl === undefined) problems.push(...databaseProblems(service, isCommand))
  const { strictKeys, apiKeysSha256, apiKeysFile } = service
  if (strictKeys === true && apiKeysSha256?.length === 0 && apiKeysFile === undefined) {
    problems.push(
      "API_KEYS_SHA256: STRICT_KEYS is on, so at least one key's SHA-256 is needed, here or in API_KEYS_FILE",
    )
  }
  const keys = apiKeysFile === undefined ? {} : readKeyFile(apiKeysFile)
  if ("problem" in keys) problems.push(`API_KEYS_FILE: ${JSON.stringify(apiKeysFile)}: ${keys.problem}`)
  const own = tokenInformation(tokenInfo)
  problems.push(...own.problems)
  if (problems.length > 0) return { problems }
  return {
    ...service,
    ...(own.information && { tokenInformation: own.information }),
    chains,
    supplies: [...chains, ...others],
    upstreamsElsewhere,
  }
}

/** Where DATABASE_URL names no server the embedded one is meant: a reader has none, and no standby follows it. */
const databaseProblems = (
  { role, readUrls = [] }: Partial<Pick<Config, "role" | "readUrls">>,
  isCommand: boolean,
): ReadonlyArray<string> => {
  if (readUrls.length === 0) {
    if (role !== "reader") return []
    const needed = "DATABASE_URL: ROLE is reader, so the database of a writer is needed"
    return [isCommand ? needed : `${needed}: DATABASE_URL, DATABASE_READ_URL or both`]
  }
  const names = "DATABASE_URL: DATABASE_READ_URL names standbys, so the database that they follow is needed"
  if (isCommand) return [`${names} for a command`]
  return role === "reader" ? [] : [`${names} where ROLE is not reader`]
}

/** Of chains that a reader has no node of. */
const suppliesOf = (givenFacts: GivenFacts, chains: ReadonlyArray<ChainConfig>, problems: Array<string>) =>
  Object.entries(givenFacts).flatMap(([id, given]) => {
    const chainId = chainIdOf(id)
    if (chainId === undefined || chains.some((chain) => chain.chainId === chainId)) return []
    const { supply, nativeCurrency } = knownChain(chainId, given).facts
    if (supply === undefined) return []
    checkSupply(`chains.${chainId}.supply`, supply, nativeCurrency, problems)
    return [{ chainId, supply, ...(nativeCurrency && { nativeCurrency }) }]
  })
