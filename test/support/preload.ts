/** Runs once around the whole suite (see bunfig.toml): the seed of generated cases, and an end to what testDatabase started. */
import { afterAll } from "bun:test"
import fc from "fast-check"
import { dropGiven } from "./givenServer.ts"
import { stopClusters } from "./postgres.ts"

// The same tree, the same verdict. Other cases by hand: `FC_SEED=$RANDOM`; a failure prints the seed that shows it again.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) })

afterAll(async () => {
  await dropGiven()
  await stopClusters()
})
