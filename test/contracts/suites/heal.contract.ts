/** LedgerWriter.heal: whatever was left out, and whenever it is taken in, the ledger is one that never missed it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import fc from "fast-check"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { type AuditRecord, AuditStore } from "../../../src/ports/AuditStore.ts"
import type { LedgerWriter, MissingRows } from "../../../src/ports/Ledger.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { address, hash, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"
import { butOwn } from "./burnt.contract.ts"

/** A log, by its place. */
type Place = { readonly blockNumber: number; readonly logIndex: number }
const keyOf = ({ blockNumber, logIndex }: Place) => `${blockNumber} ${logIndex}`

/** One in three logs is left out. */
const losses = fc.infiniteStream(fc.integer({ min: 0, max: 2 }).map((it) => it === 0))
const blocks = (minLength: number, maxLength: number) => fc.array(anyBlock, { minLength, maxLength })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: blocks(1, 6) }) },
  { weight: 1, arbitrary: fc.record({ append: blocks(12, 20) }) },
  { weight: 1, arbitrary: fc.record({ rollback: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.constant("heal" as const) },
)

export const healContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Healing on ${name}`, () => {
    let store: TestStore
    let reference: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
      reference = await openStore(async () => MemoryStore.layer)
    })
    afterAll(() => Promise.all([store.close(), reference.close()]))

    /** All of the chain's rows that are among `lost`, or all of them. */
    const missingOf = (chain: TestChain, lost?: ReadonlySet<string>): MissingRows => {
      const isMissing = (row: Place) => lost === undefined || lost.has(keyOf(row))
      return {
        movements: chain.blocks.flatMap(({ movements }) => movements.filter(isMissing)),
        nfts: chain.blocks.flatMap(({ nfts }) => nfts.filter(isMissing)),
        odd: chain.blocks.flatMap(({ odd }) => odd.filter((log) => log.hasRows && isMissing(log))),
        headers: chain.blocks.map(({ header }) => header),
      }
    }
    /** The chain's blocks from there on as a node gives them that keeps those logs back. */
    const withoutLost = (chain: TestChain, from: number, lost: ReadonlySet<string>) => {
      const segment = chain.segment(from)
      const isGiven = (row: Place) => !lost.has(keyOf(row))
      const odd = segment.odd?.filter((log) => !log.hasRows || isGiven(log)) ?? []
      return { ...segment, movements: segment.movements.filter(isGiven), nfts: segment.nfts.filter(isGiven), odd }
    }

    test("among any appends and rollbacks, in any parts, it ends as a ledger that got every log at once", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), losses, async (steps, isLost) => {
          const chain = anyChain()
          const chainId = freshChainId()
          const writer = await store.open({ chainId, ...anyChainSettings })
          const lost = new Set<string>()
          let salt = 0
          for (const next of [...steps, { append: [{ events: [], pause: 12 }] }, "heal" as const]) {
            const from = chain.nextBlock
            if (next === "heal") {
              if (lost.size === 0) continue
              // Half of it first, so that another part comes to a ledger that was healed before.
              const half = new Set([...lost].filter((_, place) => place % 2 === 0))
              await store.run(writer.heal(missingOf(chain, half)))
              await store.run(writer.heal(missingOf(chain, lost)))
              lost.clear()
            } else if ("append" in next) {
              for (const { events, pause } of next.append) {
                const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
                chain.block(events, { salt: String(salt), time })
                for (const log of chain.blocks.at(-1)!.logs) if (isLost.next().value) lost.add(keyOf(log))
              }
              await store.run(writer.append(withoutLost(chain, from, lost)))
            } else {
              const fromBlock = Math.max(0, from - next.rollback)
              await store.run(writer.rollback(fromBlock))
              chain.truncate(fromBlock)
              for (const key of lost) if (Number(key.split(" ")[0]) >= fromBlock) lost.delete(key)
              salt++
            }
          }
          await seed(reference, chain, chainId)
          expect(await contentOf(store, chainId, chain)).toEqual(await contentOf(reference, chainId, chain))
          // And it goes on as such: what comes later meets the same ledger.
          chain.block([transfer(address(0x72), address(1), address(2 ** 40 + 0xa1), 3n)])
          await store.run(writer.append(chain.segment(chain.nextBlock - 1)))
          const back = Math.max(0, chain.nextBlock - 4)
          await store.run(writer.rollback(back))
          chain.truncate(back)
          if (back === 0) return
          const other = freshChainId()
          await seed(reference, chain, other)
          const [content, wanted] = [await contentOf(store, chainId, chain), await contentOf(reference, other, chain)]
          expect(JSON.parse(text(content, chainId))).toEqual(JSON.parse(text(wanted, other)))
        }),
        { numRuns },
      )
    })

    const text = (content: unknown, chainId: string) =>
      JSON.stringify(content, (_, value) => (typeof value === "bigint" ? String(value) : value)).replaceAll(
        `"${chainId}"`,
        '"chain"',
      )

    test("what is there already, an open append, another header and blocks to come are left alone", async () => {
      const token = address(0x7e)
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, address(0xa), 9n)])
        .block([transfer(token, address(0xa), address(0xb), 4n), nftTransfer(token, zeroAddress, address(0xa), 7n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const before = await contentOf(store, chainId, chain)
      expect(await store.run(writer.heal(missingOf(chain)))).toBe(0)
      const refused = (missing: MissingRows) =>
        store.run(Effect.flip(writer.heal(missing))).then(({ _tag }) => expect(_tag).toBe("SegmentRefused"))
      const whole = missingOf(chain)
      await refused({ ...whole, headers: whole.headers.map((header) => ({ ...header, hash: hash("another") })) })
      await refused({ ...whole, headers: [] })
      chain.block([transfer(token, address(0xa), address(0xb), 1n)])
      await refused(missingOf(chain))
      expect(await contentOf(store, chainId, chain.truncate(2))).toEqual(before)
      chain.block([])
      await store.run(writer.extend(chain.segment(2)))
      await refused(whole)
      await store.run(writer.discard)
    })

    test("of a token that burns nothing what was missed goes to the zero address, whichever is found first", async () => {
      const token = address(0x7e)
      const [alice, bob] = [address(0xa), address(0xb)]
      const chain = new TestChain()
      // The same where it is known from the start.
      const known = new TestChain(new Set([token]))
      for (const it of [chain, known]) {
        it.block([transfer(token, zeroAddress, alice, 90n)])
          .block([transfer(token, alice, zeroAddress, 4n), transfer(token, alice, bob, 1n)])
          .block([transfer(token, alice, zeroAddress, 5n)])
          .block([
            ...[transfer(token, zeroAddress, bob, 2n), transfer(token, bob, zeroAddress, 1n)],
            ...[transfer(token, token, zeroAddress, 3n), transfer(token, token, zeroAddress, 7n)],
          ])
      }
      const lost = new Set(["1 0", "3 1", "3 3"])
      const first = chain.blocks[0]!.movements[0]!
      const born = {
        standard: "erc20" as const,
        address: token,
        firstBlock: 0,
        firstLogIndex: 0,
        firstTxHash: first.txHash,
      }
      for (const [sentToZero, ...order] of [
        ["kept", "keep", "heal"] as const,
        ["kept", "heal", "keep"] as const,
        ["keptButOwn", "keep", "heal"] as const,
        ["keptButOwn", "heal", "keep"] as const,
      ]) {
        const chainId = freshChainId()
        const writer = await store.open({ chainId })
        await store.run(writer.append(withoutLost(chain, 0, lost)))
        for (const work of order) {
          if (work === "keep") await store.run(writer.letZeroAddressHold([{ ...born, sentToZero }]))
          else expect(await store.run(writer.heal(missingOf(chain, lost)))).toBe(3)
        }
        await seed(reference, sentToZero === "kept" ? known : butOwn(known, token), chainId)
        expect(await contentOf(store, chainId, known)).toEqual(await contentOf(reference, chainId, known))
      }
    })

    test("what was learned of a token stays, and its beginning moves to its first log", async () => {
      const token = address(0x7e)
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, address(0xa), 9n)])
        .block([transfer(token, address(0xa), address(0xb), 4n)])
      const chainId = freshChainId()
      const writer: LedgerWriter = await store.open({ chainId })
      const lost = new Set(["0 0"])
      await store.run(writer.append(withoutLost(chain, 0, lost)))
      const [late] = await store.run(writer.listUndescribedTokens(10))
      await store.run(
        writer.describeTokens([{ token: late!, description: { name: "Coin", symbol: "C", decimals: 6 } }]),
      )
      await store.run(writer.recordOrigins([{ token: late!, origin: {} }]))
      expect(await store.run(writer.heal(missingOf(chain, lost)))).toBe(1)
      expect(await store.run(writer.listUndescribedTokens(10))).toEqual([])
      // Nothing was found of its creation by its second log: its first may tell.
      expect(await store.run(writer.listTokensWithoutOrigin(10))).toMatchObject([{ address: token, firstBlock: 0 }])
    })

    test("the audit's records become what is told with the rows, where they come in and the record is the very one", async () => {
      const [token, other] = [address(0x7e), address(0x7f)]
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, address(0xa), 9n)])
        .block([transfer(token, address(0xa), address(0xb), 4n), transfer(other, zeroAddress, address(0xa), 4n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      // With it the token begins earlier.
      const lost = new Set(["0 0"])
      await store.run(writer.append(withoutLost(chain, 0, lost)))
      const read = AuditStore.use((audits) =>
        audits.sample(chainId, { tokens: [token, other] }, { top: 0, recent: 0, places: [] }),
      ).pipe(Effect.map(({ value }) => value))
      const difference = { of: "supply", ledger: "0", node: "9" } as const
      const whole = { from: 0, to: 1 }
      const compared: AuditRecord = {
        ...{ state: "drift", blockNumber: 1, time: 7, compared: 3, watched: [], difference },
        ...{ differed: { from: 1, to: 1 }, logs: { from: 1, to: 1 }, reason: "before" },
      }
      const record = (await store.run(read)).map(({ token }) => ({ token, record: compared }))
      await store.run(AuditStore.use((audits) => audits.record(chainId, record)))
      const records = () => store.run(read).then((samples) => samples.map(({ last }) => last))
      const told = {
        state: "drift",
        blockNumber: 1,
        reason: "\0 after",
        healed: { from: 0, to: 0 },
        logs: whole,
      } as const
      const audits = [
        { standard: "erc20", address: token, record: told },
        { standard: "erc20", address: other, record: { ...told, blockNumber: 0 } },
        { standard: "erc20", address: other, record: { ...told, state: "exact" } },
        { standard: "erc721", address: token, record: told },
      ] as const
      expect(await store.run(writer.heal({ ...missingOf(chain, new Set(["1 0"])), audits }))).toBe(0)
      expect(await records()).toEqual([compared, compared])
      expect(await store.run(writer.heal({ ...missingOf(chain, lost), audits }))).toBe(1)
      const { differed: _, ...kept } = compared
      const [healed, ...others] = await records()
      expect(healed).toEqual({ ...kept, ...told, reason: expect.stringContaining(" after") })
      expect(others).toEqual([compared])
      expect(await store.run(AuditStore.use((it) => it.counts(chainId)))).toMatchObject({ drift: 2, exact: 0 })
    })
  })
