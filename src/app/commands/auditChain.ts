/** Compares tokens of one chain, and prints what is not exact and a summary. */
import { Array as Arr, Duration, Effect, Random, Schedule } from "effect"
import { say } from "../../adapters/terminal/print.ts"
import type { ChainConfig } from "../../config/chainConfig.ts"
import { lineOf } from "../../domain/audit/auditLog.ts"
import { type Audited, compareOrSetApart } from "../../domain/audit/compare.ts"
import { compareEveryHolder } from "../../domain/audit/everyHolder.ts"
import { explainAudited } from "../../domain/audit/explain.ts"
import { firstAskSize } from "../../domain/audit/missing/askLogs.ts"
import { healContract } from "../../domain/audit/missing/healContract.ts"
import { type AuditState, auditStates } from "../../model/audit.ts"
import { type Address, type ChainId, zeroAddress } from "../../model/primitives.ts"
import { type AuditKey, type AuditSample, AuditStore } from "../../ports/AuditStore.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import { makeAuditWriter } from "./auditWriter.ts"
import { Failed } from "./command.ts"

export interface Wish {
  /** Absent = some that are due, or every one. */
  readonly tokens?: ReadonlyArray<Address>
  /** Every token; of those that are named every holder. */
  readonly all: boolean
  /** Largest holders of each. */
  readonly top: number
}

/** Tokens compared where none are named. */
const mostDue = 200
/** Tokens compared at once: where one call carries many questions, and where it does not. */
const sizes = { together: 20, alone: 5 }

/** Questions for the own logs of tokens that differ, of those that are compared at once; the others are not asked. */
const logCalls = { calls: 100, others: { tokens: 0, calls: 0 } }

/** How many tokens drift. */
export const auditChain = Effect.fnUntraced(function* (chain: ChainConfig, wish: Wish) {
  const { chainId } = chain
  const store = yield* AuditStore
  const { asOf } = yield* store.find(chainId, zeroAddress)
  if (asOf.length === 0) return yield* new Failed({ message: "nothing is stored of it" })
  const tell = (text: string) => Effect.sync(() => say(`chain ${chainId}: ${text}`))
  const { letZeroAddressHold, heal } = yield* makeAuditWriter(chain)
  const isWhole = wish.tokens !== undefined && wish.all
  const explaining = {
    ...{ settings: chain, writer: { heal }, letZeroAddressHold, size: firstAskSize() },
    ...(isWhole ? { calls: Infinity, others: { tokens: Infinity, calls: Infinity }, afresh: true } : logCalls),
  }
  const newest = new Map<string, Audited["record"]>()
  let [figures, block] = [0, 0]
  const note = Effect.fnUntraced(function* (found: Audited) {
    newest.set(`${found.token.address} ${found.token.standard}`, found.record)
    figures += found.record.compared
    block = Math.max(block, found.record.blockNumber)
    if (found.record.state !== "exact") yield* tell(lineOf(found))
  })
  const compareHolders = Effect.fnUntraced(function* ({ mixed, token }: AuditSample) {
    const { address, standard } = token
    // Of which of the two its balances speak, nobody can tell.
    if (mixed && standard === "erc721") return
    // Its balances are no numbers of ids.
    if (newest.get(`${address} ${standard}`)?.difference?.counts === "amounts") return
    const found = yield* patiently(compareEveryHolder(chainId, token))
    if (found === undefined) return
    const share = `${found.record.compared} figures of all its holders, of which ${found.differing} differ`
    const silence = found.unanswered === 0 ? "" : `; of ${found.unanswered} more the contract says nothing`
    yield* tell(`token ${address} (${standard}): ${share}${silence}`)
    if (found.differing > 0) yield* note(found)
  })
  for (const tokens of yield* batchesOf(chainId, wish)) {
    const places = [yield* Random.next, yield* Random.next, yield* Random.next]
    const { samples, found } = yield* patiently(
      Effect.gen(function* () {
        // By the ledger, whose window is that of whoever writes it. It only grows: read first, it is no further than the sample's.
        const { finalizedBlock: finalBlock } = (yield* (yield* BlockTimes).newest(chainId)).value
        const readSample = store.sample(chainId, { tokens }, { top: wish.top, recent: 5, places })
        let sample = yield* readSample
        const unknown = tokens.filter((it) => !sample.value.some(({ token }) => token.address === it))
        if (isWhole && unknown.length > 0) {
          for (const address of unknown) yield* healContract(chain, { heal }, address)
          sample = yield* readSample
        }
        const at = sample.asOf[0]!
        const compared = yield* compareOrSetApart(sample, letZeroAddressHold)
        return { samples: sample.value, found: yield* explainAudited({ ...explaining, finalBlock }, at, compared) }
      }),
    )
    const missing =
      wish.tokens === undefined ? [] : tokens.filter((it) => !samples.some((each) => each.token.address === it))
    if (missing.length > 0) return yield* new Failed({ message: `the ledger has no token ${missing.join(", ")}` })
    yield* Effect.forEach(found, note)
    if (isWhole) yield* Effect.forEach(samples, compareHolders)
  }
  const states = [...newest.values()].map(({ state }) => state)
  const counts = yield* store.counts(chainId)
  yield* tell(
    states.length === 0
      ? "there is no token to compare"
      : `${states.length === 1 ? "1 token" : `${states.length} tokens`} compared up to block ${block}, ${figures} figures: ${sharesOf((state) => states.filter((it) => it === state).length)}`,
  )
  yield* tell(`of all its tokens: ${sharesOf((state) => counts[state])}`)
  return states.filter((state) => state === "drift").length
})

const sharesOf = (countOf: (state: AuditState) => number): string =>
  auditStates.map((state) => `${countOf(state)} ${state}`).join(", ")

/** The node may be a block behind, or the block be replaced meanwhile. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, { times: 4, schedule: Schedule.spaced(Duration.seconds(2)) })

const batchesOf = Effect.fnUntraced(function* (chainId: ChainId, { tokens, all }: Wish) {
  const named = tokens ?? (yield* all ? listTokens(chainId) : listDue(chainId))
  const size = (yield* TokenViews).perCall(chainId) > 1 ? sizes.together : sizes.alone
  return Arr.chunksOf(named, size)
})

const listDue = Effect.fnUntraced(function* (chainId: ChainId) {
  const { value } = yield* (yield* AuditStore).sample(chainId, { due: mostDue }, { top: 0, recent: 0, places: [] })
  return [...new Set(value.map(({ token }) => token.address))]
})

const listTokens = Effect.fnUntraced(function* (chainId: ChainId) {
  const store = yield* AuditStore
  const found = new Set<Address>()
  const readFrom = Effect.fnUntraced(function* (after: AuditKey | undefined) {
    const page = { limit: 1000, ...(after === undefined ? {} : { after }) }
    const { value } = yield* store.list({ chains: [chainId], page, count: false })
    for (const { address } of value.items) found.add(address)
    return value.hasMore ? value.keys.at(-1) : undefined
  })
  for (let after = yield* readFrom(undefined); after !== undefined; ) after = yield* readFrom(after)
  return [...found]
})
