/** What connections ask for as they are opened is what docs/operations.md names for poolers, streams included. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { createServer, connect as dial, type Socket } from "node:net"
import { Effect } from "effect"
import postgres from "postgres"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import type { ChainId } from "../../../src/model/primitives.ts"
import { Snapshots } from "../../../src/ports/Snapshots.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { freshChainId, openStore } from "../../contracts/store.ts"
import { TestChain } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"

/** What a pooler in session mode keeps track of by itself, or what names the connection. */
const known = ["DateStyle", "standard_conforming_strings", "application_name", "client_encoding", "database", "user"]

const listOf = (chainId: ChainId) =>
  TokenStore.use((port) =>
    port.list({
      standard: "erc20",
      chains: [chainId],
      sort: { field: "createdAt", direction: "desc" },
      page: { limit: 1 },
      count: false,
    }),
  )

test("no connection asks for a parameter that is not in the page's list, and each of those is asked for", async () => {
  const url = new URL(await testDatabase())
  const asked = new Set<string>()
  const server = createServer((client) => {
    const upstream = dial(Number(url.port), url.hostname)
    // A length, the version of the protocol, then names and values.
    client.once("data", (packet: Buffer) => {
      const words = packet.subarray(8).toString().split("\0")
      for (let place = 0; words[place]; place += 2) asked.add(words[place]!)
    })
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream] satisfies ReadonlyArray<Socket>)
      socket.on("error", () => {
        client.destroy()
        upstream.destroy()
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const through = new URL(url)
  through.port = `${(server.address() as { readonly port: number }).port}`
  const store = await openStore(async () => PostgresStore.layer({ url: through.href }))
  try {
    const chainId = freshChainId()
    await store.open({ chainId })
    const streamed = Snapshots.use(({ open }) =>
      Effect.flatMap(open, (held) => Effect.provideContext(listOf(chainId), held)),
    )
    expect((await store.run(Effect.scoped(streamed))).value.items).toEqual([])
  } finally {
    await store.close()
    server.close()
  }
  const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
  const [, listed = ""] = /`ignore_startup_parameters = ([\w,\s]+)`/.exec(page) ?? []
  expect([...asked].filter((name) => !known.includes(name)).sort()).toEqual(listed.split(/,\s+/))
})

test("a stream outlives what the database lets a transaction idle", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set idle_in_transaction_session_timeout = '100ms'`)
  await sql.end()
  const store = await openStore(async () => PostgresStore.layer({ url }))
  try {
    const chainId = freshChainId()
    await store.open({ chainId })
    const read = Effect.gen(function* () {
      const held = yield* (yield* Snapshots).open
      const list = Effect.provideContext(listOf(chainId), held)
      return [yield* list, yield* Effect.delay(list, 500)].map(({ value }) => value.items)
    })
    expect(await store.run(Effect.scoped(read))).toEqual([[], []])
  } finally {
    await store.close()
  }
})

test("a server that cannot tell closed sockets, and takes no look at them, is written all the same", async () => {
  const url = new URL(await testDatabase())
  let refused = 0
  const server = createServer((client) => {
    const upstream = dial(Number(url.port), url.hostname)
    // Linux can tell: a length that is none is refused as such a platform refuses any, with 22023.
    client.on("data", (packet: Buffer) => {
      const place = packet.indexOf("'10s'")
      if (place >= 0) refused += packet.write("'-1s'", place)
      upstream.write(packet)
    })
    upstream.pipe(client)
    for (const socket of [client, upstream] satisfies ReadonlyArray<Socket>)
      for (const end of ["error", "close"])
        socket.on(end, () => {
          client.destroy()
          upstream.destroy()
        })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const through = new URL(url)
  through.port = `${(server.address() as { readonly port: number }).port}`
  const store = await openStore(async () => PostgresStore.layer({ url: through.href }))
  try {
    const chainId = freshChainId()
    const writer = await store.open({ chainId })
    const chain = new TestChain().block().block()
    expect((await store.run(writer.append(chain.segment(0)))).checkpoint.nextBlock).toBe(2)
    expect(refused).toBeGreaterThan(0)
  } finally {
    await store.close()
    server.close()
  }
})
