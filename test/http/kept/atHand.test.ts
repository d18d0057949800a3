/** Answers that are kept while the ledger stays as it is: to whom they are given, and what is asked of the store for them. */
import { afterEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import type { FiguresOf } from "../../../src/adapters/http/contract/call.ts"
import { makeAtHand } from "../../../src/adapters/http/kept/atHand.ts"
import { digestOf, etagOf, tagAt } from "../../../src/adapters/http/kept/etag.ts"
import { makeKeptAnswers } from "../../../src/adapters/http/kept/keptAnswers.ts"
import { makeNewestPoints } from "../../../src/adapters/http/kept/newestPoints.ts"
import { placesOf } from "../../../src/adapters/http/kept/unmoved.ts"
import { longAtOnce, makeGivingTurns, shortAtOnce } from "../../../src/adapters/http/turns/giving.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { type Address, ChainId, Hash } from "../../../src/model/primitives.ts"
import { Freshness, type Touched } from "../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { address, hash, transfer } from "../../support/chain/testChain.ts"
import { settled } from "../../support/failure.ts"
import {
  comparableHeaders,
  prefix,
  rateHeadersOf,
  type ServiceOptions,
  sha256,
  startService,
  store,
  type TestService,
} from "../support.ts"
import { ann, avalanche, bob, gold, startWorld, zero } from "../world.ts"

const base = prefix("43114")
const balance = `${base}/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
const holders = `${base}/erc20/${gold}/holders`

const point = (revision: number, figures = revision, rewrites = figures): AsOf => ({
  chainId: ChainId.make("43114"),
  blockNumber: 4,
  hash: Hash.make(`0x${"11".repeat(32)}`),
  time: 1,
  finality: "latest",
  nodeHead: 4,
  firstBlock: 0,
  revision,
  figures,
  rewrites,
})

/** Nothing is told of what blocks moved. */
const pointsOf = (
  newest: (chainId: ChainId) => Promise<AsOf | undefined>,
  wentBack: (chainId: ChainId) => void = () => {},
) => makeNewestPoints({ newest, touched: async () => undefined, wentBack })

let service: TestService
afterEach(() => service?.close())

/** The world, with balances that are counted as they are read and come when the test says so. */
const open = async (options: ServiceOptions = {}) => {
  const asked: Array<(value: string) => void> = []
  /** Places of those that nobody waited for any more. */
  const ended: Array<number> = []
  const findBalance: HolderStore["Service"]["findBalance"] = () =>
    Effect.callback((resume) => {
      asked.push((value) => resume(Effect.succeed({ asOf: [at], value })))
      const place = asked.length - 1
      return Effect.sync(() => ended.push(place))
    })
  let at = point(0)
  service = await startWorld({ ...options, replace: Layer.succeed(HolderStore, { findBalance } as never) })
  const answer = await service.get(`${base}/erc20?limit=1`)
  expect(answer.status).toBe(200)
  return {
    asked,
    ended,
    see: (point: AsOf) => {
      at = point
    },
  }
}

const results = async (answers: ReadonlyArray<Promise<Response>>) =>
  Promise.all(answers.map(async (it) => ((await (await it).json()) as { result: unknown }).result))

describe("an answer that is kept", () => {
  test("is given as long as nothing changes, and not for a moment longer", async () => {
    service = await startService()
    const chain = avalanche()
    const writer = await store(service, "43114", chain)
    for (let block = 0; block < 5; block++) {
      for (let time = 0; time < 3; time++) {
        const [kept, anew] = [await service.fetch(holders), await service.fetchAnew(holders)]
        expect([comparableHeaders(kept), await kept.text()]).toEqual([comparableHeaders(anew), await anew.text()])
      }
      chain.block([transfer(gold, zero, bob, 3n)], { salt: String(block) })
      await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
    }
  })

  test("has the headers of its caller: what is left of the limits, a tag that is known, no body then", async () => {
    service = await startWorld({ rateLimitRpm: 3 })
    const first = await service.fetch(holders)
    const etag = first.headers.get("etag")!
    const second = await service.fetch(holders, { headers: { "if-none-match": etag } })
    expect([second.status, await second.text(), second.headers.get("content-type")]).toEqual([304, "", null])
    expect(rateHeadersOf(second)["x-ratelimit-rpm-remaining"]).toBe("1")
    await service.fetch(holders)
    expect((await service.fetch(holders)).status).toBe(429)
    expect((await service.fetch(holders, {}, "192.0.2.9")).status).toBe(200)
  })

  test("is for nobody who has no key where keys are strict", async () => {
    service = await startWorld({ strictKeys: true, apiKeysSha256: [sha256("open")] })
    const withKey = { headers: { apikey: "open" } }
    for (let time = 0; time < 2; time++) expect((await service.fetch(holders, withKey)).status).toBe(200)
    expect((await service.fetch(holders)).status).toBe(401)
    expect((await service.fetch(holders, { headers: { apikey: "wrong" } })).status).toBe(401)
  })

  test("is charged to the key that asks, however the name of the key is written", async () => {
    service = await startWorld({ apiKeysSha256: [sha256("open")], rateLimitRpm: 100 })
    const path = `${base}/erc20?limit=1`
    await service.fetch(path)
    for (const name of ["apikey", "%61pikey", "apiKe%79"]) {
      const asked = `${path}&${name}=open`
      const left = async () => rateHeadersOf(await service.fetch(asked))["x-ratelimit-rpm-remaining"]
      const before = Number(await left())
      expect([name, Number(await left()), Number(await left())]).toEqual([name, before - 1, before - 2])
    }
    expect(rateHeadersOf(await service.fetch(path))["x-ratelimit-rpm-remaining"]).toBe("98")
  })

  test("is given between other work, callers in rotation: many who ask for one hold nobody up", async () => {
    service = await startWorld()
    const order: Array<string> = []
    const ask = async (path: string, ip: string) => {
      await (await service.fetch(path, {}, ip)).text()
      order.push(ip)
    }
    for (let time = 0; time < 3; time++) await ask(holders, "192.0.2.1")
    order.length = 0
    const many = Array.from({ length: 100 }, () => ask(holders, "192.0.2.1"))
    await Promise.all([...many, ask(holders, "192.0.2.2")])
    expect(order.indexOf("192.0.2.2")).toBeLessThan(2 * shortAtOnce.perCaller)
  })

  test("in large texts is given more seldom, whatever became of one of them; who finds too many waiting is told so", async () => {
    const given = makeGivingTurns(longAtOnce)
    const order: Array<string> = []
    const give = (caller: string) => given(caller, () => order.push(caller))
    const failing = async () => {
      await given("first", () => {
        throw new Error("not given")
      })
    }
    const first = Array.from({ length: 20 }, () => give("first"))
    const failed = failing().catch((error: Error) => error.message)
    const second = give("second")
    expect(order).toEqual(["first", "first", "second"])
    expect(await failed).toBe("not given")
    await Promise.all([...first, second])
    expect(order.length).toBe(21)
    await settled()
    const tooMany = Array.from({ length: longAtOnce.mostWaitingPerCaller + 10 }, () => give("first"))
    expect(tooMany.filter((one) => one === undefined).length).toBe(10 - longAtOnce.perCaller)
    expect((await Promise.all(tooMany)).length).toBe(tooMany.length)
  })

  test("is not waited for where the store does not say how far its ledgers are: it is made", async () => {
    let asked = 0
    const newest = () => {
      asked++
      return Effect.never
    }
    const asOf = () => Effect.succeed([])
    service = await startWorld({ replace: Layer.succeed(Freshness, { asOf, newest, touched: () => Effect.undefined }) })
    await service.get(holders)
    await service.get(holders)
    const began = performance.now()
    expect((await service.get(holders)).status).toBe(200)
    expect(asked).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(5000)
  })

  test("is counted among the requests", async () => {
    service = await startWorld()
    for (let time = 0; time < 3; time++) await service.fetch(holders)
    const metrics = await (await service.fetch("/metrics")).text()
    expect(metrics).toContain('cowry_http_requests_total{endpoint="erc20/holders",status="2xx"} 3\n')
  })

  test("is of JSON alone: rows one after the other are read anew", async () => {
    service = await startWorld()
    await service.fetch(holders)
    const rows = await service.fetch(holders, { headers: { accept: "application/x-ndjson" } })
    expect(rows.headers.get("content-type")).toContain("application/x-ndjson")
    expect((await rows.text()).split("\n").length).toBeGreaterThan(2)
    expect((await service.fetch(holders, { method: "HEAD" })).status).toBe(200)
  })
})

test("a balance is kept while names are learned, with the tag that it would be given anew; a list of names is not", async () => {
  service = await startService()
  const chain = avalanche()
  const writer = await store(service, "43114", chain)
  chain.block([transfer(address(0x99), zero, bob, 3n)])
  await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
  const list = `${base}/erc20`
  const first = await service.get(list)
  const [waiting] = await service.run(writer.listUndescribedTokens(1))
  for (let time = 0; time < 4; time++) {
    await service.run(writer.describeTokens([{ token: waiting!, description: { name: `Name ${time}` } }]))
    for (const path of [balance, holders, list]) {
      const [kept, anew] = [await service.fetch(path), await service.fetchAnew(path)]
      expect([comparableHeaders(kept), await kept.text()]).toEqual([comparableHeaders(anew), await anew.text()])
    }
  }
  expect((await service.get(list)).body).not.toEqual(first.body)
})

describe("many who ask the same at once", () => {
  test("cost the store one read", async () => {
    const { asked, see } = await open()
    see(await newest())
    const answers = Array.from({ length: 30 }, () => service.fetch(balance))
    await settled()
    expect(asked.length).toBe(1)
    asked[0]!("7")
    expect(new Set(await results(answers))).toEqual(new Set(["7"]))
    expect(asked.length).toBe(1)
  })

  test("are read for one by one where the answer is already of an older ledger", async () => {
    const { asked, see } = await open({ shares: { cheap: { turns: 2, perCaller: 2 } } })
    see(before(await newest()))
    const answers = [service.fetch(balance), service.fetch(balance)]
    await settled()
    expect(asked.length).toBe(1)
    asked[0]!("7")
    await settled()
    expect(asked.length).toBe(2)
    asked[1]!("8")
    expect(await results(answers)).toEqual(["7", "8"])
  })

  test("are waited for one by one: one who asked in vain for another's answer, and leaves then, has his own ended", async () => {
    const { asked, ended, see } = await open({ shares: { cheap: { turns: 2, perCaller: 2 } } })
    see(before(await newest()))
    const leaving = new AbortController()
    const first = service.fetch(balance)
    const second = service.fetch(balance, { signal: leaving.signal })
    await settled()
    asked[0]!("7")
    await first
    await settled()
    expect([asked.length, ended]).toEqual([2, []])
    leaving.abort()
    await second
    expect(ended).toEqual([1])
  })

  test("do not share the end of the one that is answered first: it leaves, it fails", async () => {
    const { asked, see } = await open()
    see(await newest())
    const leaving = new AbortController()
    const first = service.fetch(balance, { signal: leaving.signal })
    await settled()
    const second = service.fetch(balance)
    await settled()
    expect(asked.length).toBe(1)
    leaving.abort()
    await first
    await settled()
    expect(asked.length).toBe(2)
    asked[1]!("9")
    expect(await results([second])).toEqual(["9"])
  })

  test("cost as many reads as there are turns, and no more, where the first one leaves: the others wait behind those", async () => {
    const { asked, see } = await open({ shares: { joined: { turns: 2, perCaller: 2 } } })
    see(await newest())
    const leaving = new AbortController()
    const first = service.fetch(balance, { signal: leaving.signal })
    await settled()
    const others = Array.from({ length: 20 }, () => service.fetch(balance))
    await settled()
    expect(asked.length).toBe(1)
    leaving.abort()
    await first
    await settled()
    expect(asked.length).toBe(3)
    asked[1]!("9")
    asked[2]!("9")
    expect(new Set(await results(others))).toEqual(new Set(["9"]))
    expect(asked.length).toBe(3)
  })
})

const newest = async (): Promise<AsOf> =>
  (await service.run(Freshness.use((port) => port.newest(ChainId.make("43114")))))!

/** A move earlier, with figures of another ledger. */
const before = (point: AsOf): AsOf => ({ ...point, revision: point.revision - 1, figures: -1 })

test("where a ledger stands is told by a read that begins after the question, one at a time", async () => {
  const begun: Array<(revision: number) => void> = []
  const points = pointsOf(() => new Promise((resolve) => begun.push((revision) => resolve(point(revision)))))
  const chainId = ChainId.make("43114")
  const together = [points.read(chainId), points.read(chainId)]
  const [first] = together
  expect(begun.length).toBe(0)
  await settled()
  expect(begun.length).toBe(1)
  const [second, third] = [points.read(chainId), points.read(chainId)]
  await settled()
  expect(begun.length).toBe(1)
  begun[0]!(1)
  expect((await together[1])?.revision).toBe(1)
  expect((await first)?.revision).toBe(1)
  await settled()
  expect(begun.length).toBe(2)
  const fourth = points.read(chainId)
  begun[1]!(2)
  expect([(await second)?.revision, (await third)?.revision]).toEqual([2, 2])
  await settled()
  begun[2]!(3)
  expect([(await fourth)?.revision, points.seen(chainId)?.revision]).toEqual([3, 3])
})

test("a point at which nothing changed is the same one; one that cannot be told soon is given up, by all who wait", async () => {
  const found = [point(1), point(1), point(2), { ...point(2), nodeHead: 1_000_000 }]
  let isStuck = false
  const points = pointsOf(() => (isStuck ? new Promise(() => {}) : Promise.resolve(found.shift()!)))
  const chainId = ChainId.make("43114")
  const read: Array<AsOf | undefined> = []
  for (let number = 0; number < 4; number++) read.push(await points.read(chainId))
  expect(read.map((one) => read.indexOf(one))).toEqual([0, 0, 2, 3])
  isStuck = true
  expect(await Promise.all([points.read(chainId), points.read(chainId)])).toEqual([undefined, undefined])
})

test("a ledger that is found behind what it showed has no answers left: its revisions come again", async () => {
  const given = [5, 3, 4]
  const backs: Array<string> = []
  const points = pointsOf(
    async () => point(given.shift()!),
    (chain) => backs.push(chain),
  )
  const chainId = ChainId.make("43114")
  await points.read(chainId)
  expect([points.seen(chainId)?.revision, backs]).toEqual([5, []])
  await points.read(chainId)
  expect([points.seen(chainId)?.revision, backs]).toEqual([3, ["43114"]])
  await points.read(chainId)
  expect([points.seen(chainId)?.revision, backs]).toEqual([4, ["43114"]])
})

test("what is known to be older than its ledger is not looked up; an answer behind what its ledger showed has the ledger looked at", async () => {
  const chainId = ChainId.make("43114")
  let revision = 1
  let looks = 0
  const kept = makeKeptAnswers(100_000)
  const points = pointsOf(async () => {
    looks++
    return point(revision)
  }, kept.forgetAll)
  const atHand = makeAtHand(points, kept)
  const make = () => {
    const { made, end } = atHand.begin("x", [chainId])
    made({
      endpoint: "x",
      points: [point(revision)],
      text: "t",
      headers: {},
      digest: String(revision),
      figures: undefined,
    })
    end()
  }
  await points.read(chainId)
  make()
  expect([(await atHand.find("x"))?.answer.digest, looks]).toEqual(["1", 2])
  revision = 5
  points.see(point(5))
  expect([kept.has("x"), atHand.find("x"), looks]).toEqual([true, undefined, 2])
  make()
  expect([(await atHand.find("x"))?.answer.digest, looks]).toEqual(["5", 3])
  // The database is an earlier one again.
  revision = 3
  make()
  await settled()
  expect([looks, kept.has("x"), points.seen(chainId)?.revision]).toEqual([4, false, 3])
  make()
  expect([(await atHand.find("x"))?.answer.digest, looks]).toEqual(["3", 5])
})

test("an answer of figures alone is true for as long as these are the same, whatever else was learned; any other is not", async () => {
  const chainId = ChainId.make("43114")
  let now = point(3, 2)
  const kept = makeKeptAnswers(100_000)
  const points = pointsOf(async () => now, kept.forgetAll)
  const atHand = makeAtHand(points, kept)
  /** Of a ledger that stood there when the making began, and somewhere else when it ended. */
  const make = (made = now) => {
    const begun = targets.map((target) => [target, atHand.begin(target, [chainId])] as const)
    for (const [target, { made: give, end }] of begun) {
      give({
        endpoint: "x",
        points: [made],
        text: "t",
        headers: {},
        digest: "x",
        figures: target === "figures" ? placesOf({ token: gold }) : undefined,
      })
      end()
    }
  }
  const targets = ["figures", "names"]
  const found = async () => {
    const all = await Promise.all(targets.map((target) => atHand.find(target)))
    return all.map((it) => it?.points[0]?.revision)
  }
  await points.read(chainId)
  const learned = point(4, 2)
  for (const made of [now, learned]) {
    kept.forgetAll()
    make(made)
    now = made
    expect(await found()).toEqual([made.revision, made.revision === 3 ? 3 : undefined])
  }
  now = point(7, 2)
  expect(await found()).toEqual([7, undefined])
  now = point(8, 3)
  expect(await found()).toEqual([undefined, undefined])
  // A database that was restored, and went on: fewer figures are others, too.
  make()
  now = point(9, 1)
  expect(await found()).toEqual([undefined, undefined])
})

test("answers are kept in so many bytes, those asked for lately first; none is too large, and an older one replaces none", () => {
  const kept = makeKeptAnswers(100_000)
  const answer = (revision: number, length = 1000) => ({
    endpoint: "x",
    points: [point(revision)],
    text: "t".repeat(length),
    headers: {},
    digest: String(revision),
    figures: undefined,
  })
  kept.keep("large", answer(1, 12_100))
  expect(kept.find("large")).toBeUndefined()
  /** How many of a hundred are there, and the first as well, where that is wanted between any two. */
  const leftOf = (text: string) => {
    kept.forgetAll()
    for (let number = 0; number < 100; number++) {
      kept.keep(String(number), { ...answer(number), text })
      expect(kept.find("0")?.digest).toBe("0")
    }
    const left = Array.from({ length: 100 }, (_, number) => kept.find(String(number)))
    return left.filter((it) => it !== undefined && it.text === text).length
  }
  // Half of the room is for short answers, half for long ones. Other letters than those of one byte take two each.
  const counts = [
    leftOf("t".repeat(1000)),
    leftOf("\u6f22".repeat(500)),
    leftOf("t".repeat(4500)),
    leftOf("\u6f22".repeat(4500)),
  ]
  expect(counts.map((count) => Math.round(count / 4))).toEqual([9, 9, 3, 1])
  kept.forgetAll()
  kept.keep("99", answer(99))
  kept.keep("99", answer(98))
  expect(kept.find("99")?.digest).toBe("99")
  kept.keep("99", answer(100))
  expect(kept.find("99")?.digest).toBe("100")
})

test("an answer of one contract's figures goes on with blocks that did not touch it, with their headers and tag", async () => {
  const chainId = ChainId.make("43114")
  const salt = address(0xa2)
  /** Of each point, what blocks up to it touched since the one before. */
  const moves = new Map<number, Touched["tokens"]>()
  let now = point(1, 1, 0)
  const kept = makeKeptAnswers(100_000)
  const points = makeNewestPoints({
    newest: async () => now,
    touched: async (since) => {
      const each = Array.from({ length: now.figures - since.figures }, (_, index) =>
        moves.get(since.figures + index + 1),
      )
      return each.includes(undefined) ? undefined : { point: now, tokens: new Map(each.flatMap((it) => [...it!])) }
    },
    wentBack: kept.forgetAll,
  })
  const atHand = makeAtHand(points, kept)
  const targets: Readonly<Record<string, FiguresOf | undefined>> = {
    "/gold": { token: gold },
    "/salt": { token: salt },
    "/of 1": { token: gold, account: address(1) },
    "/list": undefined,
  }
  const said = { headers: {}, text: "t" }
  const questionOf = (path: string) => ({ path, query: [] })
  const spoken = (asOf: ReadonlyArray<AsOf>, of: FiguresOf | undefined) => ({ asOf, isOfFigures: of !== undefined })
  const make = () => {
    for (const [target, of] of Object.entries(targets)) {
      const { made, end } = atHand.begin(target, [chainId])
      const digest = digestOf(questionOf(target), said)
      made({ endpoint: "x", points: [now], ...said, digest, figures: of && placesOf(of) })
      end()
    }
  }
  /** Which answers are at hand; each is of where the ledger stands, and tagged so. */
  const found = async () => {
    const all = await Promise.all(
      Object.entries(targets).map(async ([target, of]) => {
        const it = await atHand.find(target)
        if (it === undefined) return []
        expect(it.points).toEqual([now])
        const tag = tagAt(it.answer.digest, spoken(it.points, of))
        expect(tag).toBe(etagOf(questionOf(target), { ...said, ...spoken([now], of) }))
        return [target.slice(1, 5)]
      }),
    )
    return all.flat()
  }
  const goOn = (next: AsOf, ...touched: ReadonlyArray<Address>) => {
    now = next
    moves.set(next.figures, new Map(touched.map((token) => [token, undefined])))
  }
  await points.read(chainId)
  make()
  expect(await found()).toEqual(["gold", "salt", "of 1", "list"])
  goOn(point(2, 2, 0), salt)
  expect(await found()).toEqual(["gold", "of 1"])
  // Something was learned, then a block came that touched nothing.
  goOn(point(4, 3, 0))
  expect(await found()).toEqual(["gold", "of 1"])
  make()
  expect(await found()).toEqual(["gold", "salt", "of 1", "list"])
  // Two blocks between two looks.
  moves.set(4, new Map([[gold, undefined]]))
  goOn(point(6, 5, 0), address(9))
  expect(await found()).toEqual(["salt"])
  make()
  // Something else than a block was written.
  now = point(7, 6, 1)
  expect(await found()).toEqual([])
  make()
  goOn(point(8, 7, 1))
  expect(await found()).toEqual(["gold", "salt", "of 1"])
  // Others' balances of the same contract, then its own.
  now = point(9, 8, 1)
  moves.set(8, new Map([[gold, new Set([address(2), address(3)])]]))
  expect(await found()).toEqual(["salt", "of 1"])
  now = point(10, 9, 1)
  moves.set(9, new Map([[gold, new Set([address(1)])]]))
  expect(await found()).toEqual(["salt"])
  make()
  // What blocks touched is not told: they are too many.
  now = point(11, 10, 1)
  expect(await found()).toEqual([])
  make()
  // A database that was restored to an earlier state, and went on: less than before was ever rewritten, or moved.
  for (const restored of [point(12, 11, 0), point(13, 5, 0)]) {
    goOn(restored)
    expect(await found()).toEqual([])
    make()
    expect(await found()).toEqual(["gold", "salt", "of 1", "list"])
  }
})

const at = (known: AsOf, blockNumber: number, hash: string): AsOf => ({
  ...known,
  blockNumber,
  hash: Hash.make(`0x${hash.repeat(32)}`),
})

test("a ledger that lost its last moves and made as many others keeps no answer of those, and tells of none that they are unmoved", async () => {
  const chainId = ChainId.make("43114")
  const lost = at(point(5, 4, 1), 5000, "aa")
  const cases: ReadonlyArray<readonly [string, AsOf]> = [
    ["blocks in place of a block", at(point(5, 4, 1), 5012, "bb")],
    ["a block at the same height", at(point(5, 4, 1), 5000, "bb")],
    ["blocks in place of what was learned", at(point(5, 5, 1), 5001, "bb")],
    ["a block and what was learned in place of a block", at(point(6, 4, 1), 5001, "bb")],
    ["a heal in place of what was learned", at(point(5, 5, 2), 5000, "aa")],
    ["more times fewer blocks in place of many", at(point(9, 8, 1), 4005, "bb")],
  ]
  for (const [name, other] of cases)
    for (const isSeenAlone of [false, true]) {
      let now = isSeenAlone ? at(point(4, 3, 1), 4000, "99") : lost
      let back = 0
      const kept = makeKeptAnswers(100_000)
      const points = makeNewestPoints({
        newest: async () => now,
        touched: async () => ({ point: now, tokens: new Map() }),
        wentBack: () => {
          back++
          kept.forgetAll()
        },
      })
      const atHand = makeAtHand(points, kept)
      await points.read(chainId)
      points.see(lost)
      for (const [target, figures] of [["list", undefined] as const, ["gold", placesOf({ token: gold })] as const]) {
        const { made, end } = atHand.begin(target, [chainId])
        made({ endpoint: "x", points: [lost], headers: {}, text: "t", digest: "x", figures })
        end()
        expect([name, kept.has(target)]).toEqual([name, true])
      }
      const found = async () => {
        const all = await Promise.all(["list", "gold"].map((target) => atHand.find(target)))
        return all.map((it) => it?.points[0]?.blockNumber)
      }
      now = other
      expect([name, await found(), back]).toEqual([name, [undefined, undefined], 1])
      now = at(point(20, 18, other.rewrites), 5100, "cc")
      expect([name, await found(), back]).toEqual([name, [undefined, undefined], 1])
    }
})

test("where it lost fewer moves than it made, the newest block that was shown is held against it, though no read told of it", async () => {
  const chainId = ChainId.make("43114")
  for (const isLost of [false, true]) {
    const shown = at(point(5, 4, 1), 5000, "aa")
    let now = at(point(4, 3, 1), 4999, "99")
    const blocks = new Map(
      [now, isLost ? { ...shown, hash: hash("other") } : shown].map((it) => [it.blockNumber, it.hash]),
    )
    const points = makeNewestPoints({
      newest: async () => now,
      touched: async (_, seen) =>
        seen.every((it) => it === now || blocks.get(it.blockNumber) === it.hash)
          ? { point: now, tokens: new Map() }
          : undefined,
      wentBack: () => {},
    })
    const atHand = makeAtHand(points, makeKeptAnswers(100_000))
    await points.read(chainId)
    points.see(shown)
    const { made, end } = atHand.begin("gold", [chainId])
    made({ endpoint: "x", points: [shown], headers: {}, text: "t", digest: "x", figures: placesOf({ token: gold }) })
    end()
    now = at(point(9, 8, 1), 5010, "bb")
    expect((await atHand.find("gold"))?.points).toEqual(isLost ? undefined : [now])
  }
})

test("what is told of another ledger at the same numbers is asked once, and the next read finds it", async () => {
  const chainId = ChainId.make("43114")
  let now = at(point(4, 3, 1), 4999, "99")
  const other = at(point(5, 4, 1), 5000, "bb")
  let [asked, back] = [0, 0]
  const points = makeNewestPoints({
    newest: async () => now,
    touched: async () => {
      if (++asked > 10) throw new Error("it is asked for ever")
      return { point: other, tokens: new Map() }
    },
    wentBack: () => back++,
  })
  await points.read(chainId)
  now = at(point(5, 4, 1), 5000, "aa")
  await points.read(chainId)
  await points.learned(chainId)
  expect([asked, back]).toEqual([1, 0])
  now = other
  await points.read(chainId)
  expect([asked, back]).toEqual([1, 1])
})

test("what blocks touched is waited for by whoever asks for kept figures alone, and learned once for all of them", async () => {
  const chainId = ChainId.make("43114")
  let now = point(0, 0, 0)
  const asked: Array<{ readonly since: number; readonly tell: (found: Touched | undefined) => void }> = []
  const kept = makeKeptAnswers(100_000)
  const points = makeNewestPoints({
    newest: async () => now,
    touched: (since) => new Promise((tell) => asked.push({ since: since.figures, tell })),
    wentBack: kept.forgetAll,
  })
  const atHand = makeAtHand(points, kept)
  const make = (target: string, figures: number | undefined) => {
    const { made, end } = atHand.begin(target, [chainId])
    made({ endpoint: "x", points: [now], headers: {}, text: "t", digest: "x", figures })
    end()
  }
  const ended: Array<string> = []
  const find = async (target: string) => {
    const found = await atHand.find(target)
    ended.push(`${target} ${found?.points[0]?.revision}`)
  }
  await points.read(chainId)
  now = point(1, 1, 0)
  await points.read(chainId)
  asked.shift()!.tell({ point: now, tokens: new Map() })
  make("list", undefined)
  make("gold", placesOf({ token: gold }))
  now = point(2, 2, 0)
  const first = [find("list"), find("gold"), find("gold")]
  await first[0]
  await settled()
  expect([ended, asked.length]).toEqual([["list undefined"], 1])
  // One more block, before it is known what the first one touched: whoever asks behind that waits for both.
  now = point(3, 3, 0)
  const second = find("gold")
  await settled()
  expect([ended.length, asked.map(({ since }) => since)]).toEqual([1, [1]])
  asked[0]!.tell({ point: point(2, 2, 0), tokens: new Map() })
  await settled()
  expect(asked.map(({ since }) => since)).toEqual([1, 2])
  asked[1]!.tell({ point: now, tokens: new Map([[gold, undefined]]) })
  await Promise.all([...first, second])
  expect(ended).toEqual(["list undefined", "gold undefined", "gold undefined", "gold undefined"])
  make("gold", placesOf({ token: gold }))
  await find("gold")
  expect(ended.at(-1)).toBe("gold 3")
  // What is told is of a later block still: that is where the ledger stands.
  now = point(4, 4, 0)
  const third = find("gold")
  await settled()
  now = point(5, 5, 0)
  asked[2]!.tell({ point: now, tokens: new Map() })
  await third
  expect([ended.at(-1), points.seen(chainId)?.revision, asked.length]).toEqual(["gold 4", 5, 3])
  // Restored while somebody learns: what was known before is worth nothing.
  now = point(6, 6, 0)
  const fourth = find("gold")
  await settled()
  now = point(3, 3, 0)
  await find("gold")
  make("gold", placesOf({ token: gold }))
  now = point(4, 4, 0)
  const fifth = find("gold")
  await settled()
  asked[3]!.tell({ point: point(6, 6, 0), tokens: new Map() })
  await Promise.all([fourth, fifth])
  expect(ended.slice(-3)).toEqual(["gold undefined", "gold undefined", "gold undefined"])
})
