/** This service as its own client: a tool asks the endpoints that anybody may ask, as the caller of the tool. */
import { auditStates, worstState } from "../../../model/audit.ts"
import type { Chain } from "../../../ports/Networks.ts"
import type { Ask } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"

/** Wire-shaped. */
export type Json = Readonly<Record<string, unknown>>

/** A refusal in words: of a tool, or of an endpoint that it asked. */
export class Refusal extends Error {}

/** Of which block of a chain an answer speaks. */
export interface AsOfChain {
  readonly chainId: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly timestamp: string
  readonly finality: string
}

export interface Got {
  readonly body: unknown
  /** What every answer of a tool says beside it. */
  readonly told: {
    readonly asOf: ReadonlyArray<AsOfChain>
    /** The block that was asked for, by its number or by what came to mean it, where one was. */
    readonly atBlock?: number
    /** The same of each chain, where a time came to mean a block of several. */
    readonly atBlocks?: ReadonlyArray<Pick<AsOfChain, "chainId" | "blockNumber">>
    /** Of a difference, what is compared with. */
    readonly fromBlock?: number
    readonly auditState?: string
    readonly balanceSource?: string
  }
}

export type Value = string | number | boolean | ReadonlyArray<string | number>

export interface Service {
  readonly chains: ReadonlyArray<Chain>
  /** `names`: what stands in the path, `chain` its id, its name or `all`. Fails with `Refusal`. */
  readonly get: (
    endpoint: Pick<Endpoint, "path">,
    names: Readonly<Record<string, string>>,
    query?: Readonly<Record<string, Value | undefined>>,
  ) => Promise<Got>
}

export const serviceOf = (ask: Ask, chains: ReadonlyArray<Chain>): Service => ({
  chains,
  get: async ({ path }, { chain, ...names }, query = {}) => {
    const values = { ...names, ...(chain === undefined ? {} : placeOf(chain, names.network, chains)) }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof values) =>
      encodeURIComponent(values[name] ?? ""),
    )
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`${name}=${encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))}`],
    )
    const response = await ask(given.length === 0 ? filled : `${filled}?${given.join("&")}`)
    const body: unknown = await response.json()
    // `/ready` says with its status whether it is so.
    if (!response.ok && path !== "/ready") throw new Refusal(refusalText(response, body))
    return { body, told: toldBy(response.headers, query.blockNumber) }
  },
})

/** Which network a chain is of, everybody knows who knows the chain. */
const placeOf = (chain: string, network: string | undefined, chains: ReadonlyArray<Chain>) => {
  const wanted = chain.toLowerCase()
  const found = chains.find(({ chainId, name }) => chainId === wanted || name?.toLowerCase() === wanted)
  if (found !== undefined) return { networkId: found.network, chainId: found.chainId }
  const networks = [...new Set(chains.map((it) => it.network))]
  if (wanted !== "all") {
    const known = chains.map(({ chainId, name }) => (name === undefined ? chainId : `${chainId} (${name})`))
    throw new Refusal(`chain: expected one of ${known.join(", ")}, got ${chain.slice(0, 64)}`)
  }
  const usual = networks.find((it) => it === "mainnet") ?? networks[0] ?? "mainnet"
  return { networkId: network ?? usual, chainId: "all" }
}

type Told = Pick<Got, "told">

/** Whether no block came, or was replaced, between two answers. */
const isOneMoment = (one: Told, other: Told): boolean => {
  const hashes = new Map(other.told.asOf.map(({ chainId, blockHash }) => [chainId, blockHash]))
  return one.told.asOf.every(({ chainId, blockHash }) => (hashes.get(chainId) ?? blockHash) === blockHash)
}

/** Two answers of one moment; `isOne` is false where blocks come faster than they can be asked. */
export const ofOneMoment = async <One extends Told, Other extends Told>(ask: () => Promise<readonly [One, Other]>) => {
  for (let asked = 1; ; asked++) {
    const [one, other] = await ask()
    const isOne = isOneMoment(one, other)
    if (isOne || asked === mostAsked) return { one, other, isOne }
  }
}

/** Each costs the caller two requests. */
const mostAsked = 3

const refusalText = ({ status, headers }: Response, body: unknown): string => {
  const { code, message } = Object(body) as Json
  const retry = headers.get("retry-after")
  return `${code ?? "ERROR"} (${status}): ${message ?? "refused"}${retry === null ? "" : `; try again in ${retry} s`}`
}

const toldBy = (headers: Headers, asked: Value | undefined): Got["told"] => {
  const states = byChain(headers, "x-audit-state").map(([, state]) => state)
  const auditState = worstState(auditStates.filter((state) => states.includes(state)))
  const atBlocks = byChain(headers, "x-at-block").map(([chainId, block]) => ({ chainId, blockNumber: Number(block) }))
  const atBlock = (atBlocks.length === 1 ? atBlocks[0]?.blockNumber : undefined) ?? asked
  const fromBlock = byChain(headers, "x-from-block")[0]?.[1]
  const balanceSource = headers.get("x-balance-source")
  return {
    asOf: asOfOf(headers),
    ...(atBlock === undefined ? {} : { atBlock: Number(atBlock) }),
    ...(atBlocks.length > 1 ? { atBlocks } : {}),
    ...(fromBlock === undefined ? {} : { fromBlock: Number(fromBlock) }),
    ...(auditState === undefined ? {} : { auditState }),
    ...(balanceSource === null ? {} : { balanceSource }),
  }
}

/** A header that is `<chainId>:<value>` of each chain that anything is said of. */
const byChain = (headers: Headers, name: string) =>
  (headers.get(name) ?? "")
    .split(",")
    .filter((it) => it !== "")
    .map((it) => [it.slice(0, it.indexOf(":")), it.slice(it.indexOf(":") + 1)] as const)

/** Each chain stands in all of them. */
const asOfOf = (headers: Headers): ReadonlyArray<AsOfChain> => {
  const [hashes, times, finalities] = ["x-as-of-hash", "x-as-of-time", "x-finality"].map(
    (name) => new Map(byChain(headers, name)),
  )
  return byChain(headers, "x-as-of-block").map(([chainId, block]) => ({
    chainId,
    blockNumber: Number(block),
    blockHash: hashes?.get(chainId) ?? "",
    timestamp: times?.get(chainId) ?? "",
    finality: finalities?.get(chainId) ?? "",
  }))
}
