/** Which lists of swaps, each in feed order in an index, together hold what a filter lets through. */
import type { Address } from "../../../../model/primitives.ts"
import type { SwapFilter } from "../../../../model/swap.ts"

type Addresses = ReadonlyArray<Address>

/** A list for each address of `paid` or of `got`; of both, for each pair of one and another. Of neither: of what lists vouch for. */
export interface Lists {
  readonly paid?: Addresses
  readonly got?: Addresses
}

/** Undefined = all swaps. A swap may be in two of `token`'s lists, and in no more than one of any other filter's. */
export const listsOf = ({ token, tokenIn, tokenOut, trusted }: SwapFilter): ReadonlyArray<Lists> | undefined => {
  if (token === undefined) {
    if (tokenIn === undefined) return tokenOut === undefined ? trusted && [{}] : [{ got: tokenOut }]
    return [tokenOut === undefined ? { paid: tokenIn } : { paid: tokenIn, got: tokenOut }]
  }
  if (tokenIn === undefined && tokenOut === undefined) return [{ paid: token }, { got: token }]
  const [inside, outside] = [within(token), without(token)]
  // What is paid is of `token`, or else what is got has to be.
  if (tokenOut === undefined) return [{ paid: inside(tokenIn) }, { paid: outside(tokenIn), got: token }]
  if (tokenIn === undefined) return [{ got: inside(tokenOut) }, { paid: token, got: outside(tokenOut) }]
  return [
    { paid: inside(tokenIn), got: tokenOut },
    { paid: outside(tokenIn), got: inside(tokenOut) },
  ]
}

const within = (token: Addresses) => (addresses?: Addresses) => (addresses ?? []).filter((it) => token.includes(it))
const without = (token: Addresses) => (addresses?: Addresses) => (addresses ?? []).filter((it) => !token.includes(it))
