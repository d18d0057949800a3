/** Event → movement: whom it debits, whom it credits. Every ledger rule, once, pure. */
import type { ApprovalMovement } from "../../../model/approval.ts"
import type { Log } from "../../../model/block.ts"
import {
  type Account,
  burnAccount,
  type Movement,
  mintAccount,
  type NftMovement,
  type SentToZero,
  type SwapMovement,
  type TokenEvent,
  type TransferMovement,
  type WrapMovement,
} from "../../../model/event.ts"
import { type Address, zeroAddress } from "../../../model/primitives.ts"

/**
 * The ledger rules for ERC-20:
 * - from the zero address = mint, also when `to` is the zero address;
 * - to the zero address from elsewhere = burn, except of wrapped native, where the zero address is a holder like any other;
 * - a Deposit of wrapped native mints, a Withdrawal burns; neither is listed as a transfer;
 * - self-transfers and zero amounts are transfers and change no balance.
 *
 * Undefined for events that move no ERC-20.
 */
export const movementOf = (
  event: TokenEvent,
  log: Log,
  time: number,
  wrappedNative: ReadonlySet<Address>,
): Movement | undefined => {
  switch (event.kind) {
    case "erc20Transfer": {
      const mint = event.from === zeroAddress
      const burn = !mint && event.to === zeroAddress && !wrappedNative.has(log.address)
      return transfer(log, time, event, mint ? mintAccount : event.from, burn ? burnAccount : event.to)
    }
    case "deposit":
      return wrap(log, time, mintAccount, event.holder, event.amount)
    case "withdrawal":
      return wrap(log, time, event.holder, burnAccount, event.amount)
    default:
      return undefined
  }
}

/** Whom a movement credits, as it was found what becomes of what is sent to the zero address of its token. */
export const creditOf = (
  sentToZero: SentToZero,
  { kind, token, debit, credit }: Pick<Movement, "token" | "debit" | "credit"> & { readonly kind: string },
): Account => {
  if (sentToZero === "burnt" || credit !== burnAccount || kind !== "transfer") return credit
  return sentToZero === "keptButOwn" && debit === token ? credit : zeroAddress
}

/**
 * The rows of an ERC-721 or ERC-1155 event: one per id. What they do to balances:
 * - ERC-1155: from the zero address = mint, also when `to` is the zero address; to it from elsewhere = burn;
 * - ERC-721: the ledger's owner of the id loses it (none: a mint), `to` gains it; to the zero address = burn, also of
 *   an id that nobody owns, which changes nothing.
 */
export const nftMovementsOf = (event: TokenEvent, log: Log, time: number): ReadonlyArray<NftMovement> => {
  if (event.kind !== "nftTransfer") return []
  const { standard, from, to, operator, units } = event
  const { address: token, blockNumber, logIndex, txHash, txIndex } = log
  return units.map((unit, sub) => ({
    standard,
    token,
    blockNumber,
    logIndex,
    sub,
    time,
    txHash,
    txIndex,
    from,
    to,
    operator,
    ...unit,
  }))
}

/** A swap moves nothing by itself: its tokens' own Transfer logs do. Undefined for other events. */
export const swapMovementOf = (event: TokenEvent, log: Log, time: number): SwapMovement | undefined => {
  if (event.kind !== "swap") return undefined
  const { pool, paid0, paid, got } = event
  const { blockNumber, logIndex, txHash, txIndex } = log
  return { pool, paid0, paid, got, blockNumber, logIndex, time, txHash, txIndex }
}

/** An approval moves nothing. Undefined for other events. */
export const approvalMovementOf = (event: TokenEvent, log: Log, time: number): ApprovalMovement | undefined => {
  if (event.kind !== "approval") return undefined
  const { kind: _, ...said } = event
  const { blockNumber, logIndex, txHash, txIndex } = log
  return { ...said, token: log.address, blockNumber, logIndex, time, txHash, txIndex }
}

const transfer = (
  log: Log,
  time: number,
  { from, to, amount }: Pick<TransferMovement, "from" | "to" | "amount">,
  debit: Account,
  credit: Account,
): TransferMovement => ({
  kind: "transfer",
  token: log.address,
  blockNumber: log.blockNumber,
  logIndex: log.logIndex,
  time,
  txHash: log.txHash,
  txIndex: log.txIndex,
  from,
  to,
  debit,
  credit,
  amount,
})

const wrap = (log: Log, time: number, from: Account, to: Account, amount: bigint): WrapMovement => ({
  kind: "wrap",
  token: log.address,
  blockNumber: log.blockNumber,
  logIndex: log.logIndex,
  time,
  txHash: log.txHash,
  txIndex: log.txIndex,
  from,
  to,
  debit: from,
  credit: to,
  amount,
})
