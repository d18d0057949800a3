/** A range that one node told, compared with what another tells of it. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader, SourceNodes } from "../../../ports/ChainSource.ts"
import { findHeaders } from "../verify/headers.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import type { Verifier } from "../verify/verifier.ts"
import { askNode } from "./askNode.ts"
import { differencesOf } from "./compareRange.ts"
import { type Evidence, isRested, noteUse, recordOf, suspect } from "./Evidence.ts"
import type { Finding } from "./finding.ts"
import { settle } from "./settle.ts"

/** Blocks that are settled in one look at most: where more differ the range is asked again anyway. */
const mostSettled = 16
const mostSettledOfLossy = 256
/** Questions in which another node may give a range: of a sample some of it is enough. */
const sampleQuestions = 16
const wholeQuestions = 1024

export interface Look extends BlockRange {
  readonly teller: number
  readonly logs: ReadonlyArray<Log>
  /** Nothing less than the whole range will do. */
  readonly isWhole: boolean
  /** Wrong logs came of it before. */
  readonly isLossy: boolean
}

export interface Looked {
  /** Another node told the same, of the whole range or of a part of it. */
  readonly confirmed?: "whole" | "part"
  readonly findings: ReadonlyArray<Finding>
}

/** The first of the other nodes that tells something decides. */
export const lookTwice = Effect.fnUntraced(function* (
  verifier: Verifier,
  nodes: SourceNodes,
  evidence: Evidence,
  { from, to, teller, logs, isWhole, isLossy }: Look,
) {
  const others = [...nodes.labels.keys()]
    .map((place) => (place + nodes.current()) % nodes.labels.length)
    .filter((place) => place !== teller)
    .filter((place) => isRested(recordOf(evidence, place)))
  for (const other of others) {
    const record = recordOf(evidence, other)
    const asked = yield* askNode(nodes, other, { from, to }, isWhole ? wholeQuestions : sampleQuestions)
    noteUse(record, asked !== undefined)
    if (asked === undefined) continue
    const { head } = asked
    const own = head.number === to ? logs : logs.filter(({ blockNumber }) => blockNumber <= head.number)
    const differences = differencesOf(own.filter(verifier.isFollowed), asked.logs.filter(verifier.isFollowed))
    if (differences.length === 0) {
      if (head.number === to) return { confirmed: "whole", findings: [] } satisfies Looked as Looked
      if (isWhole) continue
      return { confirmed: "part", findings: [] } satisfies Looked as Looked
    }
    // Those with more come first: they are what may be missing.
    const open = [...differences]
      .sort((a, b) => b.more.length - a.more.length)
      .slice(0, isLossy ? mostSettledOfLossy : mostSettled)
    const headers = yield* findHeaders(
      verifier,
      open.map(({ number }) => number),
    )
    const findings: Array<Finding> = []
    const proofs = yield* proofsOf(verifier, [...headers.values()])
    for (const difference of open) {
      const header = headers.get(difference.number)
      if (header === undefined) continue
      const proof = proofs.get(difference.number)
      const settled = yield* settle(verifier, nodes, { ...difference, header, proof, teller, other })
      if (settled.wrong === "teller") findings.push({ header, own: difference.own, ...settled })
    }
    if (findings.length > 0) {
      return { findings: findings.sort(byNumber) } satisfies Looked as Looked
    }
    // It knows less, or other things than receipts show: of a pruned node that is usual, and nothing is wrong.
    noteUse(record, false)
    suspect(record)
  }
  return { findings: [] } satisfies Looked as Looked
})

const proofsOf = Effect.fnUntraced(function* ({ node }: Verifier, headers: ReadonlyArray<SourceHeader>) {
  const marked = headers.filter(({ receipts }) => receipts !== undefined)
  const proofs = yield* node.proveFinal?.(marked) ?? Effect.succeed([])
  return new Map(marked.map(({ number }, place) => [number, proofs[place]]))
})

const byNumber = (a: Finding, b: Finding) => a.header.number - b.header.number
