/** Which of the largest holders are contracts: asked of the node beside the ledger, slowly, the largest first. */
import { Clock, Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { AccountCode } from "../../model/wallet/accountCode.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { CodeStore } from "../../ports/CodeStore.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { makeAsker } from "./asker.ts"

export interface CodeSettings {
  readonly chainId: ChainId
  /** ACCOUNT_CODES: whether they are asked for; default yes. */
  readonly accountCodes?: boolean
}

/** Tokens of each standard, those with most holders, and largest holders of each. */
export const mostTokens = 1000
export const mostHolders = 100
const standards = ["erc20", "erc721"] as const
/** Tokens looked at together. */
const tokensAtOnce = 20
/** Addresses asked about together: an answer has the whole code, up to 50 kB of hex each. */
const batchSize = 20
/** Recorded together: what is recorded makes answers of the chain that are kept be made anew. */
const recordSize = 200
/** Between two batches, so that a node has at most some 40 of these calls a second. */
const restMs = 500
/** Between two rounds: after one that found none the next waits twice as long. */
const shortestPauseMs = 2000
const longestPauseMs = 300_000
/** All are asked again after a week: code may have come to an address, and a reorg may have taken it. */
const trustedSeconds = 7 * 86_400
/** For so long one is not asked about again of whom the node tells nothing while it tells of others. */
const asideSeconds = 3600
/** So far behind the node the ledger's largest holders are not those of now. */
const farBehind = 1000

/** Never ends. */
export const learnCodes = Effect.fn("learnCodes")(function* (
  { chainId, accountCodes = true }: CodeSettings,
  ledger: FollowedLedger,
) {
  if (!accountCodes) return yield* Effect.never
  const learn = makeLearn(chainId, ledger, yield* AccountCodes)
  let pauseMs = shortestPauseMs
  while (true) {
    const found = yield* learnRound(chainId, ledger, learn).pipe(
      Effect.catchDefect(Effect.fail),
      Effect.tapError((error) => Effect.logDebug(`chain ${chainId}: codes of holders cannot be learned`, error)),
      Effect.orElseSucceed(() => false),
    )
    pauseMs = found ? shortestPauseMs : Math.min(2 * pauseMs, longestPauseMs)
    yield* Effect.sleep(pauseMs)
  }
})

/** True = something was learned. */
const learnRound = Effect.fnUntraced(function* (
  chainId: ChainId,
  ledger: FollowedLedger,
  learn: ReturnType<typeof makeLearn>,
) {
  let learned = false
  for (const standard of standards) {
    for (let skip = 0; skip < mostTokens; skip += tokensAtOnce) {
      if (!isAtHead(ledger)) return learned
      const store = yield* CodeStore
      const now = yield* seconds
      const { addresses, tokens } = yield* store.listUnknown(chainId, {
        ...{ standard, tokens: tokensAtOnce, skip, holders: mostHolders },
        askedBefore: now - trustedSeconds,
      })
      for (let at = 0; at < addresses.length; at += recordSize) {
        const number = yield* learn(addresses.slice(at, at + recordSize))
        if (number > 0) learned = true
        yield* Effect.sleep(restMs)
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
      return Effect.map(node.areContracts(chainId, asked, blockNumber), (answers) =>
        asked.map((address, index) => ({ address, isContract: answers[index]!, blockNumber })),
      )
    },
  })
  const aside = new Map<Address, number>()

  const askBatch = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>) {
    const told = yield* asker.ask(asked)
    if (told?.nodeAnswers !== true) return undefined
    const now = yield* seconds
    const codes = told.answers.filter((code) => code !== undefined)
    for (const [index, address] of asked.entries())
      if (told.answers[index] === undefined) aside.set(address, now + asideSeconds)
    if (codes.length > 0) asker.setReference(codes[0]!.address)
    return codes
  })

  return Effect.fnUntraced(function* (addresses: ReadonlyArray<Address>) {
    const now = yield* seconds
    for (const [address, until] of aside) if (until <= now) aside.delete(address)
    const open = addresses.filter((address) => !aside.has(address))
    const codes: Array<AccountCode> = []
    let isDown = false
    for (let at = 0; at < open.length && !isDown; at += batchSize) {
      const learned = yield* askBatch(open.slice(at, at + batchSize))
      isDown = learned === undefined
      codes.push(...(learned ?? []))
      if (at + batchSize < open.length) yield* Effect.sleep(restMs)
    }
    // What was learned before the node failed is kept too.
    if (codes.length > 0) yield* Effect.uninterruptible((yield* CodeStore).record(chainId, codes, yield* seconds))
    if (isDown) return yield* new SourceUnavailable({ message: "no node tells which addresses have code" })
    return codes.length
  })
}

const seconds = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1000))

const isAtHead = ({ checkpoint, nodeHead }: FollowedLedger): boolean => {
  const { nextBlock, head } = checkpoint()
  return head !== undefined && nextBlock > nodeHead() - farBehind
}
