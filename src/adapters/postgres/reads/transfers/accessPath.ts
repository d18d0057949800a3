/** Which accounts or ids lead the way through a filtered feed: every row that passes the filter is met on the way. */
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"

/** Rows that an index holds in feed order: `voids` are those from the zero address to itself, `ids` those of the ids. */
export type IndexedWay = "mints" | "burns" | "voids" | "ids"

/**
 * `walk`: the blocks that touched a pair of these accounts. The zero address there stands for its own pairs, which
 * see what it receives (mints to it included) but no burn and no other mint: those are `mints` and `burns`, every
 * row from and every row to the zero address.
 */
export interface Drive {
  readonly walk: ReadonlyArray<Address>
  readonly indexed: ReadonlyArray<IndexedWay>
}

type Filters = Pick<TransferFilter, "from" | "to" | "address" | "tokenId">

/** The drives that meet every row of the filter, at least one; any of them will do, they differ in cost. */
export const drivesOf = (standard: Standard, { from, to, address, tokenId }: Filters): ReadonlyArray<Drive> => {
  const drives: Array<Drive> = []
  if (from !== undefined) drives.push(sideDrive(standard, from, to, "mints"))
  if (to !== undefined) drives.push(sideDrive(standard, to, from, "burns"))
  if (address !== undefined && (drives.length === 0 || !address.includes(zeroAddress))) {
    const zero = address.includes(zeroAddress)
    drives.push({ walk: nonZero(address), indexed: zero ? ["mints", "burns"] : [] })
  }
  // Following accounts beats reading every mint or burn of the chain for the few that pass; where no drive does, the
  // other filters hold the zero address too, and all of those rows pass but for their id.
  const walking = drives.filter(({ indexed }) => !indexed.includes("mints") && !indexed.includes("burns"))
  const accounts = distinct(walking.length > 0 ? walking : drives)
  return tokenId === undefined ? accounts : [...accounts, { walk: [], indexed: ["ids"] }]
}

const distinct = (drives: ReadonlyArray<Drive>): ReadonlyArray<Drive> => [
  ...new Map(drives.map((drive) => [[...drive.walk].sort().join(), drive])).values(),
]

/**
 * One side leads. Where it holds the zero address, the rows of that value are met from the other side if that is
 * given: a mint touches its receiver's pair, a burn its sender's, and 0x0 → 0x0 the zero address's own, save in
 * ERC-721, where it touches none.
 */
const sideDrive = (
  standard: Standard,
  side: ReadonlyArray<Address>,
  other: ReadonlyArray<Address> | undefined,
  every: "mints" | "burns",
): Drive => {
  if (!side.includes(zeroAddress)) return { walk: nonZero(side), indexed: [] }
  if (other === undefined) return { walk: nonZero(side), indexed: [every] }
  const voids = standard === "erc721" && other.includes(zeroAddress)
  return { walk: [...new Set([...nonZero(side), ...other])], indexed: voids ? ["voids"] : [] }
}

const nonZero = (addresses: ReadonlyArray<Address>): ReadonlyArray<Address> => [
  ...new Set(addresses.filter((address) => address !== zeroAddress)),
]
