/** The order of tokens of different chains: by value, then chain, then address. */
import { type Address, type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import type { TokenKey } from "../../../../model/token.ts"
import type { TokenReading } from "./branches.ts"

interface Placed {
  readonly chain_id: ChainId
  readonly absent: boolean
  readonly value: TokenKey["value"]
  readonly details: { readonly address: Address }
}

/** As statements order them. */
export const compareTokens =
  ({ absent, direction, field }: Pick<TokenReading, "absent" | "direction" | "field">) =>
  (a: Placed, b: Placed): number => {
    if (a.absent !== b.absent) return a.absent === (absent === "last") ? 1 : -1
    const ascending =
      compareValues(field, a.value, b.value) ||
      compareChainIds(b.chain_id, a.chain_id) ||
      (a.details.address < b.details.address ? 1 : -1)
    return direction === "asc" ? ascending : -ascending
  }

/** Names by their bytes, as `collate "C"` has them. Market capitalisations are whole numbers in texts. */
const compareValues = (field: TokenReading["field"], a: TokenKey["value"], b: TokenKey["value"]): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a !== "string" || typeof b !== "string") return 0
  return field === "marketCap"
    ? Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b))
    : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
