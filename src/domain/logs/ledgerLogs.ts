/** Whether the ledger itself can tell logs to the byte, and those it tells, with what their transactions cost. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { Snapshot } from "../../model/page.ts"
import type { ChainId, Hash } from "../../model/primitives.ts"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import {
  type LedgerLog,
  type LedgerLogFilter,
  type LedgerLogPage,
  LedgerLogs,
  type LogCoverage,
} from "../../ports/LedgerLogs.ts"
import type { FoundLog, LogWindow } from "../../ports/LogSearch.ts"
import { ofApprovals, topics } from "../ingest/decode/topics.ts"
import { whyNotNewest } from "../lag/ledgerLag.ts"
import { findTransactionFacts, type KnownTransaction } from "../reads/transactionFacts.ts"
import { nodeTimeout } from "../turns/nodeWait.ts"

/**
 * Undefined where another has to be asked: signatures that are not followed, blocks that the ledger does not have or has
 * without its odd logs, a search that reads too much, a node that does not tell what the transactions cost.
 */
export const findLedgerLogs = Effect.fn("findLedgerLogs")(function* (
  chainId: ChainId,
  filter: LedgerLogFilter,
  window: LogWindow,
) {
  if (!isFollowed(filter)) return undefined
  const store = yield* LedgerLogs
  const { asOf, value } = yield* store
    .find(chainId, filter, window)
    .pipe(Effect.orElseSucceed((): Snapshot<LedgerLogPage> => ({ asOf: [], value: {} })))
  const [head] = asOf
  const { coverage, logs } = value
  if (head === undefined || coverage === undefined || logs === undefined) return undefined
  const isNewest = (yield* whyNotNewest(head)) === undefined
  if (!isCovered(filter, coverage, { blockNumber: head.blockNumber, isNewest })) return undefined
  const told = yield* tellWhole(chainId, asOf, logs).pipe(
    Effect.tapError(({ message }) => Effect.logDebug(`logs of the ledger: ${message}`)),
    Effect.orElseSucceed(() => undefined),
  )
  return told === undefined ? undefined : { asOf, logs: told }
})

const everywhere: ReadonlySet<string> = new Set([
  topics.transfer,
  topics.transferSingle,
  topics.transferBatch,
  topics.consecutiveTransfer,
])
const ofWrapped: ReadonlySet<string> = new Set([topics.deposit, topics.withdrawal])

/** Deposit and Withdrawal are other contracts' events too, which are not followed. */
const isFollowed = ({ signature, address }: LedgerLogFilter): boolean =>
  everywhere.has(signature) || ofApprovals.has(signature) || (ofWrapped.has(signature) && address !== undefined)

/** Whether the ledger has every log that is asked for. Exported for its test. */
export const isCovered = (
  { signature, address, fromBlock, toBlock }: LedgerLogFilter,
  coverage: LogCoverage,
  /** `isNewest`: of the chain, as far as is known. */
  head: Pick<AsOf, "blockNumber"> & { readonly isNewest: boolean },
): boolean => {
  const { tokens, wrappedNative, approvals } = coverage
  if (tokens !== undefined && (address === undefined || !tokens.includes(address))) return false
  if (ofWrapped.has(signature) && (address === undefined || !wrappedNative.includes(address))) return false
  if (ofApprovals.has(signature) && !approvals) return false
  if (fromBlock < coverage.fromBlock) return false
  return toBlock === undefined ? head.isNewest : toBlock <= head.blockNumber
}

const transactionOf = ({ txHash, blockNumber, blockHash, txIndex }: LedgerLog): KnownTransaction => ({
  hash: txHash,
  blockNumber,
  ...(blockHash && { blockHash }),
  ...(txIndex === undefined ? {} : { index: txIndex }),
})

/** With the block's hash and what was paid: kept, or of the node. */
const tellWhole = Effect.fnUntraced(function* (
  chainId: ChainId,
  asOf: ReadonlyArray<AsOf>,
  logs: ReadonlyArray<LedgerLog>,
) {
  if (logs.length === 0) return []
  const facts = yield* findTransactionFacts(chainId, asOf, logs.map(transactionOf))
  const times = yield* timesOf(
    chainId,
    logs.filter(({ time }) => time === undefined),
    facts,
  )
  return logs.map(({ txIndex: _, ...log }): FoundLog => {
    const { blockHash, index, gasPrice, gasUsed } = facts.get(log.txHash)!
    return {
      ...log,
      blockHash,
      txIndex: index,
      time: log.time ?? times.get(log.blockNumber)!,
      gasPrice: BigInt(gasPrice),
      gasUsed: BigInt(gasUsed),
    }
  })
})

/** Rows of wrapped native have no time: their blocks' headers do. */
const timesOf = Effect.fnUntraced(function* (
  chainId: ChainId,
  logs: ReadonlyArray<LedgerLog>,
  facts: ReadonlyMap<Hash, TransactionFacts>,
) {
  const blocks = new Map(logs.map(({ blockNumber, txHash }) => [blockNumber, facts.get(txHash)!.blockHash]))
  if (blocks.size === 0) return new Map<number, number>()
  const client = (yield* ChainSource).of(chainId)
  const headers = yield* client.headers([...blocks.keys()]).pipe(Effect.timeout(nodeTimeout))
  const known = headers.filter((header) => header !== undefined && header.hash === blocks.get(header.number))
  if (known.length < blocks.size) return yield* Effect.fail({ message: "the node tells other blocks" })
  return new Map(known.map((header) => [header!.number, header!.time]))
})
