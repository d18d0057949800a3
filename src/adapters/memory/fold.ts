/** What rows do to balances and owners: the ledger in a few lines of Map and bigint. */
import { creditOf } from "../../domain/ingest/decode/ledgerRules.ts"
import {
  type Account,
  burnAccount,
  type Movement,
  mintAccount,
  type NftMovement,
  type SentToZero,
} from "../../model/event.ts"
import { type Address, type Hash, zeroAddress } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { unitOf } from "./balances.ts"
import { type Balances, type MemoryChain, type MemoryToken, tokenKey } from "./state.ts"

/** What the rows of all standards have. */
interface Row {
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  readonly time: number
  readonly txHash: Hash
}

export const move = (chain: MemoryChain, movement: Movement): void => {
  const token = tokenFor(chain, "erc20", movement)
  if (movement.kind === "transfer") chain.transfers.push({ ...movement, standard: "erc20", sub: 0 })
  else chain.wraps.push(movement)
  touch(token.balances, movement.debit, movement.blockNumber, -movement.amount)
  touch(token.balances, creditOf(token.sentToZero ?? "burnt", movement), movement.blockNumber, movement.amount)
}

/** What was sent to the zero address is that holder's at every block, and is from now on; but perhaps for what the contract itself sent. */
export const letZeroAddressHold = (
  chain: MemoryChain,
  token: MemoryToken,
  sentToZero: Exclude<SentToZero, "burnt">,
): void => {
  token.sentToZero = sentToZero
  const { address, balances } = token
  balances.delete(burnAccount)
  balances.delete(zeroAddress)
  for (const row of chain.transfers) {
    if (row.token !== address || row.standard !== "erc20" || !("credit" in row) || row.to !== zeroAddress) continue
    touch(balances, creditOf(sentToZero, row), row.blockNumber, row.amount)
  }
}

export const moveNft = (chain: MemoryChain, movement: NftMovement): void => {
  const token = tokenFor(chain, movement.standard, movement)
  chain.transfers.push(movement)
  if (movement.standard === "erc721") moveId(token, movement)
  else moveUnits(token, movement)
}

/** The ledger's owner loses the id, whatever the log says; both of the log's parties count as touched. */
const moveId = (token: MemoryToken, { blockNumber, logIndex, time, from, to, tokenId }: NftMovement): void => {
  const versions = token.owners.get(tokenId) ?? []
  const { owner, mint } = versions.at(-1) ?? {}
  const next = to === zeroAddress ? undefined : to
  for (const party of [from, to]) if (party !== zeroAddress) touch(token.balances, party, blockNumber, 0n)
  if (owner !== undefined || next !== undefined) {
    touch(token.balances, owner ?? mintAccount, blockNumber, -1n)
    touch(token.balances, next ?? burnAccount, blockNumber, 1n)
  }
  const minted = owner === undefined ? { blockNumber, logIndex, time } : mint
  versions.push({
    blockNumber,
    logIndex,
    ...(next === undefined ? {} : { owner: next, ...(minted && { mint: minted }) }),
  })
  token.owners.set(tokenId, versions)
}

/** Per id as ERC-20 does; an account's own balance is the sum of the ids it holds, those below zero left out. */
const moveUnits = (token: MemoryToken, { blockNumber, from, to, tokenId, amount }: NftMovement): void => {
  const isMint = from === zeroAddress
  const balances: Balances<Address> = token.units.get(tokenId) ?? new Map()
  token.units.set(tokenId, balances)
  const change = (account: Address, by: bigint): void => {
    const before = held(unitOf(token, tokenId, account))
    touch(balances, account, blockNumber, by)
    touch(token.balances, account, blockNumber, held(unitOf(token, tokenId, account)) - before)
  }
  if (!isMint) change(from, -amount)
  if (isMint || to !== zeroAddress) change(to, amount)
}

const held = (amount: bigint): bigint => (amount > 0n ? amount : 0n)

const tokenFor = (chain: MemoryChain, standard: Standard, row: Row): MemoryToken => {
  const key = tokenKey(standard, row.token)
  const token: MemoryToken = chain.tokens.get(key) ?? {
    standard,
    address: row.token,
    firstBlock: row.blockNumber,
    firstLogIndex: row.logIndex,
    firstTxHash: row.txHash,
    firstTime: row.time,
    balances: new Map(),
    units: new Map(),
    owners: new Map(),
    uris: new Map(),
    pricePoints: new Map(),
  }
  chain.tokens.set(key, token)
  return token
}

/** A version per touched block, also where nothing changes. */
const touch = (balances: Balances, account: Account, blockNumber: number, change: bigint): void => {
  const versions = balances.get(account) ?? []
  const balance = (versions.at(-1)?.balance ?? 0n) + change
  if (versions.at(-1)?.blockNumber === blockNumber) versions.pop()
  versions.push({ blockNumber, balance })
  balances.set(account, versions)
}
