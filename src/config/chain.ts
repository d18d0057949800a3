/** What is configured of one chain, and which chains are. */

import { type Address, type ChainId, chainIdOf } from "../model/primitives.ts"
import type { Chain } from "../ports/Networks.ts"
import type { ChainFacts, NativeCurrency, WrittenFacts } from "./chains/facts.ts"
import { chainSettings, type Values } from "./settings.ts"

export interface ChainConfig {
  readonly chainId: ChainId
  /** Absent = not known. */
  readonly name?: string
  readonly nativeCurrency?: NativeCurrency
  /** Where Multicall3 is; absent = where it is on most chains, if it is there. */
  readonly multicall3?: Address
  readonly rpcUrls: ReadonlyArray<string>
  readonly startBlock: number
  /** Absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
  readonly network: string
  readonly ecosystems: ReadonlyArray<string>
  /** Blocks behind the head after which a block never changes. */
  readonly finality: number
  readonly maxLag: number
  readonly pollMs: number
  readonly rpcConcurrency: number
  /** Calls per second and URL; absent = no limit. */
  readonly rpcRate?: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** Whether swaps are stored: never where `tokens` narrows what is. */
  readonly swaps: boolean
  /** Uniswap V4 pool managers whose swaps are; none where swaps are not. */
  readonly poolManagers: ReadonlyArray<Address>
  /** Exchanges by the address of their factory or pool manager. */
  readonly factories: NonNullable<Chain["factories"]>
  readonly bloom: boolean
  /** Whether the newest blocks' receipts are read to prove their logs. */
  readonly receipts: boolean
  readonly verify: "range" | "full"
  /** Whether ERC-721 ids are asked for their `tokenURI`. */
  readonly tokenUris: boolean
  /** Seconds between two looks at tokens that are compared with the node; absent = none are. */
  readonly auditSeconds?: number
  /** Of the chain table and the configuration file. */
  readonly facts: ChainFacts
}

export type Given = Readonly<Record<string, string | undefined>>
export type GivenFacts = Readonly<Record<string, WrittenFacts>>

/** Chains that are spoken of, ascending; those that have no node are problems. */
export const chainIdsOf = (given: Given, givenFacts: GivenFacts, problems: Array<string>): ReadonlyArray<ChainId> => {
  const spokenOf = new Set(Object.keys(givenFacts).flatMap((id) => chainIdOf(id) ?? []))
  const configured = new Set<string>()
  const prefixes = Object.keys(chainSettings).join("|")
  for (const [name, value] of Object.entries(given)) {
    const [, prefix, id] = name.match(new RegExp(`^(${prefixes})_(.+)$`, "u")) ?? []
    if (prefix === undefined || id === undefined || value === undefined) continue
    const chainId = Number.isSafeInteger(Number(id)) ? chainIdOf(id) : undefined
    if (prefix === "RPC_URL" && chainId === undefined)
      problems.push(`${name}: expected a chain id after RPC_URL_, got ${JSON.stringify(id)}`)
    if (chainId === undefined) continue
    spokenOf.add(chainId)
    if (given[`RPC_URL_${id}`]?.trim()) configured.add(id)
    else problems.push(`${name}: chain ${id} has no node; set RPC_URL_${id}`)
  }
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
  values: Values<typeof chainSettings>,
  facts: ChainFacts,
): ChainConfig => ({
  chainId,
  ...swapsOf(values, facts),
  ...(facts.name === undefined ? {} : { name: facts.name }),
  ...(facts.nativeCurrency === undefined ? {} : { nativeCurrency: facts.nativeCurrency }),
  ...(facts.multicall3 === undefined ? {} : { multicall3: facts.multicall3 }),
  rpcUrls: values.RPC_URL ?? [],
  startBlock: values.START_BLOCK,
  ...(values.TOKENS === undefined ? {} : { tokens: values.TOKENS }),
  network: values.NETWORK,
  ecosystems: values.ECOSYSTEMS,
  finality: values.FINALITY,
  maxLag: values.MAX_LAG,
  pollMs: values.POLL_MS,
  rpcConcurrency: values.RPC_CONCURRENCY,
  ...(values.RPC_RATE === undefined ? {} : { rpcRate: values.RPC_RATE }),
  wrappedNative: values.WRAPPED_NATIVE,
  bloom: values.BLOOM,
  receipts: values.RECEIPTS,
  verify: values.VERIFY,
  tokenUris: values.TOKEN_URIS,
  ...(values.AUDIT ? { auditSeconds: values.AUDIT_SECONDS } : {}),
  facts,
})

const swapsOf = (values: Values<typeof chainSettings>, facts: ChainFacts) => {
  const swaps = values.SWAPS && values.TOKENS === undefined
  const exchanges = [...facts.factories, ...facts.poolManagers].map(
    ({ address, dex, deployer }) => [address, { dex, ...(deployer === undefined ? {} : { label: deployer }) }] as const,
  )
  return { swaps, poolManagers: swaps ? values.POOL_MANAGERS : [], factories: new Map(exchanges) }
}
