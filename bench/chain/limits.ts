/** How providers refuse a range, each in its own words. */
import { quantity } from "./hex.ts"

export interface RangeLimits {
  /** Blocks in one `eth_getLogs`. */
  readonly maxRange: number
  /** Logs in one answer. */
  readonly maxResults: number
}

export interface Refusal {
  readonly code: number
  readonly message: string
}

/** The refusal of a range, worded like one provider or another's; undefined = it is served. `count` logs it would hold; `fitting` = the last block that fits. */
export const refusalOf = (
  limits: RangeLimits,
  from: number,
  to: number,
  count: number,
  fitting: () => number,
  wording: number,
): Refusal | undefined => {
  const { maxRange, maxResults } = limits
  const blocks = to - from + 1
  if (blocks > maxRange) return pick(byBlocks, wording)(maxRange, from, blocks)
  if (count > maxResults && blocks > 1) return pick(byResults, wording)(maxResults, from, Math.max(from, fitting()))
  return undefined
}

const pick = <Wording>(wordings: ReadonlyArray<Wording>, which: number): Wording => wordings[which % wordings.length]!

const byBlocks: ReadonlyArray<(max: number, from: number, asked: number) => Refusal> = [
  (max) => ({ code: -32614, message: `eth_getLogs is limited to a ${max.toLocaleString("en")} range` }),
  (max, from, asked) => ({
    code: -32000,
    message: `requested too many blocks from ${from} to ${from + asked - 1}, maximum is set to ${max}`,
  }),
  (max) => ({ code: -32701, message: `exceed maximum block range: ${max}` }),
  (max) => ({ code: -32602, message: `query exceeds max block range ${max}` }),
  () => ({ code: -32062, message: "Block range is too large" }),
  (max) => ({
    code: -32600,
    message: `Under the Free tier plan, you can make eth_getLogs requests with up to a ${max} block range.`,
  }),
  () => ({ code: -32000, message: "Requested range exceeds maximum range limit" }),
]

const byResults: ReadonlyArray<(max: number, from: number, fitting: number) => Refusal> = [
  (max, from, fitting) => ({
    code: -32005,
    message: `query returned more than ${max} results. Try with this block range [${quantity(from)}, ${quantity(fitting)}].`,
  }),
  (_, from, fitting) => ({
    code: -32602,
    message: `Log response size exceeded. Based on your parameters and the response size limit, this block range should work: [${quantity(from)}, ${quantity(fitting)}]`,
  }),
  (max, from, fitting) => ({
    code: -32602,
    message: `query exceeds max results ${max}, retry with the range ${from}-${fitting}`,
  }),
  () => ({ code: -32020, message: "backend response too large" }),
  (max) => ({ code: -32005, message: `query returned more than ${max} results` }),
]
