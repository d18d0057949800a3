/** A process's own chain whose tables another version made: it is refused until they are its own version's. */
import { expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import { makeKnownChains } from "../../src/domain/registry/knownChains.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { SyncStatus } from "../../src/ports/SyncStatus.ts"
import { syncStatus } from "../http/support.ts"

test("a chain of its own is refused while its tables are another version's, and its settings stay its own", async () => {
  const chainId = ChainId.make("1")
  const served = { chainId, network: "mainnet", ecosystems: ["ethereum"], startBlock: 0, maxLag: 3, pollMs: 500 }
  const status = await ManagedRuntime.make(MemorySyncStatus.layer([])).runPromise(Effect.service(SyncStatus))
  const known = makeKnownChains({ role: "both", chains: [served], status })
  const problem = "the ledger of chain 1 is of an older version"
  known.take({ chains: [{ chainId, served: { ...served, network: "other" }, problem }] }, 0)
  expect(known.networks.refusal?.([chainId])).toBe(problem)
  expect(known.networks.chains).toEqual([served])
  known.take({ chains: [{ chainId, served }] }, 0)
  expect(known.networks.refusal?.([chainId])).toBeUndefined()
})

test("of a chain of its own whose ledger it waits for it knows when somebody told that he follows it", async () => {
  const chainId = ChainId.make("1")
  const served = { chainId, network: "mainnet", ecosystems: [], startBlock: 0, maxLag: 3, pollMs: 500 }
  const status = await ManagedRuntime.make(MemorySyncStatus.layer([served])).runPromise(Effect.service(SyncStatus))
  const known = makeKnownChains({ role: "both", chains: [served], status })
  const toldAt = () => [known.syncStatus.find(chainId)?.toldAt, known.syncStatus.list()[0]?.toldAt]
  known.take({ chains: [{ chainId, served, status: syncStatus("1"), toldMs: 300 }] }, 1000)
  // What is open here was told from here.
  expect(toldAt()).toEqual([undefined, undefined])
  status.update(chainId, { awaitsLedger: true })
  expect(toldAt()).toEqual([700, 700])
  known.take({ chains: [{ chainId, served, status: syncStatus("1", { phase: "stopped" }), toldMs: 300 }] }, 2000)
  expect(toldAt()).toEqual([undefined, undefined])
})
