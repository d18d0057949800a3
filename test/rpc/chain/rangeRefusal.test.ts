/** Refused ranges in the words of real nodes. */
import { describe, expect, test } from "bun:test"
import { rangeRefusalOf } from "../../../src/adapters/rpc/chain/rangeRefusal.ts"
import type { RpcFault } from "../../../src/adapters/rpc/transport/fault.ts"

const fault = (message: string, code = -32000): RpcFault => ({ kind: "answer", code, message })
/** The proposed end for blocks 1,000,000 to 1,199,999; null = refused without one. */
const end = (given: RpcFault) => {
  const refusal = rangeRefusalOf(given, 1_000_000, 1_199_999)
  return refusal && (refusal.suggestedTo ?? null)
}

describe("a refusal with a proposal", () => {
  const wordings: ReadonlyArray<[string, number]> = [
    ["query returned more than 10000 results. Try with this block range [0xF4240, 0xF4628].", 1_001_000],
    [
      "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0xf4240, 0xf424f]",
      1_000_015,
    ],
    [
      "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0xf4240, 0xf4249]. Upgrade to PAYG for expanded block range.",
      1_000_009,
    ],
    ["query exceeds max results 20000, retry with the range 1000000-1000456", 1_000_456],
    ["query exceeds max block range 100000", 1_099_999],
    ["exceed maximum block range: 50000", 1_049_999],
    ["eth_getLogs is limited to a 10,000 range", 1_009_999],
    ["eth_getLogs is limited to 1024 block range. Please check the parameter requirements", 1_001_023],
    ["eth_getLogs is limited to 0 - 10000 blocks range", 1_009_999],
    ["Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800", 1_000_799],
    ["requested too many blocks from 0 to 16777215, maximum is set to 2048", 1_002_047],
    ["ranges over 10000 blocks are not supported on freetier", 1_009_999],
    ["please limit the query to at most 1000 blocks", 1_000_999],
    ["Exceeded max range limit for eth_getLogs: 1000", 1_000_999],
    ["block range is too wide (maximum 1024)", 1_001_023],
    ["maximum allowed number of requested blocks is 10000", 1_009_999],
    ["too wide blocks range, the limit is 100", 1_000_099],
    ["maximum [from, to] blocks distance: 2000", 1_001_999],
    ["maximum [begin, end] blocks distance: 10000", 1_009_999],
    ["exceeds the range allowed for your plan (49999 > 2000)", 1_001_999],
    ["Invalid params: range exceeds the range allowed for your plan (49999 > 2000)", 1_001_999],
    ["Block range limit: 1000", 1_000_999],
    ["Max range: 3,000", 1_002_999],
    ["eth_getLogs block range too large, range: 10001, max: 1000", 1_000_999],
    ["range too large (1000 max)", 1_000_999],
    ["Block range must be less than 2048 blocks", 1_002_046],
    ['Invalid parameters: "from" block range should be less than 1000', 1_000_998],
    ["The block range is too large, please reduce: 500", 1_000_499],
    ["block range greater than 1000 max", 1_000_999],
    ["Requested range exceeds maximum RPC range limit of 500", 1_000_499],
    ["distance between fromBlock and toBlock is 2000, maximum allowed is 1000", 1_000_999],
    ["The range between fromBlock and toBlock is too large: maximum 1000", 1_000_999],
    ["allowed block range threshold exceeded. Range limit is 10000 blocks", 1_009_999],
    ["eth_getLogs range is too large, max is 1k blocks", 1_000_999],
    ["You cannot query logs for more than 2000 blocks at once.", 1_001_999],
    ["Your plan only supports 1000 blocks per request", 1_000_999],
    ["Block range exceeds 100", 1_000_099],
    ["Range exceeds limit of 1000 blocks", 1_000_999],
    ["requested too many blocks from 1000000 to 1003000, maximum is set to 1024", 1_001_023],
  ]
  for (const [message, suggestedTo] of wordings) {
    test(message.slice(0, 70), () => expect(end(fault(message))).toBe(suggestedTo))
  }
})

