/** What is done where logs are disproved: who told them is trusted no more, what is known of their blocks is kept for the next try, and another node is asked first. */
import { Effect, Random } from "effect"
import type { SourceHeader, SourceNodes } from "../../../ports/ChainSource.ts"
import type { LogsByHash } from "../verify/byHash.ts"
import type { RangeAnswer, TellerOfRange } from "../verify/rangeAnswers.ts"
import { rejectOf } from "../verify/rejection.ts"
import type { Verifier } from "../verify/verifier.ts"
import { distrust, type Evidence } from "./Evidence.ts"
import type { Finding } from "./finding.ts"
import { disproofOf } from "./settle.ts"

/** What is kept of one range from one try to the next. */
export interface Tries {
  /** Logs of blocks that are known for sure, by hash. */
  readonly known: LogsByHash
  /** Blocks of which wrong logs came, and of them those of which it is not known what they hold. */
  readonly wrong: Map<number, SourceHeader>
  readonly open: Set<number>
  /** Blocks that were held against their receipts. */
  readonly read: Set<number>
}

export const newTries = (): Tries => ({ known: new Map(), wrong: new Map(), open: new Set(), read: new Set() })

/** Where nobody can tell the nodes apart there is one. */
export const onlyNode = 0

interface Refused {
  readonly findings: ReadonlyArray<Finding>
  readonly tellers: ReadonlyArray<TellerOfRange>
  readonly tries: Tries
}

/** Fails. */
export const refuse = Effect.fnUntraced(function* (
  { node }: Verifier,
  evidence: Evidence,
  { findings, tellers, tries }: Refused,
) {
  const { nodes } = node
  for (const { header, right } of findings) {
    tries.wrong.set(header.number, header)
    if (right === undefined) tries.open.add(header.number)
    else tries.known.set(header.hash, right)
  }
  const first = findings[0]!
  for (const { from, to, node: teller } of tellers) {
    const own = findings.find(({ header }) => header.number >= from && header.number <= to)
    if (own === undefined) continue
    blame(nodes, evidence, teller, `told ${own.own.length} token logs of block ${own.header.number}, ${own.why}`)
    // Others may have found the same in the meantime: then somebody else is asked already.
    if (teller === undefined || nodes?.current() === teller) yield* node.failover
  }
  return yield* rejectOf({ header: first.header, logs: first.own, why: first.why }).error
})

interface Denied {
  readonly answer: RangeAnswer
  readonly tries: Tries
  readonly nodeHead: number
  /** Some of them were not denied before. */
  readonly isNew: boolean
}

/**
 * What blooms deny counts likewise: `tries` names the blocks, whose receipts may tell what they hold. At a later try one of them shows
 * whether receipts are to be had by now: there may be hundreds, and nothing else may tell them.
 */
export const noteDenied = Effect.fnUntraced(function* (
  verifier: Verifier,
  evidence: Evidence,
  { answer, tries, nodeHead, isNew }: Denied,
) {
  if (isNew) blameTellers(verifier, evidence, { answer, tries, nodeHead })
  const open = [...tries.wrong.values()].filter(({ hash }) => !tries.known.has(hash))
  const place = Math.floor((yield* Random.next) * open.length)
  const one = open.slice(place, place + 1)
  if (!isNew && !(yield* learnOf(verifier, one, answer, tries))) return
  yield* learnOf(verifier, isNew ? open : open.toSpliced(place, 1), answer, tries)
})

const blameTellers = (
  { node: { nodes }, traits }: Verifier,
  evidence: Evidence,
  { answer, tries, nodeHead }: Omit<Denied, "isNew">,
): void => {
  for (const { from, to, node } of answer.tellers) {
    const block = [...tries.wrong.keys()].find((number) => number >= from && number <= to)
    // Near the head a node may be behind, or its index of logs: nothing follows of what it told before.
    if (block === undefined || block > nodeHead - traits.nearHeadBlocks) continue
    blame(nodes, evidence, node, `left out token logs of block ${block}`)
  }
}

/** Whether receipts told what one of these blocks holds. */
const learnOf = Effect.fnUntraced(function* (
  { node: { proveFinal }, isFollowed }: Verifier,
  headers: ReadonlyArray<SourceHeader>,
  answer: RangeAnswer,
  tries: Tries,
) {
  if (proveFinal === undefined || headers.length === 0) return false
  const before = tries.known.size
  const proofs = yield* proveFinal(headers)
  for (const [place, { number, hash }] of headers.entries()) {
    const proof = proofs[place]
    if (proof === undefined || !("logs" in proof)) continue
    const own = answer.logs.filter((log) => log.blockNumber === number && isFollowed(log))
    const right = disproofOf(own, proof)?.right
    if (right !== undefined) tries.known.set(hash, right)
  }
  return tries.known.size > before
})

/** Who is not known among several is not to blame. */
const blame = (nodes: SourceNodes | undefined, evidence: Evidence, node: number | undefined, what: string): void => {
  if (nodes !== undefined && node === undefined) return
  distrust(evidence, node ?? onlyNode, `${nodes?.labels[node ?? onlyNode] ?? "the node"} ${what}`)
}
