/** A range that headers and blooms do not deny, held against what else can be had at a small price: receipts of a sample and of doubted blocks, and what another node tells of it. */
import { Effect, Random } from "effect"
import type { Log } from "../../../model/block.ts"
import type { ReceiptsProof, SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { LogsByHash } from "../verify/byHash.ts"
import type { RangeAnswer, TellerOfRange } from "../verify/rangeAnswers.ts"
import type { BelievedRange } from "../verify/rangeLogs.ts"
import { rejectOf } from "../verify/rejection.ts"
import type { Verifier } from "../verify/verifier.ts"
import { confirm, distrust, type Evidence, isRangeDue, noteTold, recordOf } from "./Evidence.ts"
import type { Finding } from "./finding.ts"
import { checkSample } from "./receiptsSample.ts"
import { lookTwice } from "./secondLook.ts"
import { disproofOf } from "./settle.ts"
import { toldOf } from "./told.ts"

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
const onlyNode = 0

/** Fails where something is disproved: then the range is read again, from another node first, with what is known of its blocks. */
export const checkRange = Effect.fnUntraced(function* (
  verifier: Verifier,
  evidence: Evidence,
  {
    answer,
    believed,
    tries,
  }: { readonly answer: RangeAnswer; readonly believed: BelievedRange; readonly tries: Tries },
): Effect.fn.Return<void, SourceUnavailable> {
  const { nodes } = verifier.node
  const { logs, doubted } = believed
  const isLossy = tries.wrong.size > 0
  evidence.ranges++
  const tellers: ReadonlyArray<TellerOfRange> = answer.tellers
  const isAlone = nodes === undefined || nodes.labels.length < 2
  const placeOf = ({ node }: TellerOfRange) => node ?? onlyNode
  const isDistrusted = isAlone && tellers.some((it) => recordOf(evidence, placeOf(it)).isDistrusted)
  const sample = {
    logs,
    doubted: [...tries.open, ...doubted],
    isLossy: isLossy && isAlone,
    isDistrusted,
    read: tries.read,
  }
  const found = yield* checkSample(verifier, evidence, sample)
  if (found.length > 0) return yield* refuse(verifier, evidence, { findings: found, tellers, tries })
  for (const teller of tellers) {
    const place = placeOf(teller)
    const record = recordOf(evidence, place)
    const part = tellers.length === 1 ? logs : logs.filter((log) => isWithin(log, teller))
    const told = toldOf(teller, part)
    const isDue = isRangeDue(record, yield* Random.next, part.length === 0) || isLossy
    if (nodes === undefined || isAlone || teller.node === undefined || !isDue) {
      noteTold(record, told)
      if (isAlone) confirm(record)
      continue
    }
    const look = { ...teller, teller: place, logs: part, isWhole: record.isDistrusted || isLossy, isLossy }
    const { confirmed, findings } = yield* lookTwice(verifier, nodes, evidence, look)
    if (findings.length > 0) return yield* refuse(verifier, evidence, { findings, tellers: [teller], tries })
    if (isLossy && confirmed === undefined) {
      // Nobody speaks for it: then its receipts must.
      const own = { ...sample, logs: part, doubted: [], isLossy: true }
      const missed = yield* checkSample(verifier, evidence, own)
      if (missed.length > 0) return yield* refuse(verifier, evidence, { findings: missed, tellers: [teller], tries })
    }
    if (confirmed !== undefined) confirm(record)
    // In a range that was compared as a whole there is nothing to doubt. It stays with its neighbours, which are asked again as one.
    noteTold(record, told)
  }
})

/** What blooms deny counts likewise: `tries` names the blocks, whose receipts may tell what they hold. */
export const noteDenied = Effect.fnUntraced(function* (
  { node: { nodes, proveFinal }, isFollowed }: Verifier,
  evidence: Evidence,
  { answer, tries }: { readonly answer: RangeAnswer; readonly tries: Tries },
) {
  for (const { from, to, node } of answer.tellers) {
    const block = [...tries.wrong.keys()].find((number) => number >= from && number <= to)
    const label = (node !== undefined && nodes?.labels[node]) || "the node"
    if (block === undefined) continue
    distrust(evidence, node ?? onlyNode, `${label} left out token logs of block ${block}`)
  }
  const open = [...tries.wrong.values()].filter(({ hash }) => !tries.known.has(hash))
  const proofs = (yield* proveFinal?.(open) ?? Effect.succeed([])) as ReadonlyArray<ReceiptsProof | undefined>
  for (const [place, { number, hash }] of open.entries()) {
    const proof = proofs[place]
    if (proof === undefined || !("logs" in proof)) continue
    const own = answer.logs.filter((log) => log.blockNumber === number && isFollowed(log))
    const right = disproofOf(own, proof)?.right
    if (right !== undefined) tries.known.set(hash, right)
  }
})

const isWithin = ({ blockNumber }: Log, { from, to }: TellerOfRange) => blockNumber >= from && blockNumber <= to

interface Refused {
  readonly findings: ReadonlyArray<Finding>
  readonly tellers: ReadonlyArray<TellerOfRange>
  readonly tries: Tries
}

const refuse = Effect.fnUntraced(function* (
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
    const label = (teller !== undefined && nodes?.labels[teller]) || "the node"
    const text = `${label} told ${own.own.length} token logs of block ${own.header.number}, ${own.why}`
    distrust(evidence, teller ?? onlyNode, text)
    // Others may have found the same in the meantime: then somebody else is asked already.
    if (teller === undefined || nodes?.current() === teller) yield* node.failover
  }
  return yield* rejectOf({ header: first.header, logs: first.own, why: first.why }).error
})
