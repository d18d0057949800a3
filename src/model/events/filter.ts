/** Which events a consumer wants: values of one filter OR, filters AND; an absent filter lets all through. */
import type { Address } from "../primitives.ts"
import type { Standard } from "../token.ts"
import type { EventKind, LedgerEvent } from "./event.ts"

export interface EventFilter {
  readonly kinds?: ReadonlyArray<EventKind>
  /** Swaps are of ERC-20. */
  readonly standard?: ReadonlyArray<Standard>
  /** Of a swap: what was paid or what was got. */
  readonly tokenAddress?: ReadonlyArray<Address>
  /** From or to. Only transfers have parties. */
  readonly address?: ReadonlyArray<Address>
  readonly from?: ReadonlyArray<Address>
  readonly to?: ReadonlyArray<Address>
}

/** Whether transfers alone can pass. */
export const hasParties = ({ address, from, to }: EventFilter): boolean =>
  address !== undefined || from !== undefined || to !== undefined

export const wantsKind = (filter: EventFilter, kind: EventKind): boolean =>
  (filter.kinds?.includes(kind) ?? true) && (kind === "transfer" || !hasParties(filter))

export const wantsStandard = ({ standard }: EventFilter, of: Standard): boolean => standard?.includes(of) ?? true

export const passes = (filter: EventFilter, { kind, standard, tokens, from, to }: LedgerEvent): boolean =>
  wantsKind(filter, kind) &&
  wantsStandard(filter, standard) &&
  (filter.tokenAddress === undefined || tokens.some((token) => filter.tokenAddress!.includes(token))) &&
  includes(filter.from, from) &&
  includes(filter.to, to) &&
  (filter.address === undefined || includes(filter.address, from) || includes(filter.address, to))

const includes = (wanted: ReadonlyArray<Address> | undefined, address: Address | undefined): boolean =>
  wanted === undefined || (address !== undefined && wanted.includes(address))

/** Whether all that passes `narrow` passes `wide`, as far as their fields show it one by one. */
export const isWider = (wide: EventFilter, narrow: EventFilter): boolean =>
  isWithin(narrow.kinds, wide.kinds) &&
  isWithin(narrow.standard, wide.standard) &&
  isWithin(narrow.tokenAddress, wide.tokenAddress) &&
  isWithin(narrow.address, wide.address) &&
  isWithin(narrow.from, wide.from) &&
  isWithin(narrow.to, wide.to)

const isWithin = <Value>(values: ReadonlyArray<Value> | undefined, wanted: ReadonlyArray<Value> | undefined) => {
  if (wanted === undefined) return true
  const known = new Set(wanted)
  return values?.every((value) => known.has(value)) ?? false
}

/** Equal for filters that let the same through: their values are sorted. */
export const filterKey = ({ kinds, standard, tokenAddress, address, from, to }: EventFilter): string =>
  JSON.stringify([kinds, standard, tokenAddress, address, from, to])
