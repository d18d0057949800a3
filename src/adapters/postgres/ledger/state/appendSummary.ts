/** What an open append remembers of its segments once their movements are gone. */
import { finalAfter } from "../../../../domain/ingest/decode/segmentRefusals.ts"
import { addCounts } from "../../../../domain/ingest/decode/sorting.ts"
import type { BlockHeader } from "../../../../model/block.ts"
import type { EventCounts, Segment } from "../../../../model/event.ts"
import { type ClockSamples, sampleClock } from "./blocks.ts"

export interface AppendSummary {
  /** Of the last segment. */
  readonly head: BlockHeader
  readonly nodeHead: number
  /** Of all. */
  readonly headers: ReadonlyArray<BlockHeader>
  readonly counts: EventCounts
  readonly finalizedBlock: number
  readonly clock: ClockSamples
}

/** `before`: of the append so far, if it is open already. `clockGroup`: the newest group that is stored. */
export const summarize = (before: AppendSummary | undefined, segment: Segment, clockGroup: number): AppendSummary => {
  const { head, nodeHead, headers, counts } = segment
  const clock = before?.clock ?? new Map()
  sampleClock(clock, segment, clockGroup)
  const finalizedBlock = finalAfter(before?.finalizedBlock ?? -1, segment)
  return {
    head,
    nodeHead,
    headers: [...(before?.headers ?? []), ...headers].filter(({ number }) => number >= finalizedBlock),
    counts: before === undefined ? counts : addCounts(before.counts, counts),
    finalizedBlock,
    clock,
  }
}
