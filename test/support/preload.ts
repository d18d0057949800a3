/** Runs once around the whole suite (see bunfig.toml): stops what testDatabase started. */
import { afterAll } from "bun:test"
import { stopClusters } from "./postgres.ts"

afterAll(stopClusters)
