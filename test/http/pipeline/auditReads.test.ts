/** When the audit is asked about a contract: beside an answer, never for a refusal, and not again within two seconds. */
import { afterEach, describe, expect, test } from "bun:test"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { makeAuditReader } from "../../../src/adapters/http/pipeline/auditState.ts"
import type { AskedContract } from "../../../src/domain/audit/auditStatus.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { type StoreError, StoreUnavailable } from "../../../src/model/errors.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { AuditStore, type FoundAudit } from "../../../src/ports/AuditStore.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { always } from "../../support/always.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { prefix, startService, type TestService } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

const unused = Effect.die("not asked")
const [avalanche, ethereum] = [ChainId.make("43114"), ChainId.make("1")]
const exact: FoundAudit = { chainId: avalanche, address: gold, standard: "erc20", state: "exact" }
const found = Effect.succeed([exact])

/** A store that says `read` of every contract, and counts how often it is asked. */
const counting = (read: Effect.Effect<ReadonlyArray<FoundAudit>, StoreError>) => {
  const asked: Array<string> = []
  const store: AuditStore["Service"] = always(unused, {
    find: (chainId, token) => {
      asked.push(token)
      return Effect.flatMap(read, (value) => Effect.promise(async () => ({ asOf: await standsAt(chainId), value })))
    },
  })
  return { asked, store }
}

let service: TestService | undefined
/** Where the service's ledger is; without one nowhere. */
const standsAt = async (chainId: ChainId): Promise<ReadonlyArray<AsOf>> => {
  const point = await service?.run(Freshness.use((freshness) => freshness.newest(chainId)))
  return point === undefined ? [] : [point]
}
afterEach(async () => {
  await service?.close()
  service = undefined
})

