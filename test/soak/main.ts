/** `bun run soak`: proves a build on chains made up from a seed, for as long as wanted; exits with 1 if anything differed. */
import { readFlags } from "../../bench/support/flags.ts"
import { stopClusters } from "../support/postgres.ts"
import { type Progress, soak } from "./run.ts"
import type { Difference } from "./tester.ts"

const flags = readFlags(
  // `crashEvery`: turns between two kills of the database; `turns`: of one chain, then the next seed's begins.
  { seed: 1, minutes: 5, blocks: 200, faults: 0.2, reorgDepth: 64, killEvery: 12, crashEvery: 30, turns: 600 },
  process.argv.slice(2),
)
const until = Date.now() + flags.minutes * 60_000
const before = { checks: 0, differences: 0 }
let lastShown = 0

for (let seed = flags.seed; Date.now() < until; seed++) {
  const tell = ({ url, block, what }: Difference) =>
    console.log(`DIFFERENCE seed ${seed}, as of ${block}\n  ${url}\n  ${what}`)
  const progress = ({ blocks, reorgs, kills, checks, differences }: Progress) => {
    if (Date.now() - lastShown < 5000) return
    lastShown = Date.now()
    console.log(
      `seed ${seed}: ${blocks} blocks, ${reorgs} reorgs, ${kills} kills, ${before.checks + checks} checks, ${before.differences + differences} differences`,
    )
  }
  const { blocks, faults, reorgDepth, killEvery, crashEvery, turns } = flags
  try {
    const { checks, differences, reorgs, kills } = await soak({
      seed,
      turns,
      blocks,
      faults,
      reorgDepth,
      killEvery,
      crashEvery,
      until,
      tell,
      progress,
    })
    console.log(`seed ${seed}: ${reorgs} reorgs, ${kills} kills, ${checks} checks, ${differences.length} differences`)
    before.checks += checks
    before.differences += differences.length
  } catch (error) {
    // A service that ends or stands still is the greatest difference of all.
    console.log(`DIFFERENCE seed ${seed}: ${error instanceof Error ? error.message : error}`)
    before.differences++
  }
}
await stopClusters()
console.log(`${before.checks} checks, ${before.differences} differences`)
process.exit(before.differences === 0 ? 0 : 1)
