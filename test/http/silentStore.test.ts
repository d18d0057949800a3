/** Streams whose connections go silent, as where the database's host vanishes: they are broken off, and their places are free again. */
import { expect, test } from "bun:test"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { problemOf } from "../support/failure.ts"
import { startCuttable } from "../support/nodes/cuttable.ts"
import { testDatabase } from "../support/postgres.ts"
import { prefix, startService, store } from "./support.ts"

/** Of one caller. */
const mostAtOnce = 3

test("streams that hear no more of the database are broken off, and others begin", async () => {
  const url = new URL(await testDatabase())
  const line = await startCuttable(url.hostname, Number(url.port))
  url.port = String(line.port)
  const storeLayer = PostgresStore.layer({ url: url.href, queryBudgetMs: 4000 })
  const service = await startService({ storeLayer, streams: { rowsMs: 2000, unreadMs: 60_000 } })
  try {
    const token = address(0x70)
    const holders = Array.from({ length: 2500 }, (_, place) => transfer(token, address(0), address(place + 500), 1n))
    await store(service, "43114", new TestChain().block(holders))
    const begin = () =>
      service.fetch(`${prefix("43114")}/erc20/${token}/holders`, { headers: { accept: "application/x-ndjson" } })
    const begun = await Promise.all(Array.from({ length: mostAtOnce }, begin))
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
    line.hush()
    const problems = await Promise.all(begun.map((response) => problemOf(response.text())))
    expect(problems.map((it) => it.includes("the store gives no further rows"))).toEqual(begun.map(() => true))
    // What is read beside it comes over new connections as soon as a read was given up.
    let next = await begin()
    while (next.status !== 200) next = await begin()
    expect((await next.text()).trim().split("\n").length).toBe(holders.length)
  } finally {
    await line.stop()
    await service.close()
  }
})
