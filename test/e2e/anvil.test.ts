/** The judge: what the whole service says of a chain, against what a real node says of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { chainPath, compareFeeds, compareHistory, compareState, walk } from "../support/judge.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"
import { startSlowNode } from "../support/slowNode.ts"
import { type Stage, setStage } from "../support/stage.ts"
import { askNode, nobody, type Truth } from "../support/truth.ts"

/** Blocks of traffic, half of them mined before the service starts. */
const blocks = Number(process.env.ANVIL_BLOCKS ?? 60)
const patience = 60_000 + blocks * 3_000

/** Everyone who was ever sent anything, and the zero address. */
const everyoneOf = ({ transfers }: Truth) => [...new Set([nobody, ...transfers.flatMap(({ from, to }) => [from, to])])]

/** All of it: every token and everyone at each of these blocks (by default every one), holder lists, counts, holdings, feeds. */
const expectAgreement = async (service: Service, stage: Stage, some?: (block: number) => boolean) => {
  const truth = await stage.truth()
  const asked = Array.from({ length: truth.head.number + 1 }, (_, block) => block).filter(some ?? (() => true))
  const people = everyoneOf(truth)
  const history = await compareHistory(service, stage.node.url, stage.strange.census, asked, stage.honest, people)
  expect(history.differences).toEqual([])
  expect(history.compared).toBe(asked.length * stage.honest.length * (people.length + 1))
  expect((await compareState(service, truth)).differences).toEqual([])
  expect((await compareFeeds(service, truth)).differences).toEqual([])
}

describe("a chain of varied traffic, half of it there before the service", () => {
  let stage: Stage
  let service: Service

  beforeAll(async () => {
    stage = await setStage(1)
    await stage.play(blocks / 2)
    service = await startService({ ...stage.env, DATABASE_URL: await testDatabase() })
    await service.indexed("31337", await stage.headHash())
    for (let mined = 0; mined < blocks / 2; mined++) {
      await stage.play(1)
      if (mined % 3 === 0) await service.indexed("31337", await stage.headHash())
    }
    await service.indexed("31337", await stage.headHash())
  }, patience)

  afterAll(async () => {
    await service?.stop()
    await stage?.node.stop()
  })

  test("its logs, folded, are what the node says", async () => {
    const truth = await stage.truth()
    const people = everyoneOf(truth)
    const [node] = await askNode(stage.node.url, stage.strange.census, [truth.head.number], stage.honest, people)
    for (const token of stage.honest) {
      const folded = truth.tokens.get(token)!
      expect(folded.supply).toBe(node!.supply(token))
      expect(people.map((holder) => folded.balances.get(holder) ?? 0n)).toEqual(
        people.map((holder) => node!.balance(token, holder)),
      )
    }
  })

  test("is answered as the node answers, at every block", () => expectAgreement(service, stage), patience)

  test("has its tokens described in their own words, cleaned", async () => {
    type Token = { address: string; name?: string; symbol?: string; decimals?: number }
    const described = new Map<string, unknown>()
    // Descriptions come in the background.
    for (; described.size < stage.honest.length; await pause(25))
      for (const { address, name, symbol, decimals } of await walk<Token>(service, `${chainPath}/erc20`))
        if (decimals !== undefined && stage.honest.includes(address)) described.set(address, { name, symbol, decimals })
    const { ticket, dollar, shell, colossus, old, toll, wrapped } = stage.chain.tokens
    expect(Object.fromEntries(described)).toEqual({
      [ticket]: { name: "Night Train Ticket", symbol: "TICKET", decimals: 0 },
      [dollar]: { name: "Demo Dollar", symbol: "USDD", decimals: 6 },
      [shell]: { name: "Cowry Shell", symbol: "SHELL", decimals: 18 },
      [colossus]: { name: "Colossus", symbol: "HUGE", decimals: 18 },
      [old]: { name: "Old Maker", symbol: "OLD", decimals: 18 },
      [toll]: { name: "Toll Coin", symbol: "TOLL", decimals: 18 },
      [wrapped]: { name: "Wrapped Ether", symbol: "WETH", decimals: 18 },
      [stage.strange.nameless]: { decimals: 18 },
      [stage.strange.garbled]: { name: "Garbled\uFFFD\uFFFD(", symbol: "g".repeat(256), decimals: 18 },
    })
  }, 20_000)

  test(
    "is answered as the node answers after blocks were replaced by others with other transactions",
    async () => {
      await stage.node.reorg(4, stage.next())
      await service.indexed("31337", await stage.headHash())
      const snapshot = await stage.node.snapshot()
      await stage.play(5)
      await service.indexed("31337", await stage.headHash())
      await stage.node.revert(snapshot)
      await stage.play(8)
      await service.indexed("31337", await stage.headHash())
      const { head } = await stage.truth()
      await expectAgreement(service, stage, (block) => block > head.number - 20)
    },
    patience,
  )

  test("SIGTERM ends the service with 0", async () => {
    expect(await service.stop()).toBe(0)
  })
})

describe("a service killed in the middle of its backfill", () => {
  test(
    "goes on after each restart and ends with the node's answers",
    async () => {
      const stage = await setStage(2)
      const slow = await startSlowNode(stage.node.url, 10, 40)
      const database = await testDatabase()
      const env = { ...stage.env, RPC_URL_31337: slow.url, RPC_CONCURRENCY_31337: "1", DATABASE_URL: database }
      let service: Service | undefined
      try {
        await stage.play(400)
        const { head } = await stage.truth()
        for (const given of [100, 250]) {
          service = await startService(env)
          while (slow.newest() < given) await pause(5)
          await service.stop("SIGKILL")
          expect(slow.newest()).toBeLessThan(head.number - 64)
        }
        service = await startService(env)
        await service.indexed("31337", head.hash)
        await expectAgreement(service, stage, (block) => block % 200 === 2 || block === head.number)
      } finally {
        await service?.stop()
        slow.stop()
        await stage.node.stop()
      }
    },
    patience + 60_000,
  )
})
