/** How long a portal that wants to be left alone is obeyed. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { HttpResponse, http } from "msw"
import { makePortal } from "../../../src/adapters/rpc/history/portal.ts"
import type { HistoryUnavailable } from "../../../src/ports/HistorySource.ts"
import { server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const restOf = async (retryAfter: string): Promise<number | undefined> => {
  const refused = () => new HttpResponse("slow down", { status: 429, headers: { "retry-after": retryAfter } })
  server.use(http.get("http://portal.test/finalized-head", refused))
  const portal = makePortal("http://portal.test", { topics: [], readBloom: undefined })
  const failure = await portal.span(new AbortController().signal).catch((cause: HistoryUnavailable) => cause)
  return (failure as HistoryUnavailable).retryAfterMs
}

const minutes = 60_000

for (const [retryAfter, ms] of [
  ["7", 7000],
  ["600", 10 * minutes],
  ["601", 10 * minutes],
  ["999999", 10 * minutes],
  ["9".repeat(400), 10 * minutes],
  ["Fri, 31 Dec 2999 23:59:59 GMT", 10 * minutes],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["soon", undefined],
] as const) {
  test(`Retry-After: ${retryAfter.slice(0, 40)} is ${ms === undefined ? "no wish" : `obeyed for ${ms / 1000} s`}`, async () => {
    expect(await restOf(retryAfter)).toBe(ms)
  })
}
