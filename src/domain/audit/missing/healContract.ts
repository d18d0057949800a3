/** Heals a contract whose logs the ledger lacks: asks for them, confirms them, and hands them to the ledger's writer. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import { AuditStore, type BlockRange } from "../../../ports/AuditStore.ts"
import { ChainSource, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { HealedAudit, LedgerWriter } from "../../../ports/Ledger.ts"
import { type Contracts, movementsOf, sortLogs } from "../../ingest/decode/sorting.ts"
import { type AskSize, askLogs, firstAskSize, type LogAnswer } from "./askLogs.ts"
import { confirmLogs } from "./confirmLogs.ts"
import type { Heard } from "./heard.ts"

/** Whose ledger it is, and what makes its rows what they are. */
export interface HealSettings {
  readonly chainId: ChainId
  readonly wrappedNative: ReadonlyArray<Address>
}

export interface HealQuestion {
  /** Absent = all of the ledger's blocks. */
  readonly range?: Partial<BlockRange>
  /** What was asked before. */
  readonly known?: BlockRange | undefined
  readonly knownOf?: Heard | undefined
  /** Questions that it may cost; absent = as many as it takes. */
  readonly calls?: number
  readonly size?: AskSize
  /** What the records become where that is the answer: stored with what comes in. Absent = what they are. */
  readonly auditsOf?: (answer: HealAnswer) => ReadonlyArray<HealedAudit>
}

export interface HealAnswer extends Omit<LogAnswer, "missing"> {
  /** Rows that the ledger took in. */
  readonly healed: number
  /** Blocks that they are in, first and last; absent = none. */
  readonly blocks?: BlockRange
  /** Logs that the ledger lacks still, and why. */
  readonly lacking: ReadonlyArray<Log>
  /** Those of them that are shown not to be in the chain. */
  readonly disproved: ReadonlyArray<Log>
  readonly doubt?: string
}

/**
 * Fails where the ledger cannot be read or written. Where an append is open nothing is written, and `doubt` says so: it is
 * to be asked again. Undefined = nobody can be asked, or nothing is stored.
 */
export const healContract = Effect.fnUntraced(function* (
  settings: HealSettings,
  writer: Pick<LedgerWriter, "heal">,
  address: Address,
  question: HealQuestion = {},
) {
  const { range = {}, known, knownOf, calls = Number.POSITIVE_INFINITY, size = firstAskSize(), auditsOf } = question
  const { chainId } = settings
  const source = (yield* ChainSource).of(chainId)
  const store = yield* AuditStore
  const [stored] = (yield* store.find(chainId, address)).asOf
  if (stored === undefined || source.contractLogs === undefined) return undefined
  const at = { ...stored, blockNumber: Math.min(stored.blockNumber, range.to ?? stored.blockNumber) }
  const from = Math.max(stored.firstBlock, range.from ?? stored.firstBlock)
  const contracts = contractsOf(settings)
  const found = yield* askLogs({ address, at, from, known, knownOf, calls, size, contracts })
  const { missing, ...answer } = found
  const settled = answer.surplus === 0 ? answer : withoutRange(answer, known)
  const nothing: HealAnswer = { ...settled, healed: 0, lacking: [], disproved: [] }
  if (missing.length === 0) return nothing
  const storedIn = (block: number) =>
    Effect.map(store.storedRows(chainId, address, { from: block, to: block }), ({ value }) => value)
  const confirmed = yield* Effect.result(
    Effect.gen(function* () {
      const [head] = yield* source.headers([stored.blockNumber])
      if (head?.hash !== stored.hash)
        return yield* new SourceUnavailable({ message: `the node's block ${stored.blockNumber} is not the ledger's` })
      return yield* confirmLogs(source, missing, { contracts, storedIn })
    }),
  )
  const unhealed = (lacking: ReadonlyArray<Log>, doubt: string, disproved: ReadonlyArray<Log> = []): HealAnswer => ({
    ...withoutRange(answer, known),
    ...{ healed: 0, lacking, disproved, doubt },
  })
  if (confirmed._tag === "Failure") {
    const { failure } = confirmed
    return failure._tag === "SourceUnavailable" ? unhealed(missing, failure.message) : yield* Effect.fail(failure)
  }
  const { logs, headers, disproved, doubt } = confirmed.success
  const elsewhere = new Set(confirmed.success.known)
  const lacked = missing.filter((log) => !elsewhere.has(log))
  if (lacked.length === 0) return nothing
  if (logs.length === 0) {
    return unhealed(lacked, doubt ?? "nothing shows that they are in their blocks", disproved)
  }
  const rows = rowsOf(logs, headers, contracts)
  const numbers = headers.map(({ number }) => number).sort((a, b) => a - b)
  const blocks = { from: numbers[0]!, to: numbers.at(-1)! }
  const taken = new Set(logs)
  const lacking = lacked.filter((log) => !taken.has(log))
  const whole = lacking.length === 0 && answer.surplus === 0 ? answer : withoutRange(answer, known)
  const wanted: HealAnswer = {
    ...whole,
    ...{ healed: rows.movements.length + rows.nfts.length, blocks, lacking, disproved },
    ...(doubt === undefined ? {} : { doubt }),
  }
  const healed = yield* Effect.result(writer.heal({ ...rows, headers, audits: auditsOf?.(wanted) ?? [] }))
  if (healed._tag === "Failure") {
    if (healed.failure._tag === "SegmentRefused") return unhealed(lacked, healed.failure.message, disproved)
    return yield* healed.failure
  }
  if (healed.success > 0) {
    yield* Effect.logWarning(
      `chain ${chainId}: ${address}: ${healed.success} rows of blocks ${blocks.from} to ${blocks.to} that a node had left out are in the ledger now`,
    )
  }
  return { ...wanted, healed: healed.success }
})

export const contractsOf = ({ wrappedNative }: HealSettings): Contracts => ({
  wrappedNative: new Set(wrappedNative),
  swaps: false,
  poolManagers: new Set(),
})

const rowsOf = (
  logs: ReadonlyArray<Log>,
  headers: ReadonlyArray<{ readonly number: number; readonly time: number }>,
  contracts: Contracts,
) => {
  const times = new Map(headers.map(({ number, time }) => [number, time]))
  const ordered = logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const { movements, nfts, odd } = movementsOf(
    sortLogs(ordered, contracts),
    contracts,
    (log) => times.get(log.blockNumber)!,
  )
  return { movements, nfts, odd }
}

/** What was asked is to be asked again: something of it is not settled. */
const withoutRange = (
  { asked: _, ...answer }: Omit<LogAnswer, "missing">,
  known: BlockRange | undefined,
): Omit<LogAnswer, "missing"> => (known === undefined ? answer : { ...answer, asked: known })
