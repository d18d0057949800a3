/** Several price sources as one: each is asked about what those before it have no price of. */
import { Effect } from "effect"
import type { Quote } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { PriceSourceShape } from "../../ports/PriceSource.ts"

/** `unpriced`: of a chain the token that none is asked about; absent = there is none. */
export const inOrder = (
  sources: ReadonlyArray<PriceSourceShape>,
  unpriced: ReadonlyMap<ChainId, Address> = new Map(),
): PriceSourceShape => ({
  find: Effect.fnUntraced(function* (question) {
    const wanted = question.tokens.filter((token) => token !== unpriced.get(question.chainId))
    const quotes = new Map<Address, Quote>()
    const silent = new Set<Address>()
    const waits = new Set<Address>()
    const assumed = new Set<Address>()
    const lost = new Set<Address>()
    const doubted = new Set<Address>()
    for (const source of sources) {
      const tokens = wanted.filter((token) => !quotes.has(token))
      if (tokens.length === 0) break
      const answer = yield* source.find({ ...question, tokens })
      for (const token of answer.waits ?? []) waits.add(token)
      for (const token of tokens) {
        const quote = answer.quotes.get(token)
        if (answer.lost?.has(token)) lost.add(token)
        if (quote !== undefined && answer.assumed?.has(token)) assumed.add(token)
        if (quote !== undefined && answer.doubted?.has(token)) doubted.add(token)
        if (quote !== undefined) quotes.set(token, quote)
        else if (answer.silent.has(token)) silent.add(token)
      }
    }
    for (const token of quotes.keys()) silent.delete(token)
    return { quotes, silent, assumed, lost, doubted, ...(waits.size > 0 ? { waits } : {}) }
  }),
})
