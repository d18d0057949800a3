/** Which accounts or ids lead the way through a filtered feed: every row that passes the filter is met on the way. */
import { type Address, zeroAddress } from "../../../../../model/primitives.ts"
import type { Standard } from "../../../../../model/token.ts"
import type { TransferFilter } from "../../../../../model/transfer.ts"

/** Rows that an index holds in feed order: `zeroToZero` are those from the zero address to itself, `ids` those of the ids. */
export type IndexedWay = "mints" | "burns" | "zeroToZero" | "ids"

/**
 * `walk`: the blocks that touched a pair of these accounts. The zero address there stands for its own pairs, which
 * see what it receives (mints to it included) but no burn and no other mint: those are `mints` and `burns`, every
 * row from and every row to the zero address.
 */
export interface AccessPath {
  readonly walk: ReadonlyArray<Address>
  readonly indexed: ReadonlyArray<IndexedWay>
}

type Filters = Pick<TransferFilter, "from" | "to" | "address" | "either" | "tokenId">

/** The access paths that meet every row of the filter, at least one; any of them will do, they differ in cost. */
export const accessPathsOf = (
  standard: Standard,
  { from, to, address, either, tokenId }: Filters,
): ReadonlyArray<AccessPath> => {
  const accessPaths: Array<AccessPath> = []
  if (from !== undefined) accessPaths.push(sidePath(standard, from, to, "mints"))
  if (to !== undefined) accessPaths.push(sidePath(standard, to, from, "burns"))
  if (either !== undefined) {
    const indexed: ReadonlyArray<IndexedWay> = [
      ...(either.from.includes(zeroAddress) ? (["mints"] as const) : []),
      ...(either.to.includes(zeroAddress) ? (["burns"] as const) : []),
    ]
    accessPaths.push({ walk: nonZero([...either.from, ...either.to]), indexed })
  }
  if (address !== undefined && (accessPaths.length === 0 || !address.includes(zeroAddress))) {
    const zero = address.includes(zeroAddress)
    accessPaths.push({ walk: nonZero(address), indexed: zero ? ["mints", "burns"] : [] })
  }
  // Following accounts beats reading every mint or burn of the chain for the few that pass; where no access path does, the
  // other filters hold the zero address too, and all of those rows pass but for their id, or for `either`.
  const walking = accessPaths.filter(({ indexed }) => !indexed.includes("mints") && !indexed.includes("burns"))
  const accounts = distinct(walking.length > 0 ? walking : accessPaths)
  return tokenId === undefined ? accounts : [...accounts, { walk: [], indexed: ["ids"] }]
}

const distinct = (accessPaths: ReadonlyArray<AccessPath>): ReadonlyArray<AccessPath> => [
  ...new Map(accessPaths.map((accessPath) => [[...accessPath.walk].sort().join(), accessPath])).values(),
]

/**
 * One side leads. Where it holds the zero address, the rows of that value are met from the other side if that is
 * given: a mint touches its receiver's pair, a burn its sender's, and 0x0 → 0x0 the zero address's own, save in
 * ERC-721, where it touches none.
 */
const sidePath = (
  standard: Standard,
  side: ReadonlyArray<Address>,
  other: ReadonlyArray<Address> | undefined,
  every: "mints" | "burns",
): AccessPath => {
  if (!side.includes(zeroAddress)) return { walk: nonZero(side), indexed: [] }
  if (other === undefined) return { walk: nonZero(side), indexed: [every] }
  const zeroToZero = standard === "erc721" && other.includes(zeroAddress)
  return { walk: [...new Set([...nonZero(side), ...other])], indexed: zeroToZero ? ["zeroToZero"] : [] }
}

const nonZero = (addresses: ReadonlyArray<Address>): ReadonlyArray<Address> => [
  ...new Set(addresses.filter((address) => address !== zeroAddress)),
]
