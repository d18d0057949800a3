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

test("of a chain of its own whose ledger it waits for it knows when somebody told, meanwhile, that he follows it", async () => {
  const chainId = ChainId.make("1")
  const served = { chainId, network: "mainnet", ecosystems: [], startBlock: 0, maxLag: 3, pollMs: 500 }
  const status = await ManagedRuntime.make(MemorySyncStatus.layer([served])).runPromise(Effect.service(SyncStatus))
  const known = makeKnownChains({ role: "both", chains: [served], status })
  const toldAt = () => [known.syncStatus.find(chainId)?.toldAt, known.syncStatus.list()[0]?.toldAt]
  const take = (word: number, toldMs: number, now: number, phase: "live" | "stopped" = "live") =>
    known.take({ chains: [{ chainId, served, status: syncStatus("1", { phase }), word, toldMs }] }, now)
  take(7, 300, 1000)
  // What is open here was told from here.
  expect(toldAt()).toEqual([undefined, undefined])
  status.update(chainId, { awaitsLedger: true })
  // Its own last word, or that of the process before it.
  for (const now of [2000, 3000, 200_000]) {
    take(7, now - 700, now)
    expect(toldAt()).toEqual([undefined, undefined])
  }
  take(8, 300, 201_000)
  expect(toldAt()).toEqual([200_700, 200_700])
  take(8, 1300, 202_000)
  expect(toldAt()).toEqual([200_700, 200_700])
  take(9, 300, 203_000, "stopped")
  expect(toldAt()).toEqual([undefined, undefined])
  // Opened here for a while, and waited for once more.
  status.update(chainId, { awaitsLedger: undefined })
  take(10, 0, 204_000)
  status.update(chainId, { awaitsLedger: true })
  take(11, 0, 205_000)
  expect(toldAt()).toEqual([undefined, undefined])
  take(12, 0, 206_000)
  expect(toldAt()).toEqual([206_000, 206_000])
})
