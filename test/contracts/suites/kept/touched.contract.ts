/** Freshness.touched: whatever blocks bring, no figure changes but of the contracts and accounts that it names; after any other write it names none. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import fc from "fast-check"
import type { AsOf } from "../../../../src/model/block.ts"
import { isReserved } from "../../../../src/model/event.ts"
import type { Address, ChainId } from "../../../../src/model/primitives.ts"
import { Freshness } from "../../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../../../src/ports/SupplyStore.ts"
import { anyBlock, anyChain, anyChainSettings, people } from "../../../support/chain/anyEvents.ts"
import { address, hash, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const zero = address(0)
const [gold, salt] = [address(0xa1), address(0xa2)]
const page = { limit: 1000 }

export const touchedContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`What blocks touch on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const newest = async (chainId: ChainId): Promise<AsOf> =>
      (await store.run(Freshness.use((it) => it.newest(chainId))))!
    const touched = (since: AsOf, ...shown: ReadonlyArray<AsOf>) =>
      store.run(Freshness.use((it) => it.touched(since, shown)))
    const figures = (chainId: ChainId, token: Address) =>
      store.run(
        Effect.gen(function* () {
          const holders = yield* HolderStore
          const found = yield* Effect.all([
            (yield* SupplyStore).find(chainId, token),
            holders.count(chainId, token),
            holders.list("erc20", { chainId, token, page, count: true }),
            holders.list("erc721", { chainId, token, page, count: true }),
            holders.listErc1155({ chainId, token, page, count: true }),
          ])
          return found.map(({ value }) => value)
        }),
      )

    /** Of everybody, in order. */
    const balances = (chainId: ChainId, token: Address) =>
      store.run(
        Effect.gen(function* () {
          const holders = yield* HolderStore
          const found = yield* Effect.forEach(people, (holder) => holders.findBalance(chainId, token, holder))
          return found.map(({ value }) => value)
        }),
      )
    /** By the blocks themselves: of ids, and of a standard that is new, anyone. */
    const partiesOf = ({ blocks }: TestChain, after: number) => {
      const known = new Set<string>()
      const parties = new Map<Address, Set<Address>>()
      const ofAnyone = new Set<Address>()
      for (const { header, movements, nfts } of blocks) {
        for (const row of [...movements, ...nfts]) {
          const { token, from, to } = row
          const standard = `${token} ${"standard" in row ? row.standard : "erc20"}`
          if (header.number > after) {
            if ("standard" in row || !known.has(standard)) ofAnyone.add(token)
            const accounts = [from, to].filter((it): it is Address => !isReserved(it))
            parties.set(token, new Set([...(parties.get(token) ?? []), ...accounts]))
          }
          if (header.number <= after) known.add(standard)
        }
      }
      return new Map([...parties].map(([token, accounts]) => [token, ofAnyone.has(token) ? undefined : accounts]))
    }

    test("among any blocks it names the contracts and accounts that moved, and no other has another figure", async () => {
      const chainOf = fc.array(anyBlock, { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(chainOf, chainOf, async (before, more) => {
          const chain = anyChain()
          const chainId = freshChainId()
          const writer = await store.open({ chainId, ...anyChainSettings })
          const grow = async (blocks: typeof before) => {
            const from = chain.nextBlock
            for (const { events } of blocks) chain.block(events)
            await store.run(writer.append(chain.segment(from)))
          }
          await grow(before)
          const since = await newest(chainId)
          const rows = () => chain.blocks.flatMap(({ movements, nfts }) => [...movements, ...nfts])
          const tokens = [...new Set(rows().map(({ token }) => token))]
          const read = async (token: Address) =>
            [await figures(chainId, token), await balances(chainId, token)] as const
          const known = new Map(await Promise.all(tokens.map(async (token) => [token, await read(token)] as const)))
          await grow(more)
          const found = await touched(since)
          expect(found?.point).toEqual(await newest(chainId))
          expect(new Map(found!.tokens)).toEqual(partiesOf(chain, since.blockNumber))
          for (const [token, [had, held]] of known) {
            if (!found!.tokens.has(token)) expect(await figures(chainId, token)).toEqual(had)
            const accounts = found!.tokens.get(token)
            if (accounts === undefined) continue
            const now = await balances(chainId, token)
            people.forEach((account, at) => {
              if (!accounts.has(account)) expect([account, now[at]]).toEqual([account, held[at]])
            })
          }
          expect((await touched(found!.point))?.tokens.size).toBe(0)
        }),
        { numRuns },
      )
    })

    /** A chain of one block, and its writer. */
    const open = async () => {
      const chainId = freshChainId()
      const chain = new TestChain().block([transfer(gold, zero, address(1), 5n), transfer(salt, zero, zero, 5n)])
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const append = async (salting: string, ...events: ReadonlyArray<ReturnType<typeof transfer>>) => {
        chain.block(events, { salt: salting })
        await store.run(writer.append(chain.segment(chain.nextBlock - 1)))
      }
      return { chainId, chain, writer, append, since: await newest(chainId) }
    }
    const born = ({ blocks }: TestChain) => {
      const { blockNumber: firstBlock, logIndex: firstLogIndex, txHash: firstTxHash } = blocks[0]!.movements[0]!
      return { standard: "erc20", address: gold, firstBlock, firstLogIndex, firstTxHash } as const
    }

    test("what is learned touches nothing, and blocks with it are told", async () => {
      const { chainId, chain, writer, append, since } = await open()
      const token = born(chain)
      await store.run(writer.describeTokens([{ token, description: { name: "Gold", symbol: "G", decimals: 0 } }]))
      await store.run(writer.recordOrigins([{ token, origin: { txHash: hash("made"), time: 1 } }]))
      expect((await touched(since))?.tokens.size).toBe(0)
      await append("a", transfer(salt, zero, zero, 1n))
      expect(await touched(since)).toEqual({ point: await newest(chainId), tokens: new Map([[salt, new Set([zero])]]) })
    })

    test("after a rollback, a heal or a change of rules nothing is told, nor from a block that is another now", async () => {
      const one = await open()
      await one.append("a")
      await store.run(one.writer.rollback(1))
      one.chain.truncate(1)
      await one.append("b")
      expect(await touched(one.since)).toBeUndefined()
      const known = await newest(one.chainId)
      expect((await touched(known))?.tokens.size).toBe(0)
      expect(await touched({ ...known, hash: hash("another") })).toBeUndefined()
      expect(await touched({ ...known, blockNumber: known.blockNumber + 1 })).toBeUndefined()
      await one.append("c")
      const later = await newest(one.chainId)
      expect((await touched(known, later))?.point).toEqual(later)
      expect(await touched(known, { ...later, hash: hash("another") })).toBeUndefined()
      expect(await touched({ ...known, hash: hash("another") }, later)).toBeUndefined()
      expect(await touched(known, { ...later, blockNumber: later.blockNumber + 1 })).toBeUndefined()
      await one.append("d")
      const last = await newest(one.chainId)
      expect((await touched(known, later, last))?.point).toEqual(last)
      expect(await touched(known, { ...later, hash: hash("another") }, last)).toBeUndefined()
      expect(await touched(known, { ...last, blockNumber: last.blockNumber + 1 }, later)).toBeUndefined()

      const two = await open()
      await store.run(two.writer.letZeroAddressHold([born(two.chain)]))
      expect(await touched(two.since)).toBeUndefined()

      const three = await open()
      three.chain.block([transfer(gold, zero, address(2), 1n)])
      await store.run(three.writer.append({ ...three.chain.segment(1), movements: [] }))
      expect((await touched(three.since))?.tokens.size).toBe(0)
      const { movements, header } = three.chain.blocks[1]!
      await store.run(three.writer.heal({ movements, nfts: [], odd: [], headers: [header] }))
      expect(await touched(three.since)).toBeUndefined()
    })
  })
