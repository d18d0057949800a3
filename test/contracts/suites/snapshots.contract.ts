/** The Snapshots port: whatever is appended or taken back meanwhile, every list goes on as it began. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import { type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { Snapshots } from "../../../src/ports/Snapshots.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"

const token = address(0x70)
const [alice, bob] = [address(0xa), address(0xb)]
const page = { limit: 1000 }

export const snapshotsContract = (name: string, makeStore: MakeStore) =>
  describe(`Snapshots on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    /** Every list of the token's chain. */
    const lists = (chainId: ChainId) =>
      Effect.gen(function* () {
        const chains = [chainId]
        const sort = { field: "createdAt", direction: "desc" } as const
        const feed = { chains, filter: {}, direction: "desc", page, count: true } as const
        const ofToken = { chainId, token, page, count: true }
        return [
          yield* TokenStore.use((s) => s.list({ standard: "erc20", chains, sort, page, count: true })),
          yield* TransferStore.use((s) => s.list({ standard: "erc20", ...feed })),
          // By account: these are walked, in a transaction where there is none.
          yield* TransferStore.use((s) => s.list({ standard: "erc20", ...feed, filter: { address: [alice] } })),
          yield* HolderStore.use((s) => s.list("erc20", ofToken)),
          yield* HolderStore.use((s) => s.listErc1155(ofToken)),
          yield* NftStore.use((s) => s.list(ofToken)),
          yield* SwapStore.use((s) => s.list(feed)),
        ]
      })

    test("an open snapshot does not see what is appended and taken back; the next one does", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 100n), nftTransfer(token, zeroAddress, alice, 7n)])
        .block([transfer(token, alice, bob, 30n), multiTransfer(token, zeroAddress, bob, [[1n, 5n]])])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const before = await store.run(lists(chainId))
      const scope = Effect.runSync(Scope.make())
      const held = await store.run(Snapshots.use(({ open }) => Scope.provide(open, scope)))
      const seen = () => store.run(Effect.provideContext(lists(chainId), held))
      expect(await seen()).toEqual(before)
      chain.block([transfer(token, alice, zeroAddress, 70n), nftTransfer(token, alice, bob, 7n)])
      await store.run(writer.append(chain.segment(2)))
      expect(await seen()).toEqual(before)
      await store.run(writer.rollback(1))
      expect(await seen()).toEqual(before)
      await Effect.runPromise(Scope.close(scope, Exit.void))
      const after = await store.run(
        Effect.scoped(
          Snapshots.use(({ open }) => Effect.flatMap(open, (now) => Effect.provideContext(lists(chainId), now))),
        ),
      )
      expect(after).toEqual(await store.run(lists(chainId)))
      expect(after).not.toEqual(before)
    })
  })
