/** The LedgerLogs port's contract: what the chain's logs were, to the byte, for any filter and page, through rollbacks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { randomOf } from "../../../../demo/chain/random.ts"
import { approvalTopics, topics as signatures } from "../../../../src/domain/ingest/decode/topics.ts"
import type { Log } from "../../../../src/model/block.ts"
import type { ChainId } from "../../../../src/model/primitives.ts"
import { type LedgerLogFilter, LedgerLogs } from "../../../../src/ports/LedgerLogs.ts"
import { anyBlock, anyChain, anyChainSettings, weth } from "../../../support/chain/anyEvents.ts"
import {
  address,
  approval,
  idApproval,
  operatorApproval,
  type TestChain,
  type TestEvent,
} from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const ofWrapped: ReadonlySet<string> = new Set([signatures.deposit, signatures.withdrawal])
const followed: ReadonlyArray<string> = [...Object.values(signatures), ...Object.values(approvalTopics)]
const [coin, alice, bob] = [address(0x75), address(0xa), address(0xb)]
const allowed: ReadonlyArray<TestEvent> = [
  approval(coin, alice, bob, 5n),
  idApproval(coin, alice, bob, 9n),
  operatorApproval(coin, alice, bob, true),
]

const random = randomOf(4)

/** Of the chain's logs as they were told. */
const wantedOf = (chain: TestChain, { signature, address, topics, match, fromBlock, toBlock }: LedgerLogFilter) =>
  chain.blocks
    .flatMap(({ logs }) => logs)
    .filter((log) => {
      const fits = topics.flatMap((topic, at) => (topic === undefined ? [] : [log.topics[at + 1] === topic]))
      const isIn = log.blockNumber >= fromBlock && log.blockNumber <= (toBlock ?? log.blockNumber)
      const isOne = log.topics[0] === signature && (address === undefined || log.address === address) && isIn
      return isOne && (match === "all" || fits.length === 0 ? !fits.includes(false) : fits.includes(true))
    })

const filterLike = (logs: ReadonlyArray<Log>, head: number): LedgerLogFilter => {
  const some = random.pick(logs.filter(({ topics }) => followed.includes(topics[0]!)))
  const another = random.pick(logs)
  const isWrapped = ofWrapped.has(some.topics[0]!)
  const topics = [1, 2, 3].map((place) =>
    random.chance(0.6) ? undefined : (random.chance(0.3) ? another : some).topics[place],
  )
  const from = random.chance(0.3) ? random.below(head) : 0
  return {
    signature: some.topics[0]!,
    ...(isWrapped ? { address: weth } : random.chance(0.5) ? { address: some.address } : {}),
    topics: topics as unknown as LedgerLogFilter["topics"],
    match: random.pick(["all", "any"]),
    fromBlock: from,
    ...(random.chance(0.3) && { toBlock: from + random.below(6) }),
  }
}

export const ledgerLogsContract = (name: string, makeStore: MakeStore, histories: number) =>
  describe(`Logs of the ledger on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const find = (chainId: ChainId, filter: LedgerLogFilter, skip: number, take: number) =>
      store.run(LedgerLogs.use((logs) => logs.find(chainId, filter, { skip, take })))

    const compare = async (chainId: ChainId, chain: TestChain, questions: number) => {
      const logs = chain.blocks.flatMap((block) => block.logs)
      if (!logs.some(({ topics }) => followed.includes(topics[0]!))) return 0
      let compared = 0
      for (let count = 0; count < questions; count++) {
        const filter = filterLike(logs, chain.nextBlock)
        const [skip, take] = random.chance(0.5) ? [0, 1000] : [random.below(4), 1 + random.below(4)]
        const { asOf, value } = await find(chainId, filter, skip, take)
        const wanted = wantedOf(chain, filter).slice(skip, skip + take)
        const times = new Map(chain.blocks.map(({ header }) => [header.number, header.time]))
        const told = value.logs!.map(({ blockHash: _, time, ...log }) => ({
          ...log,
          time: time ?? times.get(log.blockNumber),
        }))
        const expected = wanted.map(({ blockHash: _, data, ...log }) => ({
          ...log,
          data: data || "0x",
          time: times.get(log.blockNumber),
        }))
        expect([filter, skip, take, told]).toEqual([filter, skip, take, expected] as never)
        // A hash is told where the block may be taken back, and is that of the block.
        for (const [place, { blockHash }] of value.logs!.entries())
          if (blockHash !== undefined) expect(blockHash).toBe(wanted[place]!.blockHash)
        expect(asOf[0]!.blockNumber).toBe(chain.nextBlock - 1)
        expect(value.coverage).toEqual({ fromBlock: 0, wrappedNative: [weth], approvals: true })
        compared += wanted.length
      }
      return compared
    }

    test("are the chain's own, before and after a rollback", async () => {
      let compared = 0
      const chains = fc.sample(fc.array(anyBlock, { minLength: 6, maxLength: 12 }), { numRuns: histories, seed: 7 })
      for (const blocks of chains) {
        const chainId = freshChainId()
        const writer = await store.open({ chainId, ...anyChainSettings, approvals: true })
        const chain = anyChain()
        for (const { events } of blocks) chain.block([...events, ...(random.chance(0.3) ? allowed : [])])
        await store.run(writer.append(chain.segment(0)))
        compared += await compare(chainId, chain, 25)
        const cut = chain.nextBlock - 1 - random.below(3)
        await store.run(writer.rollback(cut))
        chain.blocks.splice(cut)
        for (const { events } of blocks.slice(0, 2)) chain.block(events, { salt: "other" })
        await store.run(writer.append(chain.segment(cut)))
        compared += await compare(chainId, chain, 15)
      }
      expect(compared).toBeGreaterThan(30 * histories)
    })

    test("of a chain that nobody opened there are none, and nothing is said of it", async () => {
      const filter = { signature: signatures.transfer, topics: [], match: "all", fromBlock: 0 } as const
      expect((await find(freshChainId(), filter, 0, 10)).value).toEqual({})
    })
  })
