/** What a chain's blooms are worth, by what was learned of them. Pure, but for what it learns. */
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import { type ChainTraits, enoughUnlisted } from "./verifier.ts"

/** A block whose bloom and logs contradict each other. `unlisted`: there are logs that the bloom does not hold. */
export interface Mismatch {
  readonly header: SourceHeader
  readonly logs: ReadonlyArray<Log>
  readonly unlisted: boolean
}

/** `logs` are all that came for these headers' blocks; both ascend. Of all-zero blooms one is enough to know the others. */
export const listMismatches = (
  traits: ChainTraits,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
): ReadonlyArray<Mismatch> => {
  const mismatches: Array<Mismatch> = []
  let { emptyBloomsSayNothing, unlistedBlocks } = traits
  let at = 0
  for (const header of headers) {
    while (at < logs.length && logs[at]!.blockNumber < header.number) at++
    const begin = at
    while (at < logs.length && logs[at]!.blockNumber === header.number) at++
    const { bloom } = header
    if (bloom === undefined) continue
    if (begin === at) {
      if (bloom.suggestsLogs()) mismatches.push({ header, logs: [], unlisted: false })
      continue
    }
    const isKnown = bloom.empty
      ? emptyBloomsSayNothing
      : unlistedBlocks >= enoughUnlisted || holdsAll(bloom, logs, begin, at)
    if (isKnown) continue
    mismatches.push({ header, logs: logs.slice(begin, at), unlisted: true })
    if (bloom.empty) emptyBloomsSayNothing = true
    else unlistedBlocks++
  }
  return mismatches
}

const holdsAll = (bloom: NonNullable<SourceHeader["bloom"]>, logs: ReadonlyArray<Log>, from: number, to: number) => {
  for (let index = from; index < to; index++) if (!bloom.mayHold(logs[index]!)) return false
  return true
}

/** Blocks with logs whose blooms show logs of other kinds or contracts too, of those that are asked for. `logs` are all that came; both ascend. */
export const listDoubted = (headers: ReadonlyArray<SourceHeader>, logs: ReadonlyArray<Log>): ReadonlyArray<number> => {
  let at = 0
  return headers.flatMap(({ number, bloom }) => {
    while (at < logs.length && logs[at]!.blockNumber < number) at++
    const begin = at
    while (at < logs.length && logs[at]!.blockNumber === number) at++
    return at > begin && bloom?.suggestsOthers(logs.slice(begin, at)) === true ? [number] : []
  })
}

/** Only of a chain whose blooms have never left out a log; and an empty one only where others have been seen to hold some. */
export const isProvenEmpty = (traits: ChainTraits, { bloom }: SourceHeader): boolean =>
  bloom?.excludesLogs() === true &&
  traits.unlistedBlocks === 0 &&
  !traits.emptyBloomsSayNothing &&
  (!bloom.empty || traits.bloomsReliable)

/** Whether a bloom of these blocks shows a log that is in its block. */
export const learnReliable = (
  traits: ChainTraits,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
): void => {
  if (traits.bloomsReliable) return
  const blooms = new Map(headers.map(({ number, bloom }) => [number, bloom]))
  traits.bloomsReliable = logs.some((log) => {
    const bloom = blooms.get(log.blockNumber)
    return bloom?.empty === false && bloom.mayHold(log)
  })
}
