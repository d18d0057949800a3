/** Runs once around the whole suite (see bunfig.toml): stops what testDatabase started. */
import { afterAll, setDefaultTimeout } from "bun:test"
import { stopClusters } from "./postgres.ts"

// The first test that asks for a database waits for the server, on a machine that may be busy.
setDefaultTimeout(60_000)
afterAll(stopClusters)
