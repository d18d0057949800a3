/** Headers of blocks that must be there: behind one address there may be nodes that are behind, so that another try meets another. */
import { Effect } from "effect"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { Following } from "../state.ts"

/** Milliseconds between two questions for those that are missing. */
const pause = 100

/** By number. Asks again for those that are missing for as long as that brings more. */
export const findHeaders = Effect.fnUntraced(function* (
  { source, hints }: Pick<Following, "source" | "hints">,
  numbers: ReadonlyArray<number>,
) {
  const found = new Map<number, SourceHeader>()
  let missing = numbers
  for (let before = -1; missing.length > 0 && found.size > before; ) {
    if (before >= 0) yield* Effect.sleep(pause)
    before = found.size
    for (const header of yield* source.headers(missing)) if (header !== undefined) found.set(header.number, header)
    if (missing.some((number) => found.has(number)) && missing.length < numbers.length) hints.uneven = true
    missing = missing.filter((number) => !found.has(number))
  }
  return found
})
