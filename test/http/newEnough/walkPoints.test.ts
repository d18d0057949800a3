/** Which blocks a page of a walk must not be older than. */
import { expect, test } from "bun:test"
import { minBlocksOf } from "../../../src/adapters/http/newEnough/walkPoints.ts"
import { ChainId } from "../../../src/model/primitives.ts"

test("a chain that left the walk's network since is waited for by no page", () => {
  const [stays, left] = [ChainId.make("1"), ChainId.make("10")]
  const pins = [stays, left].map((chainId) => ({ chainId, blockNumber: 7, rollbacks: 0 }))
  const page = { limit: 5, after: { pins } }
  expect(minBlocksOf({ page, points: undefined }, { chains: [stays] }, {})).toEqual(new Map([[stays, 7]]))
  expect(minBlocksOf({ page, points: undefined }, {}, {}).size).toBe(2)
})
