/** A range that headers and blooms do not deny, held against what else can be had at a small price: receipts of a sample and of doubted blocks, and what another node tells of it. */
import { Effect, Random } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RangeAnswer, TellerOfRange } from "../verify/rangeAnswers.ts"
import type { BelievedRange } from "../verify/rangeLogs.ts"
import type { Verifier } from "../verify/verifier.ts"
import { confirm, type Evidence, isRangeDue, noteTold, recordOf } from "./Evidence.ts"
import { checkSample } from "./receiptsSample.ts"
import { onlyNode, refuse, type Tries } from "./refuse.ts"
import { lookTwice } from "./secondLook.ts"
import { toldOf } from "./told.ts"

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
    // A block that no range would hold: who told it is not known, and its receipts spoke for it as a rule.
    if (nodes !== undefined && teller.node === undefined) continue
    const place = placeOf(teller)
    const record = recordOf(evidence, place)
    const part = tellers.length === 1 ? logs : logs.filter((log) => isWithin(log, teller))
    const told = toldOf(teller, part)
    const isDue = isRangeDue(record, yield* Random.next, part.length === 0) || isLossy
    if (nodes === undefined || isAlone || !isDue) {
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

const isWithin = ({ blockNumber }: Log, { from, to }: TellerOfRange) => blockNumber >= from && blockNumber <= to
