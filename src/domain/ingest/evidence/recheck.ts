/** Ranges that a node told which has left logs out since: asked again of another one, beside everything else, newest first. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { makeSurvive } from "../../../model/time/survive.ts"
import type { SourceNodes } from "../../../ports/ChainSource.ts"
import { ofApprovals, swapTopics } from "../decode/topics.ts"
import type { LostTokens } from "../status/LostTokens.ts"
import type { Report } from "../status/report.ts"
import type { Verifier } from "../verify/verifier.ts"
import { askNode } from "./askNode.ts"
import { differencesOf } from "./compareRange.ts"
import { doubtOf } from "./doubt.ts"
import { type Evidence, noteUnhealed } from "./Evidence.ts"
import { isSame, spanOf, toldOf } from "./told.ts"

const mostQuestions = 1024
/** Between two looks while there is nothing to ask, and after nobody answered. */
const pauseMs = 5000
/** A range that nobody can be asked about is given up after so many tries. */
const mostTries = 5

interface Recheck {
  readonly verifier: Verifier
  readonly evidence: Evidence
  readonly lost: LostTokens
  readonly report: Pick<Report, "doubt">
}

/** Never ends and never fails. */
export const recheckDoubtful = Effect.fn("recheckDoubtful")(function* ({ verifier, evidence, lost, report }: Recheck) {
  const { nodes } = verifier.node
  const survive = makeSurvive(`chain ${verifier.chainId}, ranges asked again`)
  const say = () => report.doubt(doubtOf(verifier.chainId, evidence, lost))
  while (true) {
    say()
    yield* evidence.news.await.pipe(Effect.timeoutOption(pauseMs))
    const next = evidence.doubtful.at(-1)
    if (next === undefined) {
      evidence.news.closeUnsafe()
      continue
    }
    say()
    const isAnswered =
      nodes !== undefined && (yield* survive(askAgain({ verifier, evidence, lost }, nodes, next))) === true
    // In doubt until what is missing of it has been told.
    evidence.doubtful.splice(evidence.doubtful.indexOf(next), 1)
    if (isAnswered) continue
    const { tries = 1 } = next
    if (nodes === undefined || nodes.labels.length < 2 || tries >= mostTries) {
      evidence.unasked = spanOf(evidence.unasked, next.told)
      continue
    }
    evidence.doubtful.unshift({ ...next, tries: tries + 1 })
    yield* Effect.sleep(pauseMs)
  }
})

/** Whether anybody answered. Every other node is asked: one that tells the same may have left out the same. */
const askAgain = Effect.fnUntraced(function* (
  { verifier: { chainId, isFollowed }, evidence, lost }: Omit<Recheck, "report">,
  nodes: SourceNodes,
  { node, told }: Evidence["doubtful"][number],
) {
  let isAnswered = false
  let own: ReadonlyArray<Log> | undefined
  for (const other of nodes.labels.keys()) {
    if (other === node) continue
    const asked = yield* askNode(nodes, other, told, mostQuestions)
    if (asked?.head.number !== told.to) continue
    const others = asked.logs.filter(isFollowed)
    if (isSame(toldOf(told, others), told)) {
      isAnswered = true
      continue
    }
    own ??= (yield* askNode(nodes, node, told, mostQuestions))?.logs.filter(isFollowed)
    // What it tells now is what was stored: then only what it lacks is lost. Else nobody knows what it told.
    const isKnown = own !== undefined && isSame(toldOf(told, own), told)
    const missing = isKnown ? differencesOf(own!, others).flatMap(({ more }) => more) : others
    if (missing.length === 0) continue
    isAnswered = true
    const tokens = tellMissing(evidence, lost, missing, nodes.labels[other]!)
    yield* Effect.logWarning(
      `chain ${chainId}: ${nodes.labels[node]} left logs out of blocks ${told.from} to ${told.to}, by ${nodes.labels[other]}: ` +
        `${tokens} tokens are compared with their contracts as soon as the chain is at its head`,
    )
  }
  return isAnswered
})

/** How many tokens lack what the audit can bring back. */
const tellMissing = (evidence: Evidence, lost: LostTokens, missing: ReadonlyArray<Log>, node: string): number => {
  const tokens = new Set<string>()
  for (const {
    address,
    blockNumber,
    topics: [signature = ""],
  } of missing) {
    if (ofApprovals.has(signature)) noteUnhealed(evidence, "approvals", blockNumber)
    else if (ofPools.has(signature)) noteUnhealed(evidence, "swaps", blockNumber)
    else {
      tokens.add(address)
      lost.tell([address], { from: blockNumber, to: blockNumber, by: [node] })
    }
  }
  return tokens.size
}

const ofPools: ReadonlySet<string> = new Set(Object.values(swapTopics))
