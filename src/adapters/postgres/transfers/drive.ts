/** Which accounts lead the way through a filtered feed: every row that passes the filter is met on the way. */
import { type Address, zeroAddress } from "../../../domain/model/primitives.ts"
import type { TransferFilter } from "../../../domain/model/transfer.ts"

/**
 * `walk`: the blocks that touched a pair of these accounts. The zero address there stands for its own pairs, which
 * see what it receives (mints to it included) but no burn and no other mint: those are `mints` and `burns`, every
 * row from and every row to the zero address. A drive has them only where each of them passes all address filters.
 */
export interface Drive {
  readonly walk: ReadonlyArray<Address>
  readonly mints: boolean
  readonly burns: boolean
}

type AddressFilters = Pick<TransferFilter, "from" | "to" | "address">

/** The drives that meet every row of the filter, at least one; any of them will do, they differ in cost. */
export const drivesOf = ({ from, to, address }: AddressFilters): ReadonlyArray<Drive> => {
  const drives: Array<Drive> = []
  if (from !== undefined) drives.push(sideDrive(from, to, "mints"))
  if (to !== undefined) drives.push(sideDrive(to, from, "burns"))
  if (address !== undefined && (drives.length === 0 || !address.includes(zeroAddress))) {
    const zero = address.includes(zeroAddress)
    drives.push({ walk: nonZero(address), mints: zero, burns: zero })
  }
  // Following accounts beats reading every mint or burn of the chain for the few that pass; where no drive does, the
  // other filters hold the zero address too, and all of those rows pass.
  const walking = drives.filter((drive) => !drive.mints && !drive.burns)
  return distinct(walking.length > 0 ? walking : drives)
}

const distinct = (drives: ReadonlyArray<Drive>): ReadonlyArray<Drive> => [
  ...new Map(drives.map((drive) => [[...drive.walk].sort().join(), drive])).values(),
]

/**
 * One side leads. Where it holds the zero address, the rows of that value are met from the other side if that is
 * given: a mint touches its receiver's pair, a burn its sender's, and 0x0 → 0x0 the zero address's own.
 */
const sideDrive = (
  side: ReadonlyArray<Address>,
  other: ReadonlyArray<Address> | undefined,
  every: "mints" | "burns",
): Drive => {
  const none = { walk: nonZero(side), mints: false, burns: false }
  if (!side.includes(zeroAddress)) return none
  if (other !== undefined) return { ...none, walk: [...new Set([...none.walk, ...other])] }
  return { ...none, [every]: true }
}

const nonZero = (addresses: ReadonlyArray<Address>): ReadonlyArray<Address> => [
  ...new Set(addresses.filter((address) => address !== zeroAddress)),
]
