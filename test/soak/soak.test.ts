/** The differential test: the whole service against a naive oracle, while blocks, reorgs and faults arrive. `bun run soak` goes on for longer. */
import { expect, test } from "bun:test"
import { soak } from "./run.ts"

test("every answer is what the logs say, folded in the plainest way, for the very block that the answer names", async () => {
  const reorgDepth = 24
  const found = await soak({ seed: 1, turns: 36, blocks: 120, faults: 0.2, reorgDepth, killEvery: 18 })
  expect(found.differences).toEqual([])
  expect(found.checks).toBeGreaterThan(1000)
  expect(found.reorgs).toBeGreaterThan(10)
  expect(found.deepest).toBe(reorgDepth)
  expect(found.returns).toBeGreaterThan(0)
  expect(found.exact).toBeGreaterThan(0)
}, 300_000)
