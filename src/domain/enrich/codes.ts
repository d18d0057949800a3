/** Which of the largest holders are contracts: asked of the node beside the ledger, slowly, the largest first. */
import { Clock, Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { AccountCode } from "../../model/wallet/accountCode.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { CodeStore } from "../../ports/CodeStore.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"

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
/** So far behind the node the ledger's largest holders are not those of now. */
const farBehind = 1000

/** Never ends. */
export const learnCodes = Effect.fn("learnCodes")(function* (
  { chainId, accountCodes = true }: CodeSettings,
  ledger: FollowedLedger,
) {
  if (!accountCodes) return yield* Effect.never
  let pauseMs = shortestPauseMs
  while (true) {
    const found = yield* learnRound(chainId, ledger).pipe(
      Effect.catchDefect(Effect.fail),
      Effect.tapError((error) => Effect.logDebug(`chain ${chainId}: codes of holders cannot be learned`, error)),
      Effect.orElseSucceed(() => false),
    )
    pauseMs = found ? shortestPauseMs : Math.min(2 * pauseMs, longestPauseMs)
    yield* Effect.sleep(pauseMs)
  }
})

/** True = something was learned. */
const learnRound = Effect.fnUntraced(function* (chainId: ChainId, ledger: FollowedLedger) {
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
        yield* learn(chainId, addresses.slice(at, at + recordSize), ledger.checkpoint().nextBlock - 1)
        learned = true
        yield* Effect.sleep(restMs)
      }
      if (tokens < tokensAtOnce) break
    }
  }
  return learned
})

const learn = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address>, blockNumber: number) {
  const node = yield* AccountCodes
  const codes: Array<AccountCode> = []
  for (let at = 0; at < addresses.length; at += batchSize) {
    const asked = addresses.slice(at, at + batchSize)
    const answers = yield* node.areContracts(chainId, asked, blockNumber)
    for (const [index, isContract] of answers.entries()) codes.push({ address: asked[index]!, isContract, blockNumber })
    if (at + batchSize < addresses.length) yield* Effect.sleep(restMs)
  }
  yield* Effect.uninterruptible((yield* CodeStore).record(chainId, codes, yield* seconds))
})

const seconds = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1000))

const isAtHead = ({ checkpoint, nodeHead }: FollowedLedger): boolean => {
  const { nextBlock, head } = checkpoint()
  return head !== undefined && nextBlock > nodeHead() - farBehind
}
