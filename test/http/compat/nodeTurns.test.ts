/** docs/operations.md, "Fair shares": who waits for a node holds no turn of those who need the ledger alone. */
import { afterEach, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Layer } from "effect"
import type { Hash } from "../../../src/model/primitives.ts"
import { AccountCodes } from "../../../src/ports/AccountCodes.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { TokenViews } from "../../../src/ports/TokenViews.ts"
import { TransactionSource } from "../../../src/ports/TransactionSource.ts"
import { address } from "../../support/chain/testChain.ts"
import { type Json, prefix } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

/** A node that says nothing until it is let fail. */
const startSilent = async (options: Parameters<typeof startWorld>[0] = {}) => {
  const asked: Array<() => void> = []
  const source = Layer.succeed(TransactionSource, {
    read: (_: unknown, hashes: ReadonlyArray<Hash>) =>
      Effect.callback<never, SourceUnavailable>((resume) => {
        asked.push(() => resume(Effect.fail(new SourceUnavailable({ message: `nothing about ${hashes.length}` }))))
      }),
  })
  const service = await startWorld({
    replace: source as unknown as Layer.Layer<never>,
    shares: { cheap: { turns: 2, perCaller: 2 }, costly: { turns: 1, perCaller: 1 }, node: { turns: 2, perCaller: 2 } },
    ...options,
  })
  return { ...service, asked }
}

let service: Awaited<ReturnType<typeof startSilent>>
afterEach(() => service.close())

/** Each another page, so that none is another's answer. */
const pages = (count: number, offset = 3) =>
  Array.from({ length: count }, (_, index) =>
    service.get(`/v2/api?chainid=43114&module=account&action=tokentx&contractaddress=${gold}&offset=${offset + index}`),
  )
const turns = async (which: "running" | "waiting", cost: string) => {
  const text = await (await service.fetch("/metrics")).text()
  return Number(text.match(new RegExp(`^cowry_http_turns_${which}\\{cost="${cost}"\\} (\\d+)$`, "m"))?.[1])
}
const running = (cost: string) => turns("running", cost)
const until = async (isSo: () => boolean | Promise<boolean>) => {
  for (let tries = 0; tries < 2000; tries++) {
    if (await isSo()) return
    await pause(10)
  }
  throw new Error(`in 20 s it was never so: ${isSo}`)
}

test("pages whose columns a silent node has keep nobody from the ledger, small ones and large", async () => {
  service = await startSilent()
  const waiting = [...pages(4), ...pages(2, 500)]
  await until(() => service.asked.length === 2)
  for (const query of ["limit=1", "limit=2", "limit=500"]) {
    expect((await service.get(`${prefix("43114")}/erc20?${query}`)).status).toBe(200)
  }
  const balance = `module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
  expect((await service.get(`/43114/api?${balance}`)).body.result).toBe("650")
  expect(await Promise.all(["cheap", "costly", "node"].map(running))).toEqual([0, 0, 2])
  for (let ended = 0; ended < waiting.length; ended++) {
    await until(() => service.asked.length > ended)
    service.asked[ended]!()
  }
  for (const { status, body } of await Promise.all(waiting)) {
    expect([status, body.message]).toEqual([200, "NOTOK"])
    expect(body.result).toEndWith("are not known: the chain's node could not be asked. Try again shortly")
  }
  expect(await Promise.all(["cheap", "costly", "node"].map(running))).toEqual([0, 0, 0])
})

const tooMany =
  "Error! the transactions' own columns (nonce, gas, gasPrice and the like) are not known: too many others wait for the chain's node. Try again shortly"
const refusal = { status: 200, body: { status: "0", message: "NOTOK", result: tooMany } as Json }

test("more than may wait for the node are told so, at once", async () => {
  service = await startSilent({ shares: { node: { turns: 1, perCaller: 1, mostWaiting: 1 } } })
  const waiting = pages(2)
  await until(() => service.asked.length === 1)
  await until(async () => (await turns("waiting", "node")) === 1)
  expect(await pages(1, 9)[0]).toEqual(refusal)
  for (const ended of [0, 1]) {
    await until(() => service.asked.length > ended)
    service.asked[ended]!()
  }
  await Promise.all(waiting)
})

test("and so are those who wait for half of a request's time", async () => {
  service = await startSilent({ requestTimeoutMs: 600, shares: { node: { turns: 1, perCaller: 1 } } })
  const [first] = pages(1)
  await until(() => service.asked.length === 1)
  expect(await pages(1, 4)[0]).toEqual(refusal)
  service.asked[0]!()
  await first
  expect(await running("node")).toBe(0)
})

test("who leaves while it waits gives its place back", async () => {
  service = await startSilent({ shares: { node: { turns: 1, perCaller: 1 } } })
  const [first] = pages(1)
  await until(() => service.asked.length === 1)
  const leaving = new AbortController()
  const target = `/v2/api?chainid=43114&module=account&action=tokentx&contractaddress=${gold}&offset=8`
  const left = service.fetch(target, { signal: leaving.signal }).catch(() => undefined)
  await until(async () => (await turns("waiting", "node")) === 1)
  leaving.abort()
  await left
  service.asked[0]!()
  await first
  await pause(50)
  expect([service.asked.length, await running("node")]).toEqual([1, 0])
})

test("nor do figures of contracts that the ledger has nothing of, behind a node that says nothing", async () => {
  const asked: Array<string> = []
  const silent = (what: string) =>
    Effect.suspend(() => {
      asked.push(what)
      return Effect.never
    })
  const nodes = Layer.merge(
    Layer.succeed(TokenViews, { perCall: () => 50, ask: () => silent("figure") }),
    Layer.succeed(AccountCodes, { kindsOf: () => silent("code") }),
  )
  service = await startSilent({
    replace: nodes as unknown as Layer.Layer<never>,
    shares: { joined: { turns: 2, perCaller: 2 }, node: { turns: 2, perCaller: 1 } },
  })
  const supplyOf = (token: string, ip: string) =>
    service.get(`/43114/api?module=stats&action=tokensupply&contractaddress=${token}`, {}, ip)
  const unknown = (caller: number) =>
    Array.from({ length: 4 }, (_, index) => supplyOf(address(0xd00 + 16 * caller + index), `192.0.2.${caller}`))
  const scans = [...unknown(1), ...unknown(2)]
  await until(() => asked.length >= 2)
  const first = Promise.race(scans.map(async (scan) => (await scan) && "a scan"))
  const others = Promise.all([supplyOf(gold, "192.0.2.1"), supplyOf(gold, "192.0.2.3")])
  expect(await Promise.race([others, first])).toMatchObject([{ body: { result: "900" } }, { body: { result: "900" } }])
  expect(await running("joined")).toBe(0)
  for (const { body } of await Promise.all(scans)) expect(body.result).toBe("0")
})
