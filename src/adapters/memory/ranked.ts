/** The ranked lists of a token: who holds it, and of an ERC-1155 who has how much of which id. Largest balance first. */
import type { Erc1155HolderKey, HolderKey } from "../../model/holder.ts"
import { holdersOf, unitOf } from "./balances.ts"
import { compareBigInts, compareText } from "./rows.ts"
import type { MemoryToken } from "./state.ts"

export interface RankedList<Key extends HolderKey> {
  /** Rows above zero after a block (absent = newest), in no order. */
  readonly rowsOf: (token: MemoryToken, blockNumber: number | undefined) => ReadonlyArray<Key>
  /** The order of display. */
  readonly compare: (a: Key, b: Key) => number
}

export const holderList: RankedList<HolderKey> = {
  rowsOf: (token, blockNumber) =>
    holdersOf(token, blockNumber).map(({ address, balance }) => ({ address, balance: String(balance) })),
  compare: (a, b) => compareBigInts(BigInt(b.balance), BigInt(a.balance)) || compareText(a.address, b.address),
}

export const unitList: RankedList<Erc1155HolderKey> = {
  rowsOf: (token, blockNumber) =>
    [...token.units].flatMap(([tokenId, balances]) =>
      [...balances.keys()].flatMap((address) => {
        const balance = unitOf(token, tokenId, address, blockNumber)
        return balance > 0n ? [{ address, tokenId: String(tokenId), balance: String(balance) }] : []
      }),
    ),
  compare: (a, b) => holderList.compare(a, b) || compareBigInts(BigInt(a.tokenId), BigInt(b.tokenId)),
}

/** In the order of display; nothing of an unknown token. */
export const rankedRows = <Key extends HolderKey>(
  { rowsOf, compare }: RankedList<Key>,
  token: MemoryToken | undefined,
  blockNumber?: number,
): ReadonlyArray<Key> => (token === undefined ? [] : rowsOf(token, blockNumber).toSorted(compare))
