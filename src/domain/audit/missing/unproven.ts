/** Which logs are in a block of which no receipts are proven: nodes' words, unproven receipts and the header's bloom are held against each other. Pure. */
import type { Log } from "../../../model/block.ts"
import type { LogsBloom } from "../../../ports/ChainSource.ts"
import { heldBy, type Lacked, nodesDiffer, noNode, roomBeside, type Weighed } from "./weighed.ts"

export interface Unproven extends Lacked {
  /** The block's logs by its hash, of each node that gives them. */
  readonly words: ReadonlyArray<ReadonlyArray<Log>>
  /** The block's, of all contracts; absent = no node gives them. */
  readonly receipts: ReadonlyArray<Log> | undefined
  readonly bloom: LogsBloom | undefined
}

/** All of them are believed, or none, but for those that the ledger has at other places. */
export const weighUnproven = ({ words, receipts, bloom, ...lacked }: Unproven): Weighed => {
  const { logs } = lacked
  const isKnown = (log: Log) => {
    const givers = words.filter((word) => heldBy(word)(log))
    const isMore = givers.some((word) => roomBeside(word, lacked).has(log))
    return givers.length > 0 && !isMore && !words.some((word) => tellsOfAnother(word, log, lacked))
  }
  const known = logs.filter(isKnown)
  const open = logs.filter((log) => !known.includes(log))
  const denial = open.length === 0 ? undefined : denialOf(open, { words, receipts, bloom, ...lacked })
  return { believed: denial === undefined ? open : [], known, disproved: [], denial }
}

const denialOf = (open: ReadonlyArray<Log>, { words, receipts, bloom, ...lacked }: Unproven): string | undefined => {
  // Whoever gives them, and no more than these of what is stored elsewhere too, may only count differently.
  const isTold = (told: ReadonlyArray<Log>) => holdAll(told, open) && roomBeside(told, lacked).crowded(open).size === 0
  const holding = words.filter(isTold).length
  if (holding === 0) return words.some((word) => holdAll(word, open)) ? nodesDiffer : noNode
  if (words.some((word) => isOther(word, open))) return "another node has other logs in their places"
  const isInReceipts = receipts !== undefined && isTold(receipts)
  if (holding + (isInReceipts ? 1 : 0) > 1) return undefined
  if (receipts !== undefined) return "its receipts do not hold them"
  const isShown = bloom !== undefined && !bloom.empty && open.every((log) => bloom.mayHold(log))
  if (isShown) return undefined
  return words.length > 1
    ? "another node does not give them"
    : "neither receipts nor another node nor its logsBloom show that they are in it"
}

/** The one alike that the ledger has is of another transaction, by this node: another log, then. */
const tellsOfAnother = (word: ReadonlyArray<Log>, log: Log, { stored }: Lacked): boolean =>
  word.some(
    (other) =>
      other.txHash !== log.txHash &&
      contentText(other) === contentText(log) &&
      stored.some(({ logIndex }) => logIndex === other.logIndex),
  )

const contentText = ({ address, topics, data }: Log): string => [address, ...topics, data].join()

const isOther = (word: ReadonlyArray<Log>, logs: ReadonlyArray<Log>): boolean => {
  const wanted = new Map(logs.map((log) => [log.logIndex, log]))
  return word.some((log) => {
    const own = wanted.get(log.logIndex)
    return own !== undefined && !holdAll([log], [own])
  })
}

const holdAll = (all: ReadonlyArray<Log>, logs: ReadonlyArray<Log>): boolean => logs.every(heldBy(all))
