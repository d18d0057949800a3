/** Versions of balances and supplies in memory: the blocks that touched them, and by which transactions. */
import { creditOf } from "../../domain/ingest/decode/ledgerRules.ts"
import {
  burnAccount,
  isReserved,
  type Movement,
  mintAccount,
  type NftMovement,
  type SentToZero,
} from "../../model/event.ts"
import { type Address, type Hash, zeroAddress } from "../../model/primitives.ts"
import type { StoredVersion, Versioned } from "../../ports/TokenHistories.ts"
import { balanceOf, unitOf } from "./balances.ts"
import { type MemoryChain, type MemoryToken, tokenOf, tokensAt } from "./state.ts"
import { knownTimes } from "./times.ts"

export const timeOf = (chain: MemoryChain, block: number): { readonly time?: number } => {
  const known = knownTimes(chain).find(({ number }) => number === block)
  return known === undefined ? {} : { time: known.time }
}

export const versionedToken = (chain: MemoryChain | undefined, what: Versioned): MemoryToken | undefined => {
  if (what.of === "balance") {
    return what.standard === undefined ? tokensAt(chain, what.token)[0] : tokenOf(chain, what.standard, what.token)
  }
  return tokenOf(chain, what.of === "unit" ? "erc1155" : "erc20", what.token)
}

export const versionsOf = (chain: MemoryChain, token: MemoryToken, what: Versioned): ReadonlyArray<StoredVersion> => {
  const { versions, at } = figureOf(token, what)
  const blocks = [...new Set(versions.map(({ blockNumber }) => blockNumber))]
  return blocks.map((blockNumber) => ({
    blockNumber,
    ...timeOf(chain, blockNumber),
    balance: String(at(blockNumber)),
    before: String(at(blockNumber - 1)),
    transactions: transactionsOf(chain, token, what, blockNumber),
  }))
}

const figureOf = (token: MemoryToken, what: Versioned) => {
  if (what.of === "unit") {
    const id = BigInt(what.tokenId)
    return {
      versions: token.units.get(id)?.get(what.holder) ?? [],
      at: (block: number) => unitOf(token, id, what.holder, block),
    }
  }
  if (what.of === "balance")
    return {
      versions: token.balances.get(what.holder) ?? [],
      at: (block: number) => balanceOf(token, what.holder, block),
    }
  return {
    versions: [mintAccount, burnAccount].flatMap((account) => token.balances.get(account) ?? []),
    at: (block: number) => -balanceOf(token, mintAccount, block) - balanceOf(token, burnAccount, block),
  }
}

/** Mints and burns are of the supply, and not of the zero address. */
const touches = (row: Movement | NftMovement, what: Versioned, sentToZero: SentToZero): boolean => {
  if (!("credit" in row)) {
    if (what.of === "supply") return false
    if (what.holder === zeroAddress) return row.standard === "erc1155" && row.from === row.to && row.to === zeroAddress
    return row.from === what.holder || row.to === what.holder
  }
  const credit = creditOf(sentToZero, row)
  return what.of === "supply"
    ? isReserved(row.debit) || isReserved(credit)
    : row.debit === what.holder || credit === what.holder
}

const transactionsOf = (
  chain: MemoryChain,
  { standard, address, sentToZero = "burnt" }: MemoryToken,
  what: Versioned,
  blockNumber: number,
): ReadonlyArray<Hash> => {
  const isHere = (row: { readonly token: Address; readonly blockNumber: number }) =>
    row.token === address && row.blockNumber === blockNumber
  const rows = chain.transfers.filter(
    (row) =>
      row.standard === standard &&
      isHere(row) &&
      touches(row, what, sentToZero) &&
      (what.of !== "unit" || ("tokenId" in row && String(row.tokenId) === what.tokenId)),
  )
  const wraps = chain.wraps.filter((row) => standard === "erc20" && isHere(row) && touches(row, what, "burnt"))
  const all = [...rows, ...wraps].sort((a, b) => a.logIndex - b.logIndex)
  return [...new Set(all.map(({ txHash }) => txHash))]
}