const avax = prefix("43114")
const holders = `/erc20/${gold}/holders`
const supply = `/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`
const balance = `/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
const stateOf = async (path: string, init?: RequestInit) => {
  const response = await service!.fetch(path, init)
  await response.text()
  return [response.status, response.headers.get("x-audit-state")]
}

describe("a refusal", () => {
  const native = (path: string, chain = avax) => [`${chain}${path}`, 400] as const
  const compat = (path: string) => [`${avax}${path}`, 200] as const
  test.each([
    native(`${holders}?limit=0`),
    native(`${holders}?blockNumber=x`),
    native(`${holders}?next=abc`),
    native("/erc20/0x12/holders"),
    native(`/erc721/${gold}/tokens?limit=1001`),
    native(holders, prefix("all")),
    native(holders, prefix("999")),
    native(holders, prefix("43114", "testnet")),
    compat(`${supply}&chainid=1`),
    compat(supply.replace("tokensupply", "none")),
    compat(supply.replace("tokensupply", "tokensupplyhistory")),
    compat(balance.replace(ann, "0x12")),
    compat(`${balance}&tag=newest`),
    compat(`/compat/api?module=token&action=tokenholderlist&contractaddress=${gold}&page=11&offset=1000`),
  ])("of %s is not worth a look at the audit", async (path, status) => {
    const { asked, store } = counting(found)
    service = await startWorld({ replace: Layer.succeed(AuditStore, store) })
    expect(await stateOf(path)).toEqual([status, null])
    expect(asked).toEqual([])
  })

  test("costs no statement of its own: ten in a row ask the store once where its blocks stand", async () => {
    let asked = 0
    const freshness: Freshness["Service"] = {
      newest: () => Effect.undefined,
      touched: () => Effect.undefined,
      asOf: () =>
        Effect.sync(() => {
          asked++
          return []
        }),
    }
    service = await startWorld({ replace: Layer.succeed(Freshness, freshness) })
    const refused = [
      `${holders}?limit=0`,
      `${holders}?next=abc`,
      "/erc20/0x12/holders",
      "/erc20?sort=x",
      `${supply}&chainid=1`,
    ]
    for (const path of [...refused, ...refused]) await (await service.fetch(`${avax}${path}`)).text()
    expect(asked).toBe(1)
  })

  test("of a page before another one, where rows come one after the other, neither", async () => {
    service = await startWorld()
    const { body } = await service.get(`${avax}${holders}?limit=1`)
    const second = await service.get(body.link.next)
    await service.close()
    const { asked, store } = counting(found)
    service = await startWorld({ replace: Layer.succeed(AuditStore, store) })
    const response = await service.get(second.body.link.prev, { headers: { accept: "text/csv" } })
    expect([response.status, response.body.message]).toEqual([
      400,
      "prev: expected no value (text/csv goes forward only), got a token",
    ])
    expect(asked).toEqual([])
  })
})

describe("an answer about a contract", () => {
  test.each([holders, supply, balance])("%s says its state, read once", async (path) => {
    const { asked, store } = counting(found)
    service = await startWorld({ replace: Layer.succeed(AuditStore, store) })
    // What is known of the audit is known of a revision: some answer tells it.
    await service.get(`${avax}/erc20?limit=1`)
    for (const init of [{}, { method: "HEAD" }]) expect(await stateOf(avax + path, init)).toEqual([200, "43114:exact"])
    expect(asked).toEqual([gold])
  })

  test("is read while the audit is: neither waits for the other", async () => {
    const [ofAudit, ofLedger] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    /** Says that one has begun, and goes on when the other has. */
    const meet = (own: Deferred.Deferred<void>, other: Deferred.Deferred<void>) =>
      Effect.andThen(Deferred.succeed(own, undefined), Deferred.await(other))
    const { store } = counting(Effect.andThen(meet(ofAudit, ofLedger), found))
    const find = () => Effect.as(meet(ofLedger, ofAudit), { asOf: [], value: "7" })
    service = await startService({
      replace: Layer.merge(Layer.succeed(AuditStore, store), Layer.succeed(SupplyStore, { find })),
    })
    expect(await stateOf(avax + supply)).toEqual([200, "43114:exact"])
  })

  test.each([holders, supply])("%s comes without it where the audit cannot be read within a second", async (path) => {
    const { asked, store } = counting(Effect.never)
    service = await startWorld({ replace: Layer.succeed(AuditStore, store) })
    const started = performance.now()
    expect(await stateOf(avax + path)).toEqual([200, null])
    expect(performance.now() - started).toBeGreaterThan(900)
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(asked).toEqual([gold])
  })

  test("comes whole as rows too, with its state", async () => {
    const { asked, store } = counting(found)
    service = await startWorld({ replace: Layer.succeed(AuditStore, store) })
    const init = { headers: { accept: "application/x-ndjson" } }
    expect(await stateOf(avax + holders, init)).toEqual([200, "43114:exact"])
    expect(asked).toEqual([gold])
  })
})

describe("what the audit says of a contract", () => {
  const asking = (read: Parameters<typeof counting>[0]) => {
    const { asked, store } = counting(read)
    const { read: reader, forget } = makeAuditReader()
    const unread: Array<string> = []
    const ask = (contract: Partial<AskedContract> = {}) =>
      Effect.flatten(
        reader({ chainId: avalanche, token: gold, about: "erc20", ...contract }, () => unread.push("unread")),
      ).pipe(
        Effect.map((status) => status?.state),
        Effect.provideService(AuditStore, store),
      )
    return { asked, unread, ask, forget, run: (contract?: Partial<AskedContract>) => Effect.runPromise(ask(contract)) }
  }
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  /** Run by a clock that stands there. */
  const at = <A>(milliseconds: number, effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.clockWith((usual) => {
      const nanos = () => BigInt(milliseconds) * 1_000_000n
      const own = { monotonicTimeNanosUnsafe: nanos, monotonicTimeNanos: Effect.sync(nanos) }
      const clock: Clock.Clock = Object.assign(Object.create(usual), own)
      return Effect.provideService(effect, Clock.Clock, clock)
    })

  test("is remembered by chain, address and standard", async () => {
    const { asked, run } = asking(found)
    expect(await run()).toBe("exact")
    expect(await run({ about: "erc721" })).toBeUndefined()
    await run({ chainId: ethereum })
    await run({ token: ann })
    for (const contract of [{}, { about: "erc721" }, { chainId: ethereum }, { token: ann }] as const)
      await run(contract)
    expect(asked).toEqual([gold, gold, gold, ann])
  })

  test("is remembered for two seconds, whatever is done to the machine's clock", async () => {
    const { asked, ask } = asking(found)
    const runAt = (milliseconds: number) => Effect.runPromise(at(milliseconds, ask()))
    await runAt(0)
    const now = Date.now
    try {
      Date.now = () => now() - 3_600_000
      await runAt(1)
      await runAt(1999)
      expect(asked.length).toBe(1)
      await runAt(2001)
      expect(asked.length).toBe(2)
    } finally {
      Date.now = now
    }
  })

  test("is read once for all who ask meanwhile, also where the first of them leaves", async () => {
    const latch = Deferred.makeUnsafe<void>()
    const { asked, ask } = asking(Effect.andThen(Deferred.await(latch), found))
    const states = await Effect.runPromise(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(ask(), { startImmediately: true })
        const others = yield* Effect.forEach(Array(20), () => Effect.forkChild(ask(), { startImmediately: true }))
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(latch, undefined)
        return yield* Effect.forEach(others, Fiber.join)
      }),
    )
    expect(states).toEqual(Array(20).fill("exact"))
    expect(asked.length).toBe(1)
  })

  test("is asked again where it could not be read, which each who asked is told; of no such token nobody is", async () => {
    const failed = Effect.fail(new StoreUnavailable({ cause: "down" }))
    for (const read of [failed, Effect.die("a bug"), Effect.andThen(Effect.sleep(1), failed)]) {
      const { asked, unread, run } = asking(read)
      expect([await run(), await run()]).toEqual([undefined, undefined])
      expect([asked.length, unread.length]).toEqual([2, 2])
      await Promise.all([run(), run(), run()])
      expect(unread.length).toBe(5)
    }
    const { unread, run } = asking(found)
    expect([await run({ about: "erc721" }), unread]).toEqual([undefined, []])
  })

  test("is not read to the end where nobody waits for it any more", async () => {
    const stopped: Array<string> = []
    const { ask, run } = asking(Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push("stopped"))))
    const fiber = Effect.runFork(ask())
    await pause(20)
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(stopped).toEqual(["stopped"])
    expect(await run()).toBeUndefined()
    expect(stopped.length).toBe(2)
  })

  test("is of where its own read found the ledger: of another point than was seen it is neither remembered nor for others", async () => {
    const point = (figures: number) => ({ chainId: avalanche, figures, hash: of }) as AsOf
    let [seen, standby, of] = [501, 500, hash("one")]
    const one = of
    let state: FoundAudit["state"] = "exact"
    const store: AuditStore["Service"] = always(unused, {
      find: () => Effect.sync(() => ({ asOf: standby < 0 ? [] : [point(standby)], value: [{ ...exact, state }] })),
    })
    const unread: Array<string> = []
    const { read } = makeAuditReader(() => ({ figures: seen, hash: one }))
    const ask = () =>
      Effect.runPromise(
        Effect.flatten(read({ chainId: avalanche, token: gold, about: "erc20" }, () => unread.push("unread"))).pipe(
          Effect.map((status) => status?.state),
          Effect.provideService(AuditStore, store),
        ),
      )
    expect([await ask(), unread.length]).toEqual(["exact", 1])
    // It lost a block, and has as many again.
    ;[standby, of] = [501, hash("other")]
    expect([await ask(), unread.splice(1).length]).toEqual(["exact", 1])
    of = one
    // The server has come to what another one had shown.
    ;[standby, state] = [501, "drift"]
    expect([await ask(), await ask(), unread.length]).toEqual(["drift", "drift", 1])
    // It was ahead of what was seen, and it had no ledger at all.
    seen = 502
    for (const other of [503, -1]) {
      standby = other
      expect(await ask()).toBe("drift")
    }
    expect(unread.length).toBe(3)
  })

  test("is forgotten where a ledger went back: its points come again, and mean something else", async () => {
    const { asked, ask, forget } = asking(found)
    await Effect.runPromise(ask())
    forget()
    await Effect.runPromise(ask())
    expect(asked.length).toBe(2)
  })

  test("is remembered of 10,000 contracts", async () => {
    const { asked, ask } = asking(found)
    const tokens = Array.from({ length: 10_001 }, (_, index) => address(0x10000 + index))
    await Effect.runPromise(
      at(
        0,
        Effect.forEach([...tokens, tokens[1]!], (token) => ask({ token })),
      ),
    )
    expect(asked.length).toBe(10_001)
    await Effect.runPromise(at(0, ask({ token: tokens[0]! })))
    expect(asked.length).toBe(10_002)
  })
})
