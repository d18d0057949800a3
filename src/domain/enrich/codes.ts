/** Which holders are contracts: asked of the node beside the ledger, slowly, whom callers met, and the largest first. */
import { Clock, Effect, Semaphore } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { AccountCode } from "../../model/wallet/accountCode.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { CodeStore } from "../../ports/CodeStore.ts"
import { WantedCodes } from "../../ports/WantedCodes.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { makeAsker } from "./asker.ts"
import { isAtHead } from "./atHead.ts"

export interface CodeSettings {
  readonly chainId: ChainId
  /** ACCOUNT_CODES: whether they are asked for; default yes. */
  readonly accountCodes?: boolean
}

/** Tokens of each standard, those with most holders, and largest holders of each. */
const mostTokens = 1000
const mostHolders = 100
const standards = ["erc20", "erc721"] as const
/** Tokens looked at together. */
const tokensAtOnce = 20
/** Addresses asked about together: an answer has the whole code, up to 50 kB of hex each. */
const batchSize = 20
/** Recorded together: what is recorded makes answers of the chain that are kept be made anew. */
const recordSize = 200
/** Between two batches, so that a node has at most some 40 of these calls a second. */
const restMs = 500
/** Between two rounds. */
const shortestPauseMs = 2000
const longestPauseMs = 300_000
/** All are asked again after a week, or as soon as there is time: code may have come to an address, and a reorg may have taken it. */
const trustedSeconds = 7 * 86_400
/** What was asked so much later than now was asked by a clock that was ahead: it counts as old. */
const aheadSeconds = 86_400
/** For so long one is not asked about again of whom the node tells nothing while it tells of others. */
const asideMs = 3_600_000

/** Never ends. */
export const learnCodes = Effect.fn("learnCodes")(function* (
  { chainId, accountCodes = true }: CodeSettings,
  ledger: FollowedLedger,
) {
  if (!accountCodes) return yield* Effect.never
  const learn = makeLearn(chainId, ledger, yield* AccountCodes)
  const all = [
    again(chainId, learnWanted(chainId, ledger, learn), (outcome) => outcome !== "failed"),
    again(chainId, learnRound(chainId, ledger, learn), (outcome) => outcome === "some"),
  ]
  return yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})

/** What a round came to: some were learned, or none, or the node or the store failed. */
type Outcome = "some" | "none" | "failed"

/** Never ends, whatever fails. `isSoon`: after which outcomes the next round comes soon; after others in a row it waits twice as long each time. */
const again = Effect.fnUntraced(function* <E, R>(
  chainId: ChainId,
  round: Effect.Effect<boolean, E, R>,
  isSoon: (outcome: Outcome) => boolean,
) {
  let pauseMs = shortestPauseMs
  while (true) {
    const outcome = yield* round.pipe(
      Effect.map((found): Outcome => (found ? "some" : "none")),
      Effect.catchDefect(Effect.fail),
      Effect.tapError((error) => Effect.logDebug(`chain ${chainId}: codes of holders cannot be learned`, error)),
      Effect.orElseSucceed((): Outcome => "failed"),
    )
    pauseMs = isSoon(outcome) ? shortestPauseMs : Math.min(2 * pauseMs, longestPauseMs)
    yield* Effect.sleep(pauseMs)
  }
})

/** Whom callers met: a list that is asked for again some seconds later knows its accounts. True = something was learned. Who was asked about in vain is taken out too: who meets him again wants it again. */
const learnWanted = Effect.fnUntraced(function* (
  chainId: ChainId,
  ledger: FollowedLedger,
  learn: ReturnType<typeof makeLearn>,
) {
  if (!isAtHead(ledger)) return false
  const store = yield* WantedCodes
  const addresses = yield* store.list(chainId, recordSize)
  if (addresses.length === 0) return false
  const number = yield* learn(addresses)
  yield* store.remove(chainId, addresses)
  return number > 0
})

/**
 * Whom was asked about a week ago, and the largest holders of whom nobody knows. By turns, some of each: neither waits for the
 * other however many there are. True = something was learned.
 */
const learnRound = Effect.fnUntraced(function* (
  chainId: ChainId,
  ledger: FollowedLedger,
  learn: ReturnType<typeof makeLearn>,
) {
  let learned = false
  let isMoreOld = true
  for (const standard of standards) {
    for (let skip = 0; skip < mostTokens; skip += tokensAtOnce) {
      if (!isAtHead(ledger)) return learned
      const store = yield* CodeStore
      if (isMoreOld) {
        const old = yield* store.listOld(chainId, yield* askedAgain, recordSize)
        const number = yield* learn(old)
        if (number > 0) learned = true
        isMoreOld = number > 0 && old.length === recordSize
      }
      const top = { standard, tokens: tokensAtOnce, skip, holders: mostHolders }
      const { addresses, tokens } = yield* store.listUnknown(chainId, { ...top, ...(yield* askedAgain) })
      for (let at = 0; at < addresses.length; at += recordSize) {
        const number = yield* learn(addresses.slice(at, at + recordSize))
        if (number > 0) learned = true
      }
      if (tokens < tokensAtOnce) break
    }
  }
  return learned
})

/** Says how many were learned. One that spoils its batch is put aside for an hour, and holds nobody else up. Fails where the node does. */
const makeLearn = (chainId: ChainId, ledger: FollowedLedger, node: AccountCodes["Service"]) => {
  const asker = makeAsker<Address, AccountCode>({
    groupOf: () => "",
    ask: (asked) => {
      const blockNumber = ledger.checkpoint().nextBlock - 1
      return Effect.map(node.kindsOf(chainId, asked, blockNumber), (answers) =>
        asked.map((address, index) => ({ address, isContract: answers[index] === "contract", blockNumber })),
      )
    },
  })
  const aside = new Map<Address, number>()
  /** Who learns takes turns, a batch each: together they ask no faster than one. */
  const turns = Semaphore.makeUnsafe(1)

  const askBatch = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>) {
    const told = yield* asker.ask(asked)
    if (told?.nodeAnswers !== true) return undefined
    const now = yield* steadyMillis
    const codes = told.answers.filter((code) => code !== undefined)
    for (const [index, address] of asked.entries())
      if (told.answers[index] === undefined) aside.set(address, now + asideMs)
    if (codes.length > 0) asker.setReference(codes[0]!.address)
    return codes
  })

  return Effect.fnUntraced(function* (addresses: ReadonlyArray<Address>) {
    const now = yield* steadyMillis
    for (const [address, until] of aside) if (until <= now) aside.delete(address)
    const open = addresses.filter((address) => !aside.has(address))
    const codes: Array<AccountCode> = []
    let isDown = false
    for (let at = 0; at < open.length && !isDown; at += batchSize) {
      const batch = askBatch(open.slice(at, at + batchSize))
      const learned = yield* turns.withPermit(Effect.tap(batch, () => Effect.sleep(restMs)))
      isDown = learned === undefined
      codes.push(...(learned ?? []))
    }
    // What was learned before the node failed is kept too.
    if (codes.length > 0) yield* Effect.uninterruptible((yield* CodeStore).record(chainId, codes, yield* seconds))
    if (isDown) return yield* new SourceUnavailable({ message: "no node tells which addresses have code" })
    return codes.length
  })
}

const seconds = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1000))

const askedAgain = Effect.map(seconds, (now) => ({
  askedBefore: now - trustedSeconds,
  askedAfter: now + aheadSeconds,
}))
