/** The hints of logsBloom, held against the logs that came: on a contradiction others are asked, and only what they deny stops a range. */
import { Effect, Semaphore } from "effect"
import type { Log } from "../../../model/block.ts"
import { type CrossCheck, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Following } from "../state.ts"

/** What we learned of a chain's blooms. */
export interface Hints {
  /** A block with an all-zero bloom was shown to hold logs: such a bloom says nothing here. */
  emptyMeansNothing: boolean
  /** A block's bloom was seen to show the logs that the block holds: an empty one may mean what it says. */
  telling: boolean
  /** Behind the node's address are some that have not got the blocks that others show. */
  uneven: boolean
  /** Blocks that were shown to hold logs which their bloom, with bits in it, does not. */
  unlisted: number
  /** One question at a time: the next one may be answered by the first. */
  readonly turn: Semaphore.Semaphore
}

export const makeHints = (): Hints => ({
  emptyMeansNothing: false,
  telling: false,
  uneven: false,
  unlisted: 0,
  turn: Semaphore.makeUnsafe(1),
})

/** After so many such blocks this chain's blooms are known to leave logs out (system logs, on some). */
const enoughUnlisted = 8
/** Milliseconds until the same node is asked again, where nobody else can be. */
const pause = 1000

/** A block whose bloom and logs contradict each other. `unlisted`: there are logs that the bloom does not hold. */
interface Doubt {
  readonly header: SourceHeader
  readonly logs: ReadonlyArray<Log>
  readonly unlisted: boolean
}

/** The first block whose logs others deny. Those before it stand. */
export interface Denial {
  readonly header: SourceHeader
  readonly error: SourceUnavailable
}

/** `logs` are all that came for these headers' blocks; both ascend. */
export const checkHints = (
  following: Following,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
): Effect.Effect<Denial | undefined, SourceUnavailable> => {
  if (listDoubts(following.hints, headers, logs).length === 0) return Effect.undefined
  const check = Effect.suspend(() => {
    const doubts = listDoubts(following.hints, headers, logs)
    return doubts.length === 0 ? Effect.undefined : confirm(following, doubts)
  })
  return following.hints.turn.withPermit(check)
}

/** Of all-zero blooms one is enough to know the others. */
const listDoubts = (hints: Hints, headers: ReadonlyArray<SourceHeader>, logs: ReadonlyArray<Log>) => {
  const doubts: Array<Doubt> = []
  let { emptyMeansNothing, unlisted } = hints
  let at = 0
  for (const header of headers) {
    while (at < logs.length && logs[at]!.blockNumber < header.number) at++
    const begin = at
    while (at < logs.length && logs[at]!.blockNumber === header.number) at++
    const { bloom } = header
    if (bloom === undefined) continue
    if (begin === at) {
      if (bloom.suggestsLogs()) doubts.push({ header, logs: [], unlisted: false })
      continue
    }
    if (bloom.empty ? emptyMeansNothing : unlisted >= enoughUnlisted || holdsAll(bloom, logs, begin, at)) continue
    doubts.push({ header, logs: logs.slice(begin, at), unlisted: true })
    if (bloom.empty) emptyMeansNothing = true
    else unlisted++
  }
  return doubts
}

const holdsAll = (bloom: NonNullable<SourceHeader["bloom"]>, logs: ReadonlyArray<Log>, from: number, to: number) => {
  for (let index = from; index < to; index++) if (!bloom.mayHold(logs[index]!)) return false
  return true
}

const confirm = Effect.fnUntraced(function* (following: Following, doubts: ReadonlyArray<Doubt>) {
  const { source, contracts } = following
  const followed = (logs: ReadonlyArray<Log>) =>
    contracts.tokens === undefined ? logs : logs.filter(({ address }) => contracts.tokens!.has(address))
  const words = yield* source.crossCheck(doubts.map(({ header }) => header.hash))
  const verdicts = doubts.map((doubt, index) => judge(followed(doubt.logs), words[index] ?? {}, followed))
  const open = doubts.filter((_, index) => verdicts[index] === "unknown")
  if (open.length > 0) {
    yield* Effect.sleep(pause)
    const again = yield* source.logsOfBlocks(open.map(({ header }) => header.hash))
    for (const [index, doubt] of open.entries()) {
      const second = again[index]
      verdicts[doubts.indexOf(doubt)] =
        second === undefined ? "the node no longer has it" : judge(followed(doubt.logs), { second }, followed)
    }
  }
  const denied = verdicts.findIndex((verdict) => verdict !== "the same")
  const unlisted = doubts.slice(0, denied === -1 ? undefined : denied).filter((doubt) => doubt.unlisted)
  if (unlisted.length > 0) yield* learn(following, unlisted)
  return denied === -1 ? undefined : yield* deny(following, doubts[denied]!, verdicts[denied]!)
})

/** What blocks that hold logs which their blooms do not show tell of the chain. */
const learn = Effect.fnUntraced(function* ({ hints, settings }: Following, unlisted: ReadonlyArray<Doubt>) {
  if (!hints.emptyMeansNothing && hints.unlisted === 0) {
    yield* Effect.logWarning(
      `chain ${settings.chainId}: the logsBloom of block ${unlisted[0]!.header.number} does not show logs that the ` +
        `block holds, as was confirmed by asking again. Indexing goes on; BLOOM_${settings.chainId}=off saves the check.`,
    )
  }
  hints.unlisted += unlisted.filter(({ header }) => !header.bloom!.empty).length
  hints.emptyMeansNothing ||= unlisted.some(({ header }) => header.bloom!.empty)
})

/** Receipts may leave out what a chain adds beside its transactions; they never invent a log. */
const judge = (
  own: ReadonlyArray<Log>,
  { second, receipts }: CrossCheck,
  followed: (logs: ReadonlyArray<Log>) => ReadonlyArray<Log>,
) => {
  const texts = own.map(textOf)
  const others = second && followed(second).map(textOf)
  if (others !== undefined && !equal(texts, others)) return `asked again it holds ${others.length}`
  const known = new Set(texts)
  const inReceipts = receipts && followed(receipts).map(textOf)
  if (inReceipts?.some((text) => !known.has(text))) return `its receipts hold ${inReceipts.length}`
  return others !== undefined || (inReceipts !== undefined && equal(texts, inReceipts)) ? "the same" : "unknown"
}

const textOf = ({ logIndex, address, topics, data, txHash }: Log) => [logIndex, address, ...topics, data, txHash].join()
const equal = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((text, index) => text === b[index])

/** The block is not stored; it is read again, from another node first where there is one. */
export const deny = Effect.fnUntraced(function* (
  { source }: Following,
  { header, logs }: Pick<Doubt, "header" | "logs">,
  why: string,
  kind: "logs" | "receipts" | "order" = "logs",
) {
  const message = `block ${header.number}: ${logs.length} token logs came, ${why}; it is not stored until the answers agree`
  yield* source.failover
  return { header, error: new SourceUnavailable({ kind, message }) } satisfies Denial
})
