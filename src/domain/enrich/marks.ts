/** Counts the transfers of busy accounts, beside the ledger and behind its final blocks: pages far down their lists begin at what was counted. */
import { Duration, Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { AccountMarks, type StandardAccount } from "../../ports/AccountMarks.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { isAtHead } from "./atHead.ts"
import { type BusyAccounts, makeBusyAccounts } from "./busyAccounts.ts"

/** Rows of a standard that make an account busy: a list of fewer is walked whole in the time of a few pages. */
const busyRows = 2000
/** Of so many blocks of a window one is looked at for accounts that are busy. */
const sampledOf = 32
/** Accounts that are remembered, about 100 bytes each. */
const mostAccounts = 50_000

/** Rows of all accounts that a window shall have, and the blocks that it may have. */
const windowRows = 25_000
const firstBlocks = 500
const mostBlocks = 1_000_000

/** Between two windows: at least so long, and so many times as long as the window took. New blocks need the server too. */
const restMs = 100
const restTimes = 3
/** When all final blocks are counted. */
const pauseMs = 120_000
/** Until the ledger is near its head: a first sync has the machine to itself. */
const waitMs = 2000

/** Never ends. */
export const markAccounts = Effect.fn("markAccounts")(function* (
  { chainId }: { readonly chainId: ChainId },
  ledger: FollowedLedger,
) {
  const busy = makeBusyAccounts({ least: busyRows, share: sampledOf, most: mostAccounts })
  let blocks: number | undefined = firstBlocks
  while (true) {
    if (!isAtHead(ledger)) {
      yield* Effect.sleep(waitMs)
      continue
    }
    const [took, next]: readonly [Duration.Duration, number | undefined] = yield* markWindow(chainId, busy, {
      blocks: blocks ?? firstBlocks,
      least: busyRows,
    }).pipe(
      Effect.catchDefect(Effect.fail),
      Effect.tapError((error) => Effect.logDebug(`chain ${chainId}: transfers of accounts cannot be counted`, error)),
      Effect.orElseSucceed(() => undefined),
      Effect.timed,
    )
    blocks = next
    yield* Effect.sleep(blocks === undefined ? pauseMs : restAfter(took))
  }
})

export interface MarkSettings {
  /** Blocks that the window shall have at most. */
  readonly blocks: number
  readonly least: number
}

/** How many blocks the next window shall have; undefined = all final blocks are counted. */
export const markWindow = Effect.fn("markWindow")(function* (
  chainId: ChainId,
  busy: BusyAccounts,
  { blocks, least }: MarkSettings,
) {
  const marks = yield* AccountMarks
  const window = yield* marks.next(chainId, blocks)
  if (window === undefined) return undefined
  const { from, to, end, isFirst } = window
  // Who is busy is known before the first block is counted: nobody's past need be gone through then.
  const surveyed = isFirst ? yield* survey(chainId, busy, from, end) : undefined
  const sample = surveyed ?? (yield* lookAt(chainId, busy, from, to))
  for (const account of sample.busy) {
    // One whose past cannot be gone through holds up no other: it is tried again when it was seen as often once more.
    const found = yield* marks.begin(chainId, window, account, least).pipe(
      Effect.tapError((error) => Effect.logDebug(`chain ${chainId}: ${account.address} cannot be counted`, error)),
      Effect.orElseSucceed(() => 0),
    )
    if (found < least) busy.learned(account, found)
  }
  yield* Effect.uninterruptible(marks.count(chainId, window))
  return to >= end ? undefined : Math.min(sample.fitting, 2 * (to - from))
})

/** Who of a window seems to be busy, by the first of its blocks; and how many blocks of their kind are a window. */
const lookAt = Effect.fnUntraced(function* (chainId: ChainId, busy: BusyAccounts, from: number, to: number) {
  const sampled = Math.ceil((to - from) / busy.share)
  const { rows, accounts } = yield* (yield* AccountMarks).sample(chainId, from, sampled)
  const fitting = Math.round((sampled * windowRows) / Math.max(rows, 1))
  return { busy: busy.see(accounts, { from, to }), fitting: Math.min(Math.max(fitting, 1), mostBlocks) }
})

/** The same of many windows, one after the other. */
const survey = Effect.fnUntraced(function* (chainId: ChainId, busy: BusyAccounts, first: number, end: number) {
  const found = new Map<string, StandardAccount>()
  let fitting = firstBlocks
  busy.clear()
  for (let from = first; from < end; ) {
    const to = Math.min(from + fitting, end)
    const [took, part] = yield* Effect.timed(lookAt(chainId, busy, from, to))
    for (const account of part.busy) found.set(`${account.standard} ${account.address}`, account)
    fitting = Math.min(part.fitting, 2 * fitting)
    from = to
    yield* Effect.sleep(restAfter(took))
  }
  return { busy: [...found.values()], fitting: firstBlocks }
})

const restAfter = (took: Duration.Duration): number => Math.max(restMs, restTimes * Duration.toMillis(took))
