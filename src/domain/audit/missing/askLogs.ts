/** Asks for a contract's own logs again, range after range, and says what the ledger lacks of them. */
import { Effect, Result } from "effect"
import type { AsOf, Log } from "../../../model/block.ts"
import { QueryTooSlow } from "../../../model/errors.ts"
import type { Address } from "../../../model/primitives.ts"
import { AuditStore, type BlockRange } from "../../../ports/AuditStore.ts"
import { ChainSource } from "../../../ports/ChainSource.ts"
import { idsOf, isTooMuch, mostIds } from "../../ingest/decode/consecutive.ts"
import type { Contracts } from "../../ingest/decode/sorting.ts"
import { failed, firstRangeSize, grown, type RangeSize, refused } from "../../ranges/rangeSize.ts"
import { compareRows } from "./compareRows.ts"
import { type Heard, joinHeard, unite } from "./heard.ts"

/** How many blocks are asked of at once: learned once for all contracts of a chain. */
export interface AskSize {
  current: RangeSize
}

/** One contract has few logs: longer ranges than of all of them. */
export const firstAskSize = (): AskSize => ({
  current: { ...firstRangeSize, blocks: 10_000, mostBlocks: 1_000_000 },
})

export interface LogQuestion {
  readonly address: Address
  /** The ledger's newest block: ranges end there. */
  readonly at: AsOf
  /** The lowest block that is asked for. */
  readonly from: number
  /** What was asked before, and is not asked again. */
  readonly known?: BlockRange | undefined
  /** Of whom; absent = it is not told. */
  readonly knownOf?: Heard | undefined
  /** Questions that it may cost. */
  readonly calls: number
  readonly size: AskSize
  readonly contracts: Contracts
}

export interface LogAnswer {
  /** One range: what was asked before with what was asked now; absent = nothing. */
  readonly asked?: BlockRange
  /** The same, whatever came of it: it may not be settled. */
  readonly reached?: BlockRange
  /** All blocks were asked of. */
  readonly isThrough: boolean
  /** Logs that the ledger lacks. */
  readonly missing: ReadonlyArray<Log>
  /** Logs that nodes gave now. */
  readonly given: number
  /** Rows of the ledger that no node gives. */
  readonly surplus: number
  /** Who was asked of it; absent = nobody was. */
  readonly heard?: Heard
  /** Why no more was asked; absent = all was, or the calls are used up. */
  readonly unanswered?: string
  readonly calls: number
}

/** More are healed the next time. */
export const mostMissing = 20_000

/** Rows of the ledger that are read at once, some 250 bytes each; of a single block all are. */
const mostRows = 50_000

/** First the blocks above what is known, upward; then those below, downward: what went wrong of late shows first. */
export const askLogs = Effect.fnUntraced(function* (question: LogQuestion) {
  const { at, from, known, calls: mostCalls, size } = question
  const top = at.blockNumber
  let asked: BlockRange = known !== undefined && known.to <= top ? known : { from: top + 1, to: top }
  const missing: Array<Log> = []
  let [surplus, count] = [0, 0]
  let heard = known !== undefined && known.to <= top ? question.knownOf : undefined
  let calls = 0
  const answer = (unanswered?: string): LogAnswer => ({
    ...{ missing, given: count, surplus, calls },
    ...(asked.from > asked.to ? {} : { asked, reached: asked }),
    isThrough: asked.to >= top && asked.from <= from,
    ...(heard === undefined ? {} : { heard }),
    ...(unanswered === undefined ? {} : { unanswered }),
  })
  while (calls < mostCalls && missing.length < mostMissing && idsOf(missing) < mostIds) {
    const isUpward = asked.to < top
    if (!isUpward && asked.from <= from) break
    const length = size.current.blocks
    const range: BlockRange = isUpward
      ? { from: asked.to + 1, to: Math.min(top, asked.to + length) }
      : { from: Math.max(from, asked.from - length), to: asked.from - 1 }
    const found = yield* Effect.result(askRange(question, range))
    const isSlow = Result.isFailure(found) && found.failure._tag === "QueryTooSlow"
    // How short its ranges must be is found at once: others make them long again before its next turn.
    if (!isSlow) calls++
    const blocks = range.to - range.from + 1
    if (Result.isFailure(found)) {
      const error = found.failure
      if ((error._tag !== "QueryTooSlow" && error._tag !== "RangeRefused") || blocks === 1) return answer(error.message)
      // One token has many rows: that says nothing of what a node takes of others.
      if (error._tag === "QueryTooSlow") {
        size.current = failed(size.current, blocks)
        continue
      }
      const { suggestedTo = Number.NaN } = error
      const isSuggested = suggestedTo >= range.from && suggestedTo < range.to
      size.current = refused(size.current, blocks, isSuggested ? suggestedTo - range.from + 1 : undefined)
      continue
    }
    const { compared, given, rows } = found.success
    // Nodes that have thrown their logs away give none, however many rows there are.
    size.current = grown(size.current, blocks, Math.max(given.logs.length + idsOf(given.logs), rows))
    heard = joinHeard(heard, given)
    for (const log of compared.missing) missing.push(log)
    count += given.logs.length
    surplus += compared.surplus
    asked = isUpward ? { from: asked.from, to: range.to } : { from: range.from, to: asked.to }
  }
  return answer()
})

const askRange = Effect.fnUntraced(function* ({ address, at, contracts }: LogQuestion, range: BlockRange) {
  const source = (yield* ChainSource).of(at.chainId)
  const given = unite(yield* source.contractLogs!(address, range.from, range.to))
  if (isTooMuch(range, given.logs)) return yield* new QueryTooSlow({ message: "its logs are of too many ids" })
  const most = range.from === range.to ? undefined : mostRows
  const { value } = yield* (yield* AuditStore).storedRows(at.chainId, address, range, most)
  return { given, compared: compareRows(given.logs, value, contracts), rows: value.length }
})
