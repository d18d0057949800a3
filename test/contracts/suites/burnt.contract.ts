/** LedgerWriter.letZeroAddressHold: whenever it is found that a token burns nothing, the ledger is as if it had been known from the start. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import fc from "fast-check"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { compareTokens } from "../../../src/domain/audit/compare.ts"
import { burnAccount } from "../../../src/model/event.ts"
import { endOfBlock } from "../../../src/model/events/place.ts"
import { type Address, zeroAddress } from "../../../src/model/primitives.ts"
import { AuditStore } from "../../../src/ports/AuditStore.ts"
import { EventStore } from "../../../src/ports/EventStore.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { TokenHistories } from "../../../src/ports/TokenHistories.ts"
import { TokenViews } from "../../../src/ports/TokenViews.ts"
import { address, deposit, hash, TestChain, transfer, withdrawal } from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"

const keeper = address(0x7e)
const other = address(0x7f)
const weth = address(0x71)
const people = [zeroAddress, zeroAddress, address(0xa), address(2 ** 40 + 0xa1), address(0xb), keeper]

const person = fc.constantFrom(...people)
const event = fc
  .tuple(fc.constantFrom(keeper, keeper, other), person, person, fc.constantFrom(0n, 1n, 7n, 2n ** 200n))
  .map(([token, from, to, amount]) => transfer(token, from, to, amount))
const rule = fc.constantFrom("kept" as const, "keptButOwn" as const)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ append: fc.array(fc.array(event, { maxLength: 4 }), { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ rollback: fc.nat(8) }) },
  { weight: 2, arbitrary: rule },
)

/** Of a chain on which the zero address holds whatever is sent there, one on which it holds all but what the token itself sends. */
export const butOwn = (chain: TestChain, token: Address): TestChain => {
  for (const block of chain.blocks) {
    const movements = block.movements.map((it) =>
      it.token === token && it.debit === token && it.credit === zeroAddress ? { ...it, credit: burnAccount } : it,
    )
    Object.assign(block, { movements })
  }
  return chain
}

