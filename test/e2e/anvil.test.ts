/** The judge: what the whole service says of a chain, against what a real node says of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { askKnown } from "../support/chain/known.ts"
import { type Stage, setStage } from "../support/chain/stage.ts"
import { varietyOf } from "../support/chain/variety.ts"
import { compareFold, compareHistory, compareState } from "../support/judge/judge.ts"
import { compareLists, settled } from "../support/judge/listJudge.ts"
import { nobody, type Truth } from "../support/judge/truth.ts"
import { compareWallets } from "../support/judge/walletJudge.ts"
import { askAmounts, askNode, askOwners } from "../support/nodes/census.ts"
import { startSlowNode } from "../support/nodes/slowNode.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

/** Blocks of traffic, half of them mined before the service starts. */
const blocks = Number(process.env.ANVIL_BLOCKS ?? 60)
/** In how many of the three ways of paging every list is walked, and then every block asked about; 0 = a few of each. */
const ways = Number(process.env.ANVIL_WAYS ?? 0)
const testTimeoutMs = 60_000 + blocks * 3_000

/** Everyone who was ever sent anything, and the zero address. */
const everyoneOf = ({ rows }: Truth) => [
  ...new Set([nobody, ...Object.values(rows).flatMap((all) => all.flatMap(({ from, to }) => [from, to]))]),
]

const allLimits = [1, 7, 100, 1000]
/** Where only a few of each are walked. */
const someLimits = [1, 100]

/** All of it: every token and everyone at each of these blocks, every list, all of the other actions. */
const expectAgreement = async (
  service: Service,
  stage: Stage,
  isAsked: (block: number) => boolean,
  limits: ReadonlyArray<number>,
) => {
  const truth = await stage.truth()
  const known = await askKnown(stage, truth)
  const asked = Array.from({ length: truth.head.number + 1 }, (_, block) => block).filter(isAsked)
  const { node, strange, honest } = stage
  const people = everyoneOf({ ...truth, rows: { ...truth.rows, erc721: [], erc1155: [] } })
  const history = await compareHistory(service, node.url, strange.census, asked, honest, people)
  expect(history.differences).toEqual([])
  expect(history.compared).toBe(asked.length * honest.length * (people.length + 1))
  // A contract that is also an ERC-20 answers `balanceOf` for that.
  const collections = stage.collections.filter((address) => !truth.tokens.has(address))
  const owners = [...new Set(truth.rows.erc721.flatMap(({ from, to }) => [from, to]))].filter((it) => it !== nobody)
  const counts = await compareHistory(service, node.url, strange.census, asked, collections, owners, false)
  expect(counts.differences).toEqual([])
  expect(counts.compared).toBe(asked.length * collections.length * owners.length)
  const sample = asked.filter((_, index) => index % Math.ceil(asked.length / 10) === 0)
  expect((await compareFold(service, truth, sample)).differences).toEqual([])
  await settled(service, truth, known)
  expect((await compareState(service, truth, known)).differences).toEqual([])
  expect((await compareLists(service, truth, known, ways > 0 ? allLimits : limits, ways)).differences).toEqual([])
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
  }, testTimeoutMs)

  afterAll(async () => {
    await service?.stop()
    await stage?.node.stop()
  })

  test("it holds everything that can go wrong", async () => {
    const variety = await varietyOf(stage, await stage.truth())
    expect(Object.keys(variety).filter((name) => !(variety[name]! > 0))).toEqual([])
    expect(variety["shares locked at the zero address"]).toBe(2)
    expect(variety["directions of swaps"]).toBeGreaterThan(1)
  })

  test("its logs, folded, are what the node says", async () => {
    const { node, strange, honest, collections, goods } = stage
    const truth = await stage.truth()
    expect(new Set(truth.swaps.map(({ pool }) => pool)).size).toBe(3)
    const people = everyoneOf(truth)
    const [answers] = await askNode(node.url, strange.census, [truth.head.number], honest, people)
    for (const token of honest) {
      const folded = truth.tokens.get(token)!
      expect(folded.supply).toBe(answers!.supply(token))
      expect(people.map((holder) => folded.balances.get(holder) ?? 0n)).toEqual(
        people.map((holder) => answers!.balance(token, holder)),
      )
    }
    const idsAt = (standard: "erc721" | "erc1155", address: string) => [
      ...new Set(truth.rows[standard].filter(({ token }) => token === address).map(({ tokenId }) => tokenId)),
    ]
    for (const collection of collections) {
      const ids = idsAt("erc721", collection)
      expect(ids.length).toBeGreaterThan(0)
      const folded = truth.collections.get(collection)!.owners
      expect(ids.map((id) => folded.get(id) ?? nobody)).toEqual(
        await askOwners(node.url, strange.census, collection, ids),
      )
    }
    for (const contract of goods) {
      const ids = idsAt("erc1155", contract)
      expect(ids.length).toBeGreaterThan(0)
      const folded = truth.goods.get(contract)!
      expect(people.flatMap((holder) => ids.map((id) => folded.get(id)?.get(holder) ?? 0n))).toEqual([
        ...(await askAmounts(node.url, strange.census, contract, people, ids)),
      ])
    }
  })

  test(
    "is answered as the node answers, at blocks all over the chain",
    () => expectAgreement(service, stage, (block) => ways > 0 || block % 8 === 0, someLimits),
    testTimeoutMs,
  )

  test(
    "what addresses hold is what the node says: every token and the native currency, at blocks all over the chain",
    async () => {
      const { node, honest, collections } = stage
      const truth = await stage.truth()
      const people = everyoneOf(truth)
        .filter((it) => it !== nobody)
        .slice(0, ways > 0 ? undefined : 4)
      const blocksAsked = Array.from({ length: truth.head.number + 1 }, (_, block) => block).filter(
        (block) => block === truth.head.number || block % (ways > 0 ? 1 : 16) === 0,
      )
      const judged = { url: node.url, root: "/v2/network/mainnet/evm/31337", service }
      const tokens = [...honest, ...collections.filter((address) => !truth.tokens.has(address))]
      const found = await compareWallets(judged, tokens, people, blocksAsked)
      expect(found.differences).toEqual([])
      expect(found.compared).toBe(blocksAsked.length * people.length * (tokens.length + 1))
    },
    testTimeoutMs,
  )

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
      await expectAgreement(
        service,
        stage,
        (block) => block > head.number - 20 && (ways > 0 || block % 4 === 0),
        [1000],
      )
    },
    testTimeoutMs,
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
        await stage.play(240)
        const { head } = await stage.truth()
        for (const given of [60, 140]) {
          service = await startService(env)
          while (slow.newest() < given) await pause(5)
          await service.stop("SIGKILL")
          expect(slow.newest()).toBeLessThan(head.number - 64)
        }
        service = await startService(env)
        await service.indexed("31337", head.hash)
        await expectAgreement(service, stage, (block) => block % 120 === 2 || block === head.number, [1000])
      } finally {
        await service?.stop()
        slow.stop()
        await stage.node.stop()
      }
    },
    testTimeoutMs + 60_000,
  )
})
