/** What the blocks of a long history hold, guessed from a few looks at them: how much work lies before a block, and after it. */
import { Effect } from "effect"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import type { VerifiedSource } from "../verify/VerifiedSource.ts"

/** Looks, evenly spread; each at so many blocks. */
export const looks = 24
const blocksALook = 4
/** So many slices from one look to the next: wherever they end for now, they lie all over the blocks. Shares no divisor with `looks`. */
const step = 7
/** What a block costs by itself, in logs. */
const logsABlock = 0.5

/** Logs a block, of slices of equal length from block `from` on. */
export interface Density {
  readonly from: number
  readonly to: number
  readonly logsPerBlock: ReadonlyArray<number>
  /** Looks that were answered. */
  readonly answered: number
}

/**
 * Undefined where no look was answered. Nothing that it is told is believed further than for this. `tell`: what is known so far,
 * behind each look that was answered.
 */
export const lookAtDensity = Effect.fnUntraced(function* (
  source: Pick<VerifiedSource, "answerOfRange">,
  { from, to }: BlockRange,
  concurrency: number,
  tell: (density: Density) => void = () => {},
) {
  const length = (to - from + 1) / looks
  const found = new Array<number | undefined>(looks).fill(undefined)
  const soFar = (): Density | undefined => {
    const known = found.filter((logs) => logs !== undefined)
    if (known.length === 0) return undefined
    const average = known.reduce((sum, logs) => sum + logs, 0) / known.length
    return { from, to, logsPerBlock: found.map((logs) => logs ?? average), answered: known.length }
  }
  const look = (slice: number) => {
    const begin = Math.floor(from + (slice + 0.5) * length)
    const end = Math.min(to, begin + blocksALook - 1)
    return source.answerOfRange({ from: begin, to: end }, to).pipe(
      Effect.tap(({ logs }) =>
        Effect.sync(() => {
          found[slice] = logs.length / (end - begin + 1)
          tell(soFar()!)
        }),
      ),
      Effect.option,
    )
  }
  const slices = Array.from({ length: looks }, (_, place) => (place * step) % looks)
  yield* Effect.forEach(slices, look, { concurrency, discard: true })
  return soFar()
})

/** About so many logs are in all of it. */
export const logsIn = ({ from, to, logsPerBlock }: Density): number =>
  (logsPerBlock.reduce((sum, logs) => sum + logs, 0) * (to - from + 1)) / logsPerBlock.length

/** The share of the work that lies before `block`, 0 to 1. */
export const shareBefore = ({ from, to, logsPerBlock }: Density, block: number): number => {
  const slices = logsPerBlock.length
  const place = (Math.max(0, Math.min(to + 1, block) - from) / (to - from + 1)) * slices
  let [before, all] = [0, 0]
  logsPerBlock.forEach((logs, slice) => {
    const weight = logs + logsABlock
    all += weight
    before += weight * Math.max(0, Math.min(1, place - slice))
  })
  return before / all
}