describe("a refusal without one", () => {
  const wordings: ReadonlyArray<[string, number]> = [
    ["query returned more than 10000 results", -32005],
    ["block range is too wide", -32600],
    ["Block range is too large", -32602],
    ["Block range limit exceeded.", -32000],
    ["Requested range exceeds maximum RPC range limit", -32005],
    ["exceeds the range allowed for your plan", -32602],
    ["range exceeds limit", -32005],
    ["query block range exceeds server limit", -32602],
    ["requested block range is too large", -32012],
    ["filter matches too many events, try a more restricted filter", -32000],
    ["query set too large", -32000],
    ["Result set too large", -32000],
    ["Exceeded max limit of : 10000", -32603],
    ["Query returned more results than the limit of 20000", -32005],
    ["query exceeds max results 20000", -32602],
    ["the number of logs exceeds the maximum allowed (10000)", -32000],
    ["Number of logs in response exceeds 10000", -32000],
    ["total logs size exceeds limit", -32000],
    ["Response size is larger than 150MB limit.", -32000],
    ["getLogs request exceeded max allowed range", -32000],
    ["eth_getLogs: fromBlock..toBlock too large", -32000],
    ["query timed out", -32000],
    ["logs matched by query exceeds limit of 10000", -32000],
    ["backend response too large", -32020],
    ["Response is too big", -32008],
    ["response size should not greater than 150000000 bytes", -32000],
    ["query timeout exceeded", -32000],
    ["request timed out", -32002],
    ["context deadline exceeded", -32000],
    ["too many results", -32005],
  ]
  for (const [message, code] of wordings) test(message, () => expect(end(fault(message, code))).toBe(null))

  test("by HTTP 413", () => expect(end({ kind: "http", status: 413, message: "HTTP 413" })).toBe(null))
  test("by HTTP 504 of a gateway", () => expect(end({ kind: "http", status: 504, message: "HTTP 504" })).toBe(null))
  test("by silence until the time limit", () => expect(end({ kind: "timeout", message: "no answer" })).toBe(null))
})

describe("no refusal of the range", () => {
  const wordings: ReadonlyArray<[string, number]> = [
    ["project ID request rate exceeded", -32005],
    ["daily request count exceeded, request rate limited", -32005],
    ["Your app has exceeded its compute units per second capacity.", 429],
    ["you are limited to 10 requests per second", -32005],
    ["Too Many Requests", -32029],
    ["header not found", -32000],
    ["internal error", -32603],
    ["execution reverted", 3],
    ["limit exceeded", -32005],
    ["exceeded limit", -32005],
    ["Exceeded max limit of requests per second: 25", -32005],
    ["request limit exceeded: 100 requests per 10s", -32005],
    [
      "You've exceeded the RPS limit available on the current plan. Learn more: https://docs.test/limits: try_again_in 560.27ms",
      -32005,
    ],
    ["system overloaded, please reduce request frequency: no room for eth_getLogs", -32000],
    ["please reduce your request rate", -32005],
    ["the node is too busy, please reduce the load", -32000],
    ["block range extends beyond current head block", -32602],
    ["Batch size too large", -32600],
  ]
  for (const [message, code] of wordings) {
    test(message, () => expect(rangeRefusalOf(fault(message, code), 1_000_000, 1_199_999)).toBeUndefined())
  }

  test("silence about a single block", () => {
    expect(rangeRefusalOf({ kind: "timeout", message: "no answer" }, 5, 5)).toBeUndefined()
  })
  test("HTTP 500", () => expect(end({ kind: "http", status: 500, message: "HTTP 500" })).toBeUndefined())
})

test("a proposal outside of the range that was asked for is no proposal", () => {
  for (const range of ["[0x1, 0x2]", "[0xf4240, 0xffffff]"]) {
    expect(end(fault(`query returned more than 10000 results. Try with this block range ${range}.`))).toBe(null)
  }
})