export const burntContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Tokens that burn nothing on ${name}`, () => {
    let store: TestStore
    let reference: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
      reference = await openStore(async () => MemoryStore.layer)
    })
    afterAll(() => Promise.all([store.close(), reference.close()]))

    /** The birth of the token on the chain; none before its first transfer. */
    const bornOn = (chain: TestChain, token: Address) => {
      const first = chain.blocks.flatMap(({ movements }) => movements).find((movement) => movement.token === token)
      return first === undefined
        ? []
        : [
            {
              standard: "erc20" as const,
              address: token,
              firstBlock: first.blockNumber,
              firstLogIndex: first.logIndex,
              firstTxHash: first.txHash,
            },
          ]
    }

    test("among any appends and rollbacks, found at any time and again, the zero address is a holder like any other, at every block", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), rule, async (steps, sentToZero) => {
          const chain = new TestChain()
          // The same blocks on a chain where it is known from the start.
          const known = new TestChain(new Set([keeper]))
          const chainId = freshChainId()
          const writer = await store.open({ chainId })
          let salt = 0
          const grow = async (blocks: ReadonlyArray<ReadonlyArray<ReturnType<typeof transfer>>>) => {
            const from = chain.nextBlock
            for (const events of blocks) for (const it of [chain, known]) it.block(events, { salt: String(salt) })
            await store.run(writer.append(chain.segment(from)))
          }
          for (const next of [
            ...steps,
            { append: [[transfer(keeper, address(0xa), zeroAddress, 1n), transfer(keeper, keeper, zeroAddress, 1n)]] },
            sentToZero,
          ]) {
            if (typeof next === "string")
              await store.run(
                writer.letZeroAddressHold(bornOn(chain, keeper).map((it) => ({ ...it, sentToZero: next }))),
              )
            else if ("append" in next) await grow(next.append)
            else {
              const fromBlock = Math.max(0, chain.nextBlock - next.rollback)
              await store.run(writer.rollback(fromBlock))
              for (const it of [chain, known]) it.truncate(fromBlock)
              salt++
            }
          }
          await grow([
            [transfer(keeper, zeroAddress, address(0xb), 3n), transfer(keeper, address(0xb), zeroAddress, 2n)],
            [transfer(keeper, keeper, zeroAddress, 2n)],
          ])
          await seed(reference, sentToZero === "kept" ? known : butOwn(known, keeper), chainId)
          expect(await contentOf(store, chainId, known)).toEqual(await contentOf(reference, chainId, known))
        }),
        { numRuns },
      )
    })

    test("another birth of the token, another standard, wrapped native and an open append change nothing", async () => {
      const chain = new TestChain(new Set([weth]))
        .block([transfer(keeper, zeroAddress, address(0xa), 9n), deposit(weth, address(0xa), 5n)])
        .block([transfer(keeper, address(0xa), zeroAddress, 4n), withdrawal(weth, address(0xa), 2n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId, wrappedNative: [weth] })
      await store.run(writer.append(chain.segment(0)))
      const before = await contentOf(store, chainId, chain)
      const [born] = bornOn(chain, keeper)
      await store.run(
        writer.letZeroAddressHold([
          { ...born!, firstBlock: 1 },
          { ...born!, standard: "erc721" },
          { ...born!, address: other, firstTxHash: hash("none") },
          ...bornOn(chain, weth),
        ]),
      )
      expect(await contentOf(store, chainId, chain)).toEqual(before)
      chain.block([transfer(keeper, address(0xa), zeroAddress, 1n)])
      await store.run(writer.extend(chain.segment(2)))
      const refused = await store.run(Effect.flip(writer.letZeroAddressHold([born!])))
      expect(refused._tag).toBe("SegmentRefused")
      await store.run(writer.discard)
    })

    test("whoever walks as of a block from the token's first on is told as after a rollback, and consumers of events hear nothing", async () => {
      const chain = new TestChain()
        .block([transfer(other, zeroAddress, address(0xa), 5n)])
        .block([transfer(keeper, zeroAddress, address(0xa), 9n)])
        .block([transfer(keeper, address(0xa), zeroAddress, 4n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const pinsAt = async (blockNumber: number, rollbacks: number) => {
        const page = { limit: 5, rollbacks }
        const what = { of: "supply", token: keeper } as const
        const ask = { chainId, token: keeper, page, count: false, blockNumber }
        const after = { ...page, after: { blockNumber } }
        const history = { chainId, what, range: {}, direction: "desc", count: false, page: after } as const
        return [
          (await store.run(HolderStore.use((s) => s.list("erc20", ask)))).value.pin,
          (await store.run(TokenHistories.use((s) => s.versions(history)))).value.pin,
        ]
      }
      const read = (since: number) =>
        store.run(EventStore.use((s) => s.read({ chainId, from: endOfBlock(2), limit: 10, filter: {}, since })))
      const [born] = bornOn(chain, keeper)
      await store.run(writer.letZeroAddressHold([...bornOn(chain, weth), { ...born!, firstBlock: 2 }]))
      expect(await pinsAt(2, 0)).toEqual([0, 0].map(() => ({ rollbacks: 0, replaced: false })))
      for (let again = 0; again < 2; again++) {
        await store.run(writer.letZeroAddressHold([born!]))
        expect(await pinsAt(2, 0)).toEqual([0, 0].map(() => ({ rollbacks: 1, replaced: true })))
        expect((await pinsAt(0, 0))[0]).toEqual({ rollbacks: 1, replaced: false })
        expect((await pinsAt(2, 1))[0]).toEqual({ rollbacks: 1, replaced: false })
      }
      const slice = (await read(0))!
      expect(slice.mark.corrections).toBe(1)
      expect([...(slice.correction?.removed ?? []), ...(slice.correction?.added ?? []), ...slice.events]).toEqual([])
      await store.run(writer.append(chain.block([transfer(keeper, address(0xa), zeroAddress, 1n)]).segment(3)))
      expect(await pinsAt(3, 1)).toEqual([0, 0].map(() => ({ rollbacks: 1, replaced: false })))
    })

    test("what a contract sends to the zero address itself is burnt or kept as its own supply tells, at each look", async () => {
      const chain = new TestChain()
      const alice = address(0xa)
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const grow = async (...events: ReadonlyArray<ReturnType<typeof transfer>>) => {
        chain.block(events)
        await store.run(writer.append(chain.segment(chain.nextBlock - 1)))
      }
      /** The contract itself, of which the zero address has what it was sent by others, or all. */
      const truthOf = (keepsOwn: boolean, of: string, holder?: Address): bigint => {
        const moved = chain.blocks.flatMap(({ movements }) => movements)
        const sum = (is: (it: { readonly from: Address; readonly to: Address }) => boolean) =>
          moved.filter((it) => "from" in it && is(it as never)).reduce((total, { amount }) => total + amount, 0n)
        const burnt = keepsOwn ? 0n : sum(({ from, to }) => from === keeper && to === zeroAddress)
        if (of === "supply") return sum(({ from }) => from === zeroAddress) - burnt
        const got = sum(({ to }) => to === holder) - (holder === zeroAddress ? burnt : 0n)
        return got - (holder === zeroAddress ? 0n : sum(({ from }) => from === holder))
      }
      const look = async (keepsOwn: boolean) => {
        const views = TokenViews.of({
          ask: (_, questions) =>
            Effect.succeed(questions.map((it) => truthOf(keepsOwn, it.of, "holder" in it ? it.holder : undefined))),
          perCall: () => 100,
        })
        const breadth = { top: 5, recent: 5, places: [] }
        const compare = AuditStore.use((audits) => audits.sample(chainId, { tokens: [keeper] }, breadth)).pipe(
          Effect.flatMap((sample) =>
            compareTokens(sample, (tokens) => Effect.as(writer.letZeroAddressHold(tokens), true)),
          ),
          Effect.provideService(TokenViews, views),
        )
        const [audited] = await store.run(compare)
        const what = { of: "supply", token: keeper } as const
        const history = { chainId, what, range: {}, direction: "asc", count: false, page: { limit: 50 } } as const
        const { items } = (await store.run(TokenHistories.use((s) => s.versions(history)))).value
        return [audited!.record.state, ...items.map(({ balance, transactions }) => `${balance} ${transactions.length}`)]
      }
      await grow(transfer(keeper, zeroAddress, zeroAddress, 10n), transfer(keeper, zeroAddress, alice, 90n))
      await grow(transfer(keeper, alice, zeroAddress, 20n))
      expect(await look(false)).toEqual(["exact", "100 2"])
      await grow(transfer(keeper, alice, keeper, 30n), transfer(keeper, keeper, zeroAddress, 30n))
      await grow(transfer(keeper, alice, zeroAddress, 1n))
      expect(await look(false)).toEqual(["exact", "100 2", "70 1"])
      const sent = (blockNumber: number) =>
        Promise.all(
          [alice, keeper].map((token) =>
            store.run(AuditStore.use((it) => it.sentByItself(chainId, token, blockNumber))),
          ),
        )
      expect([await sent(1), await sent(2), await sent(9)]).toEqual([
        [0n, 0n],
        [0n, 30n],
        [0n, 30n],
      ])
      // As a ledger has it that knew of all or nothing.
      await store.run(writer.letZeroAddressHold(bornOn(chain, keeper)))
      await grow(transfer(keeper, keeper, zeroAddress, 0n))
      expect(await look(false)).toEqual(["exact", "100 2", "70 1", "70 1"])
      // Another contract that says the same in its logs, and keeps all.
      expect(await look(true)).toEqual(["exact", "100 2"])
      expect(await look(false)).toEqual(["exact", "100 2", "70 1", "70 1"])
      await store.run(writer.rollback(2))
      chain.truncate(2)
      await grow(transfer(keeper, alice, keeper, 5n), transfer(keeper, keeper, zeroAddress, 5n))
      expect(await look(false)).toEqual(["exact", "100 2", "95 1"])
    })
  })
