/** The logs that receipts hold: those that are followed, in order. */
import type { Log } from "../../../model/block.ts"
import type { Address, Hash } from "../../../model/primitives.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, Malformed, quote } from "../wire/shapes.ts"
import { readLogs } from "./logs.ts"

/** Those that are followed, in order. Where indexes do not ascend (some nodes count the logs of each receipt from 0) places stand for them. */
export const provenLogs = (
  receipts: ReadonlyArray<unknown>,
  isWanted: (log: unknown) => boolean,
  block: { readonly number: number; readonly hash: Hash },
) => {
  const logs = receipts.flatMap((receipt) => listOf(receipt))
  const indexes = logs.map((log) => Number(Object(log).logIndex))
  const indexed = indexes.every((index, place) => index >= 0 && (place === 0 || index > indexes[place - 1]!))
  const numbered = logs.map((log, place) => ({ ...Object(log), logIndex: quantity(place) }))
  return { logs: readWanted([{ logs: indexed ? logs : numbered }], isWanted, block), indexed }
}

/** The logs that are followed, in order. */
export const readWanted = (
  receipts: ReadonlyArray<unknown>,
  isWanted: (log: unknown) => boolean,
  { number, hash }: { readonly number: number; readonly hash: Hash },
): ReadonlyArray<Log> =>
  readLogs(receipts.flatMap((receipt) => listOf(receipt)).filter(isWanted), {
    fromBlock: number,
    toBlock: number,
    blockHash: hash,
  })

/** Which of a receipt's logs are followed. */
export const wantedBy = (topics: ReadonlyArray<string>, tokens: ReadonlyArray<Address> | undefined) => {
  const signatures = new Set(topics)
  const followed = tokens && new Set<string>(tokens)
  return (log: unknown): boolean => {
    const { address, topics: given } = Object(log) as { address?: unknown; topics?: unknown }
    const signature = Array.isArray(given) ? String(given[0]).toLowerCase() : ""
    return signatures.has(signature) && (followed === undefined || followed.has(String(address).toLowerCase()))
  }
}

const listOf = (receipt: unknown): ReadonlyArray<unknown> => {
  const { logs, transactionHash, transactionIndex } = Object(receipt) as Record<string, unknown>
  if (!Array.isArray(logs)) {
    const whose = `in the receipt of transaction ${quote(transactionHash)}`
    throw new Malformed(`logs: expected a list, got ${quote(logs)} ${whose}`, "receipts")
  }
  // What a log leaves out, its receipt may say.
  if (transactionIndex === undefined || transactionIndex === null) return logs
  return logs.map((log) => (Object(log).transactionIndex == null ? { ...Object(log), transactionIndex } : log))
}

/** Each with its receipt's place. `first`: that of the first one. */
export const transactionsOf = (receipts: ReadonlyArray<unknown>, first: number): ReadonlyMap<Hash, number> =>
  new Map(receipts.map((receipt, place) => [hashOf(Object(receipt).transactionHash, "transactionHash"), first + place]))
