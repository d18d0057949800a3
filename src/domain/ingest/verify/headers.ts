/** Headers of blocks that must be there: behind one address there may be nodes that are behind, so that another try meets another. */
import { Effect } from "effect"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { untilAnswered } from "../status/retry.ts"
import type { Verifier } from "./verifier.ts"

/** Behind one address there may be nodes that have not reached the announced block yet: by so many, of a fast chain the last of these. */
export const blocksApart = Array.from({ length: 11 }, (_, power) => 2 ** power)

/** Between two questions for those that are missing. */
const pauseMs = 100

/** By number. Asks again for those that are missing for as long as that brings more. */
export const findHeaders = Effect.fnUntraced(function* (
  { node, traits }: Verifier,
  numbers: ReadonlyArray<number>,
): Effect.fn.Return<ReadonlyMap<number, SourceHeader>, SourceUnavailable> {
  const found = new Map<number, SourceHeader>()
  let missing = numbers
  for (let before = -1; missing.length > 0 && found.size > before; ) {
    if (before >= 0) yield* Effect.sleep(pauseMs)
    before = found.size
    for (const header of yield* node.headers(missing)) if (header !== undefined) found.set(header.number, header)
    if (missing.some((number) => found.has(number)) && missing.length < numbers.length) traits.settledSinceLag = 0
    missing = missing.filter((number) => !found.has(number))
  }
  return found
})

/** In order. Asks until all are there. */
export const allHeaders = Effect.fnUntraced(function* (verifier: Verifier, numbers: ReadonlyArray<number>) {
  const found = new Map<number, SourceHeader>()
  const ask = Effect.gen(function* () {
    const open = numbers.filter((number) => !found.has(number))
    for (const [number, header] of yield* findHeaders(verifier, open)) found.set(number, header)
    const missing = numbers.find((number) => !found.has(number))
    if (missing !== undefined)
      return yield* new SourceUnavailable({ kind: "behind", message: `the node has no block ${missing}` })
  })
  yield* untilAnswered(verifier.report, ask)
  return numbers.map((number) => found.get(number)!)
})
