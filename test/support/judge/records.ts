/** The records of the native lists, made from the truth: what the service must answer, field by field. */

import type { TruePool } from "./trueSwaps.ts"
import { contractsOf, holdersOf, idsOf, type TrueRow, type TrueStandard, type Truth, unitsOf } from "./truth.ts"

/** What no log tells. Absent = unknown. */
export interface Known {
  readonly descriptions: ReadonlyMap<
    string,
    { readonly name?: string; readonly symbol?: string; readonly decimals?: number }
  >
  /** Who made a contract, and when (seconds). */
  readonly origins: ReadonlyMap<string, { readonly txHash: string; readonly time: number }>
  /** By `<contract> <id>`. */
  readonly uris: ReadonlyMap<string, string>
  /** Of every swap. */
  readonly pools: ReadonlyMap<string, TruePool>
}

const chainId = "31337"
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const some = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value })

export interface TokenRecord {
  readonly address: string
  readonly name?: string
  readonly holdersCount: number
  readonly transfers: { readonly last24h: number }
}

/** A contract as the list of a standard has it. */
export const tokenRecord = (truth: Truth, known: Known, standard: TrueStandard, address: string): TokenRecord => {
  const { name, symbol, decimals } = known.descriptions.get(address) ?? {}
  const origin = known.origins.get(address)
  const supply = truth.tokens.get(address)?.supply ?? 0n
  const times = truth.rows[standard].filter(({ token }) => token === address).map(({ time }) => time)
  const since = (hours: number) => times.filter((time) => time > truth.head.time - hours * 3600).length
  return {
    chainId,
    address,
    ...some("name", name),
    ...some("symbol", symbol),
    ...(standard === "erc20" ? { ...some("decimals", decimals), totalSupply: `${supply > 0n ? supply : 0n}` } : {}),
    ...some("createOperation", origin && { timestamp: iso(origin.time), txHash: origin.txHash }),
    transfers: { last24h: since(24), last48h: since(48), last72h: since(72) },
    holdersCount: holdersOf(truth, standard, address).length,
  } as TokenRecord
}

type SortField = "createdAt" | "holdersCount" | "transfers" | "name"

/** All contracts of a standard in the order asked for. */
export const tokenRecords = (
  truth: Truth,
  known: Known,
  standard: TrueStandard,
  field: SortField,
  direction: "asc" | "desc",
): ReadonlyArray<TokenRecord> => {
  const keyOf = (record: TokenRecord): number | Buffer | undefined => {
    if (field === "holdersCount") return record.holdersCount
    if (field === "transfers") return record.transfers.last24h
    if (field === "name") return record.name === undefined ? undefined : Buffer.from(record.name)
    const first = truth.rows[standard].find(({ token }) => token === record.address)
    return known.origins.get(record.address)?.time ?? first?.time
  }
  const compare = (a: number | Buffer, b: number | Buffer) =>
    typeof a === "number" ? a - (b as number) : Buffer.compare(a, b as Buffer)
  const records = contractsOf(truth, standard).map((address) => tokenRecord(truth, known, standard, address))
  // By address already, which decides among equals.
  const present = records.filter((record) => keyOf(record) !== undefined).sort((a, b) => compare(keyOf(b)!, keyOf(a)!))
  const absent = records.filter((record) => keyOf(record) === undefined)
  return direction === "desc" ? [...present, ...absent] : [...present.toReversed(), ...absent.toReversed()]
}

export const transferRecord = (known: Known, row: TrueRow): object => {
  const { name, symbol, decimals } = known.descriptions.get(row.token) ?? {}
  return {
    chainId,
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    createdAt: iso(row.time),
    timestamp: iso(row.time),
    tokenAddress: row.token,
    ...(row.standard === "erc20" ? {} : { tokenId: `${row.tokenId}` }),
    ...(row.standard === "erc721" ? {} : { amount: `${row.amount}` }),
    ...some("tokenName", name),
    ...some("tokenSymbol", symbol),
    ...(row.standard === "erc20" ? some("tokenDecimals", decimals) : {}),
  }
}

/** Holders of an ERC-20 or ERC-721 contract, each with its fraction in millionths, rounded half up. */
export const holderRecords = (truth: Truth, standard: "erc20" | "erc721", address: string): ReadonlyArray<object> => {
  const supply = standard === "erc20" ? (truth.tokens.get(address)?.supply ?? 0n) : BigInt(idsOf(truth, address).length)
  return holdersOf(truth, standard, address).map(([holder, balance]) => ({
    chainId,
    address: holder,
    balance: `${balance}`,
    ...(supply > 0n && balance <= supply
      ? { percentage: Number((balance * 2_000_000n + supply) / (2n * supply)) / 1_000_000 }
      : {}),
  }))
}

export const unitRecords = (truth: Truth, address: string): ReadonlyArray<object> =>
  unitsOf(truth, address).map(([id, holder, balance]) => ({
    chainId,
    address: holder,
    tokenId: `${id}`,
    balance: `${balance}`,
  }))

/** The live ids of an ERC-721 contract. */
export const idRecords = (truth: Truth, known: Known, address: string): ReadonlyArray<object> =>
  idsOf(truth, address).map((id) => ({
    chainId,
    tokenAddress: address,
    tokenId: `${id}`,
    ...some("tokenUri", known.uris.get(`${address} ${id}`)),
    createdAt: iso(truth.collections.get(address)!.mintedAt.get(id)!),
  }))
