/** The differential test: the whole service against a naive oracle, while blocks, reorgs and faults arrive. `bun run soak` goes on for longer. */
import { expect, test } from "bun:test"
import { soak } from "./run.ts"

test("every answer is what the logs say, folded in the plainest way, for the very block that the answer names", async () => {
  const { checks, differences, reorgs, exact } = await soak({
    seed: 1,
    turns: 60,
    blocks: 120,
    faults: 0.2,
    reorgDepth: 24,
  })
  expect(differences).toEqual([])
  expect(checks).toBeGreaterThan(1000)
  expect(reorgs).toBeGreaterThan(10)
  expect(exact).toBeGreaterThan(0)
}, 300_000)
