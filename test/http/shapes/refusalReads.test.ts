/** What refusals read of the store, where the caller chooses the chains: of one chain itself, of several all of them, once for all choices. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { sampleHolder } from "../../../src/adapters/http/contract/samples.ts"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { type ChainId, hashOfHex } from "../../../src/model/primitives.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { chains, prefix, startService, type TestService } from "../support.ts"

const pointOf = (chainId: ChainId): AsOf => ({
  ...{ chainId, blockNumber: Number(chainId), hash: hashOfHex(`0x${"ab".repeat(32)}`), time: 1_800_000_000 },
  ...{ finality: "latest", nodeHead: 90_000, firstBlock: 0, revision: 1, figures: 1, rewrites: 1 },
})

const asked: Array<string> = []
let service: TestService
beforeAll(async () => {
  service = await startService({
    compatShapes: shapeNames,
    strictKeys: true,
    replace: Layer.succeed(Freshness, {
      newest: () => Effect.undefined,
      touched: () => Effect.undefined,
      asOf: (ids) => {
        asked.push(ids.join())
        return Effect.succeed(ids.map(pointOf))
      },
    }),
  })
})
beforeEach(() => {
  asked.length = 0
})
afterAll(() => service.close())

const ids = chains.map(({ chainId }) => chainId)
/** Every choice of two chains and more. */
const choices = Array.from({ length: 2 ** ids.length }, (_, bits) => ids.filter((_, place) => bits & (1 << place)))
const several = choices.filter(({ length }) => length > 1)
const pointsOf = (response: Response) => response.headers.get("x-as-of-block")

test.each(["GET", "OPTIONS"])(
  "%s of each choice of several chains: all are read, and those that are named are said",
  async (method) => {
    for (const choice of several) {
      const response = await service.fetch(`/v1/evm/balances/${sampleHolder}?chain_ids=${choice.join()}`, { method })
      expect(response.status).toBe(method === "GET" ? 401 : 204)
      expect(pointsOf(response)).toBe(choice.map((chainId) => `${chainId}:${chainId}`).join())
    }
    expect(asked.filter((read) => read !== ids.join())).toEqual([])
  },
)

test("a refusal about one chain reads that one alone", async () => {
  expect(pointsOf(await service.fetch(`${prefix("43114")}/erc20`))).toBe("43114:43114")
  expect(asked).toEqual(["43114"])
})
