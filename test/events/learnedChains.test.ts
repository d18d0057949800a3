/** Chains that a process learns of while it runs, and exchanges that get another name: events have what the lists have. */
import { expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as EventHub from "../../src/domain/events/EventHub.ts"
import { managedPool } from "../../src/model/poolKey.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { type Chain, Networks } from "../../src/ports/Networks.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, initialize, managedSwap, TestChain } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const [manager, zero, one] = [address(0x7200), address(0x70), address(0x71)]
const poolId = `0x${"1".padStart(64, "0")}`

const followed = (dex: string): Chain => ({
  chainId,
  network: "mainnet",
  ecosystems: [],
  factories: new Map([[manager, { dex, label: `${dex} label` }]]),
})

test("a swap is told with its exchange as it is known then, however late the chain was learned of", async () => {
  let chains: ReadonlyArray<Chain> = []
  const networks = {
    get chains() {
      return chains
    },
  }
  const runtime = ManagedRuntime.make(
    EventHub.layer.pipe(Layer.provide(Layer.succeed(Networks, networks)), Layer.provideMerge(MemoryStore.layer)),
  )
  const query = { chainId, filter: { kinds: ["swap"] }, onlyFinal: false, start: "beginning" } as const
  const swaps = async () => {
    const part = await runtime.runPromise(EventHub.EventHub.use(({ next }) => next(query)))
    return part?.deliveries.filter(({ type }) => type === "swap").map(({ data }) => data)
  }
  try {
    const pool = managedPool(manager, poolId)
    const chain = new TestChain(new Set(), 0, undefined, new Set([manager]))
    chain.pools.set(pool, { pool, token0: zero, token1: one, decimals0: 0, decimals1: 0, factory: manager })
    chain.block([initialize(manager, poolId, zero, one)])
    chain.block([managedSwap(manager, poolId, { paid0: true, paid: 5n, got: 7n })])
    await runtime.runPromise(
      Effect.scoped(
        Ledger.use((ledger) =>
          Effect.flatMap(ledger.open(settingsOf({ chainId, poolManagers: [manager] })), (writer) =>
            writer.append(chain.segment(0)),
          ),
        ),
      ),
    )
    chains = [followed("First")]
    expect(await swaps()).toMatchObject([{ dex: "First", sourceDeployer: "First label" }])
    chains = [followed("Second")]
    expect(await swaps()).toMatchObject([{ dex: "Second", sourceDeployer: "Second label" }])
  } finally {
    await runtime.dispose()
  }
})
