/** Balances, holders and supply of a token in memory, now and after any block. */
import { type Account, burnAccount, isReserved, mintAccount } from "../../model/event.ts"
import { type Address, zeroAddress } from "../../model/primitives.ts"
import type { MemoryChain, MemoryToken, Version } from "./state.ts"

const versionAt = (versions: ReadonlyArray<Version> | undefined, blockNumber: number): bigint =>
  versions?.findLast((version) => version.blockNumber <= blockNumber)?.balance ?? 0n

/** The pair's balance after `blockNumber` (absent = newest); 0 if never touched. */
export const balanceOf = (token: MemoryToken | undefined, account: Account, blockNumber = Infinity): bigint =>
  versionAt(token?.balances.get(account), blockNumber)

/** What the holder has of an ERC-1155 id after `blockNumber` (absent = newest). */
export const unitOf = (token: MemoryToken, tokenId: bigint, holder: Address, blockNumber = Infinity): bigint =>
  versionAt(token.units.get(tokenId)?.get(holder), blockNumber)

export const supplyOf = (token: MemoryToken | undefined, blockNumber?: number): bigint =>
  token?.standard === "erc1155"
    ? 0n
    : -balanceOf(token, mintAccount, blockNumber) - balanceOf(token, burnAccount, blockNumber)

/** Addresses with a balance above zero after `blockNumber` (absent = newest), in no order. */
export const holdersOf = (
  token: MemoryToken | undefined,
  blockNumber?: number,
): ReadonlyArray<{ address: Address; balance: bigint }> =>
  [...(token?.balances.keys() ?? [])]
    .filter((account): account is Address => !isReserved(account))
    .map((address) => ({ address, balance: balanceOf(token, address, blockNumber) }))
    .filter(({ balance }) => balance > 0n)

/** What the ERC-20 contract itself sent to the zero address. */
export const sentByItself = (chain: MemoryChain | undefined, token: Address, blockNumber: number): bigint =>
  (chain?.transfers ?? [])
    .filter(({ standard, from, to }) => standard === "erc20" && from === token && to === zeroAddress)
    .filter((row) => row.token === token && row.blockNumber <= blockNumber)
    .reduce((sum, { amount }) => sum + amount, 0n)
