/** `/health` and `/ready`. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { noFaults } from "../../../src/model/fault.ts"
import { steadyMillis } from "../../../src/model/time/steadyClock.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { Networks } from "../../../src/ports/Networks.ts"
import { TestChain } from "../../support/chain/testChain.ts"
import { chains, prefix, type ServiceOptions, startService, store, syncStatus } from "../support.ts"
import { avalanche } from "../world.ts"

const steadyNow = () => Effect.runSync(steadyMillis)

const answerOf = async (path: string, options: ServiceOptions, chainId?: string) => {
  const service = await startService(options)
  if (chainId !== undefined) await store(service, chainId, avalanche())
  const answer = await service.get(path)
  await service.close()
  return answer
}

test("/health 200 while alive", async () => {
  expect(await answerOf("/health", { status: [syncStatus("1", { phase: "stopped" })] })).toEqual({
    status: 200,
    body: { status: "ok" },
  })
})

test("/ready 200 once every chain is within its lag bound", async () => {
  const live = syncStatus("43114", { headBlock: 14, indexedBlock: 4, logsPerSecond: 1.4, blocksPerSecond: 0.5 })
  expect(await answerOf("/ready", { status: [live] }, "43114")).toEqual({
    status: 200,
    body: {
      status: "ready",
      store: "ok",
      chains: [
        {
          chainId: "43114",
          ready: true,
          phase: "live",
          headBlock: 14,
          indexedBlock: 4,
          lagBlocks: 10,
          maxLag: 10,
          firstBlock: 0,
          logsPerSecond: 1,
          blocksPerSecond: 0.5,
          secondsLeft: 20,
        },
      ],
    },
  })
})

test("/ready 200 where the newest stored block is of the last seconds, however many blocks its chain makes meanwhile", async () => {
  const fast = { status: [syncStatus("43114", { headBlock: 60, indexedBlock: 4 })] }
  const readyWith = async (secondsAgo: number) => {
    const service = await startService(fast)
    const chain = new TestChain(new Set(), 0, Math.floor(Date.now() / 1000) - secondsAgo)
    for (let block = 0; block < 5; block++) chain.block([], { time: chain.genesisTime })
    await store(service, "43114", chain)
    const { status, body } = await service.get("/ready")
    await service.close()
    return [status, body.chains[0].ready, body.chains[0].lagBlocks]
  }
  expect(await readyWith(2)).toEqual([200, true, 56])
  expect(await readyWith(15)).toEqual([503, false, 56])
  expect(await readyWith(-3600)).toEqual([503, false, 56])
})

test("/ready says what was left out", async () => {
  const skipped = { malformed: 3, unknownPool: 2 }
  const { body } = await answerOf("/ready", { status: [syncStatus("1"), syncStatus("10", { skipped })] })
  expect(body.chains.map((chain: { skipped?: unknown }) => chain.skipped)).toEqual([
    undefined,
    { ...skipped, odd: 3, poolless: 2 },
  ])
})

test("/ready says how often the chain was reorganised and what was refused of its node, where it was", async () => {
  const reorgs = { count: 2, blocks: 5, deepest: 4 }
  const faults = { ...noFaults, behind: 3, logs: 1 }
  const { body } = await answerOf("/ready", { status: [syncStatus("1"), syncStatus("10", { reorgs, faults })] })
  expect(body.chains.map((chain: { reorgs?: unknown; faults?: unknown }) => [chain.reorgs, chain.faults])).toEqual([
    [undefined, undefined],
    [reorgs, { behind: 3, logs: 1 }],
  ])
})

test("of a chain that is followed elsewhere the head is never below what is indexed", async () => {
  const heads = { headBlock: 2, indexedBlock: 4 }
  const status = [syncStatus("1", { ...heads, elsewhere: true }), syncStatus("10", heads)]
  const { body } = await answerOf("/ready", { status })
  expect(body.chains.map(({ headBlock }: { headBlock: number }) => headBlock)).toEqual([4, 2])
})

test("of a chain that is followed elsewhere and was not told of for minutes the way out is named", async () => {
  const heardAt = (ms: number) => ({ heardAt: performance.now() - ms, elsewhere: true as const })
  const status = [syncStatus("1", heardAt(600_000)), syncStatus("10", heardAt(120_000))]
  const { body } = await answerOf("/ready", { status })
  const [long, short] = body.chains.map(({ problem }: { problem: string }) => problem)
  expect(long).toEndWith("; if nobody is to follow it any more: cowry drop 1")
  expect(short).toContain("no word from the process that follows it")
  expect(short).not.toContain("cowry drop")
})

test("/ready 503 with the state per chain before (head, indexed block, rate, time left)", async () => {
  const status = [
    syncStatus("1", { phase: "waiting", problem: "the node does not answer" }),
    syncStatus("10", { phase: "backfill", headBlock: 99, logsPerSecond: 5000, blocksPerSecond: 10 }),
    syncStatus("43114", { headBlock: 15, indexedBlock: 4 }),
  ]
  expect(await answerOf("/ready", { status }, "43114")).toEqual({
    status: 503,
    body: {
      status: "not ready",
      store: "ok",
      chains: [
        {
          chainId: "1",
          ready: false,
          phase: "waiting",
          maxLag: 10,
          firstBlock: 0,
          logsPerSecond: 0,
          blocksPerSecond: 0,
          problem: "the node does not answer",
        },
        {
          chainId: "10",
          ready: false,
          phase: "backfill",
          headBlock: 99,
          maxLag: 10,
          firstBlock: 0,
          logsPerSecond: 5000,
          blocksPerSecond: 10,
          secondsLeft: 10,
        },
        {
          chainId: "43114",
          ready: false,
          phase: "live",
          headBlock: 15,
          indexedBlock: 4,
          lagBlocks: 11,
          maxLag: 10,
          firstBlock: 0,
          logsPerSecond: 0,
          blocksPerSecond: 0,
        },
      ],
    },
  })
})

test("/ready 503 for a chain that stopped, and the note of a history that starts late", async () => {
  const stopped = syncStatus("43114", { phase: "stopped", headBlock: 4, firstBlock: 0, problem: "of another chain" })
  const service = await startService({ status: [stopped, syncStatus("1", { firstBlock: 7 })] })
  await store(service, "43114", new TestChain(new Set(), 3).block([]).block([]))
  const [answer, metrics] = [await service.get("/ready"), await (await service.fetch("/metrics")).text()]
  await service.close()
  expect(answer).toMatchObject({
    status: 503,
    body: {
      chains: [
        {
          ready: false,
          lagBlocks: 0,
          problem: "of another chain",
          // Where what is stored starts, whatever the setting is by now.
          firstBlock: 3,
          note: "history starts at block 3: tokens that existed before it are unverified",
        },
        { firstBlock: 7, note: "history starts at block 7: tokens that existed before it are unverified" },
      ],
    },
  })
  expect(metrics).toMatch(/^cowry_chain_first_block\{.*43114.*\} 3$/m)
})

test("/ready 503 while the store does not answer", async () => {
  const live = syncStatus("43114", { headBlock: 4, indexedBlock: 4 })
  const down = Effect.fail(new StoreUnavailable({ cause: new Error("secret") }))
  const options = {
    status: [live],
    replace: Layer.succeed(Freshness, { asOf: () => down, newest: () => down, touched: () => down }),
  }
  expect(await answerOf("/ready", options)).toMatchObject({
    status: 503,
    body: { status: "not ready", store: "unreachable", chains: [{ chainId: "43114", ready: true }] },
  })
})

test("/ready says what is known of why the store does not answer, and nothing that it may not", async () => {
  const problemOf = async (down: Effect.Effect<never, StoreUnavailable>) => {
    const replace = Layer.succeed(Freshness, { asOf: () => down, newest: () => down, touched: () => down })
    return (await answerOf("/ready", { status: [], replace })).body.problem
  }
  const cause = new Error("secret")
  const said = "the database is starting up"
  expect(await problemOf(Effect.fail(new StoreUnavailable({ cause, said })))).toBe(said)
  expect(await problemOf(Effect.fail(new StoreUnavailable({ cause })))).toBe("the store cannot be reached")
  expect(await problemOf(Effect.never)).toBe("the store has not answered for 2 s")
})

test("/ready 503 while a node says nothing: how far its chain is behind is not known", async () => {
  const heard = (secondsAgo: number) =>
    syncStatus("43114", { headBlock: 5, indexedBlock: 5, heardAt: steadyNow() - secondsAgo * 1000 })
  expect((await answerOf("/ready", { status: [heard(20)] }, "43114")).status).toBe(200)
  const { status, body } = await answerOf("/ready", { status: [heard(90)] }, "43114")
  const silent = /^no word from the node for 9\d s/
  expect([status, body.chains[0].ready, body.chains[0].problem]).toEqual([503, false, expect.stringMatching(silent)])
  const troubled = { ...heard(90), problem: "the node has no block 7" }
  expect((await answerOf("/ready", { status: [troubled] }, "43114")).body.chains[0].problem).toMatch(
    /^no word from the node for 9\d s; before that: the node has no block 7$/,
  )
})

test("/ready 503 while the node has less than is stored: nobody knows how far the chain is by now", async () => {
  const readyAt = async (headBlock: number) => {
    const { body } = await answerOf("/ready", { status: [syncStatus("43114", { headBlock, indexedBlock: 30 })] })
    return body.chains[0].ready
  }
  expect([await readyAt(20), await readyAt(19)]).toEqual([true, false])
})

test("/ready 200 on an instance that waits while another one writes what it serves", async () => {
  const standby = syncStatus("43114", { phase: "waiting", headBlock: 6, heardAt: steadyNow() })
  expect((await answerOf("/ready", { status: [standby] }, "43114")).status).toBe(200)
})

test("/ready 200 and degraded while a chain that is near enough has a problem: nobody reads it as plainly ready", async () => {
  const problem = "http://node.test: eth_getLogs(…): HTTP 429"
  const troubled = syncStatus("43114", { headBlock: 5, indexedBlock: 5, problem })
  expect(await answerOf("/ready", { status: [troubled] }, "43114")).toMatchObject({
    status: 200,
    body: { status: "degraded", chains: [{ ready: true, problem }] },
  })
  const doubt = "http://node.test told 2 token logs of block 3, its receipts hold 3"
  const doubtful = syncStatus("43114", { headBlock: 5, indexedBlock: 5, doubt })
  expect((await answerOf("/ready", { status: [doubtful] }, "43114")).body).toMatchObject({
    status: "degraded",
    chains: [{ ready: true, problem: doubt }],
  })
  const both = { ...doubtful, problem }
  expect((await answerOf("/ready", { status: [both] }, "43114")).body.chains[0].problem).toBe(problem)
  const far = syncStatus("43114", { headBlock: 50, indexedBlock: 5, problem })
  expect(await answerOf("/ready", { status: [far] }, "43114")).toMatchObject({
    status: 503,
    body: { status: "not ready", chains: [{ ready: false, problem }] },
  })
})

test("/ready 503 while requests of a chain are refused here, however near its head it is, and says why", async () => {
  const older = "the ledger of chain 43114 is of an older version"
  const refusal = (asked: ReadonlyArray<string>) => (asked.includes("43114") ? older : undefined)
  const heads = { headBlock: 5, indexedBlock: 5 }
  const read = async (problem: string | undefined, role: "both" | "writer" = "both") => {
    const service = await startService({
      status: [syncStatus("1", heads), syncStatus("43114", { ...heads, ...(problem !== undefined && { problem }) })],
      replace: Layer.succeed(Networks, { chains, role, refusal }),
    })
    const [{ status, body }, asked] = [await service.get("/ready"), await service.get(`${prefix("43114")}/erc20`)]
    const metrics = await (await service.fetch("/metrics")).text()
    await service.close()
    const ready = /^cowry_chain_ready\{chain="43114"\} (\d)$/m.exec(metrics)?.[1]
    const [other, chain] = body.chains
    return { asked: asked.status, status, other: other.ready, chain: chain.ready, problem: chain.problem, ready }
  }
  const refused = { asked: 503, status: 503, other: true, chain: false, ready: "0" }
  expect(await read(undefined)).toEqual({ ...refused, problem: older })
  // As the process that follows it is said to be: once is enough.
  expect(await read(older)).toEqual({ ...refused, problem: older })
  expect(await read("the node is behind")).toEqual({ ...refused, problem: `${older}; the node is behind` })
  // Who only follows refuses every request, and is asked whether it follows.
  expect(await read(undefined, "writer")).toMatchObject({ asked: 503, status: 200, chain: true, ready: "1" })
})

test("/ready says what a chain waits for", async () => {
  const waiting = syncStatus("1", { phase: "waiting" })
  const opening = syncStatus("10", { phase: "waiting", headBlock: 7, heardAt: Date.now() })
  const { body } = await answerOf("/ready", { status: [waiting, opening] })
  expect(body.chains.map((chain: { problem?: string }) => chain.problem)).toEqual([
    "waiting for the node's first answer",
    "waiting for the ledger to be opened and its first blocks to be read",
  ])
})

const loading = { phase: "deriving", headBlock: 99, indexedBlock: 98, done: 0.7512, secondsLeft: 130 } as const

test("/ready tells a first sync in bulk: its step, what is done, what is left; it is not ready, however near its head", async () => {
  const { status, body } = await answerOf("/ready", { status: [syncStatus("1"), syncStatus("10", loading)] })
  expect(status).toBe(503)
  expect(body.chains[1]).toMatchObject({ ready: false, phase: "deriving", done: 0.7512, secondsLeft: 130 })
})

test("while a chain is loaded in bulk what its ledger would answer is 503 CHAIN_SYNCING, and the rest is answered", async () => {
  const service = await startService({ status: [syncStatus("43114", loading), syncStatus("1"), syncStatus("10")] })
  const path = "/v2/network/mainnet/evm"
  for (const list of ["erc20", "erc20-transfers", "erc721-transfers", "erc1155-transfers"]) {
    const response = await service.fetch(`${path}/43114/${list}`)
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("130")
    expect(await response.json()).toEqual({
      statusCode: 503,
      code: "CHAIN_SYNCING",
      error: "Service Unavailable",
      message:
        "chain 43114 is being synced for the first time (deriving, 75.1 % done, about 3 min left): its data can be read when that is done",
    })
  }
  const compat = `${path}/43114/etherscan/api?module=stats&action=tokensupply&contractaddress=0x${"00".repeat(20)}`
  expect(await service.get(compat)).toEqual({
    status: 200,
    body: {
      status: "0",
      message: "NOTOK",
      result:
        "chain 43114 is being synced for the first time (deriving, 75.1 % done, about 3 min left): its data can be read when that is done",
    },
  })
  expect((await service.get(`${path}/43114/etherscan/api?module=getapilimit&action=getapilimit`)).status).toBe(200)
  expect((await service.get(`${path}/all/erc20`)).status).toBe(200)
  expect((await service.get(`${path}/1/erc20`)).status).toBe(200)
  await service.close()
})
