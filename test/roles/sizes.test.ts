/** Connections by settings, and a server that has too few of them; which server reads go to; what of a journal is waited for. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Effect, Result } from "effect"
import postgres from "postgres"
import { sharedBuffers } from "../../src/adapters/embedded/settings.ts"
import { atLeast, meets, readMinBlocks } from "../../src/adapters/http/newEnough/minBlock.ts"
import { roomFor } from "../../src/adapters/postgres/database/serverCheck.ts"
import { journalProblem } from "../../src/adapters/postgres/registry/journal.ts"
import { type Candidate, chooseServer, problemOf } from "../../src/adapters/postgres/servers/choose.ts"
import { type Look, lagOf, makeTrails, noteLook } from "../../src/adapters/postgres/servers/lag.ts"
import { connectionsOf, embeddedSettings } from "../../src/app/connections.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { makeKnownChains } from "../../src/domain/registry/knownChains.ts"
import type { AsOf } from "../../src/model/block.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { ServedChain } from "../../src/ports/ChainRegistry.ts"
import { Freshness } from "../../src/ports/Freshness.ts"
import type { Role } from "../../src/ports/Networks.ts"
import { type ReadServer, ReadServers } from "../../src/ports/ReadServers.ts"
import { testDatabase } from "../support/postgres.ts"

const configOf = (given: Record<string, string>) => {
  const config = readConfig(given)
  if ("problems" in config) throw new Error(config.problems.join("\n"))
  return config
}
const chains = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`RPC_URL_${990_000 + index}`, "http://127.0.0.1:1"]))

test("the embedded server has room for every chain, as it had for few; its table of locks grows with the chains", () => {
  expect(embeddedSettings(configOf(chains(1)))).toEqual({ max_connections: "100", max_locks_per_transaction: "1024" })
  const large = configOf(chains(150))
  const { max_connections: most, max_locks_per_transaction: locks } = embeddedSettings(large)
  expect(Number(most)).toBeGreaterThanOrEqual(connectionsOf(large).most + 3)
  expect(connectionsOf(large).most).toBeGreaterThan(connectionsOf(large).least + 149)
  expect(Number(most) * Number(locks)).toBeGreaterThanOrEqual(150 * 700)
  const reader = connectionsOf(configOf({ ROLE: "reader", DATABASE_URL: "postgres://h/d", ...chains(150) }))
  expect(reader.most).toBeLessThan(40)
})

test("docs/operations.md comes to the same connections", () => {
  const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
  const table = page.match(/^\| for \| connections \|\n(?:\|.*\n)+\n.*/m)?.[0] ?? ""
  const numbersOf = (start: string) =>
    (table.match(new RegExp(`^(?:\\| )?${start}.*`, "m"))?.[0].match(/\d+/g) ?? []).map(Number)
  const [reads = 0, opening = 0] = numbersOf("reads")
  const [wide = 0, streams = 0] = [...numbersOf("pages"), ...numbersOf("streams")]
  const [looks = 0, moreLooks = 0] = numbersOf("readiness")
  const all = reads + wide + streams
  const sums = [all + opening + looks, all + opening + moreLooks, all + moreLooks]
  expect(numbersOf("That is")).toEqual(sums)

  const database = { DATABASE_URL: "postgres://h/d", DATABASE_READ_URL: "postgres://standby/d" }
  const of = (given: Record<string, string>) => connectionsOf(configOf({ ...given, ...chains(1) })).least
  const [chain = 0] = numbersOf("each chain")
  expect([of({}) - chain, of(database) - chain, of({ ROLE: "reader", ...database })]).toEqual(sums)
  expect(of({ ROLE: "reader", DATABASE_URL: database.DATABASE_URL })).toBe(sums[2]!)
  // It looks at no standby.
  expect(of({ ROLE: "writer", ...database }) - chain).toBe(sums[0]!)
})

test("the embedded server's buffers are a sixteenth of the memory, within bounds", () => {
  const gigabyte = 2 ** 30
  expect([1, 4, 8, 24, 512].map((it) => sharedBuffers(it * gigabyte))).toEqual([
    "256MB",
    "256MB",
    "512MB",
    "1536MB",
    "2048MB",
  ])
  expect(sharedBuffers()).toMatch(/^\d+MB$/)
})

test("a server, a role and a database with too few connections are refused in words, and scarcity is told", async () => {
  const sql = postgres(await testDatabase(), { max: 1, onnotice: () => {} })
  const words = "12 for reads"
  try {
    expect(await roomFor(sql, { least: 30, most: 50, words })).toEqual({})
    expect((await roomFor(sql, { least: 30, most: 250, words })).warning).toContain("raise max_connections by 53")
    const { obstacle } = await roomFor(sql, { least: 198, most: 250, words })
    expect(obstacle).toContain("198 connections to the database are needed (12 for reads)")
    expect(obstacle).toContain("the server of DATABASE_URL has 197")
    await sql`create role sparse_connections connection limit 20`
    await sql`set role sparse_connections`
    expect((await roomFor(sql, { least: 30, most: 50, words })).obstacle).toContain("the database's role may have 20")
  } finally {
    await sql`reset role`
    await sql`drop role if exists sparse_connections`
    await sql.end()
  }
})

test("a reader needs a database and no node; settings of chains without one are no fault of a reader", () => {
  const problems = (given: Record<string, string>, options: Parameters<typeof readConfig>[2] = {}) => {
    const config = readConfig(given, {}, options)
    return "problems" in config ? config.problems : []
  }
  expect(problems({ ROLE: "reader" })).toEqual([expect.stringContaining("DATABASE_READ_URL")])
  expect(problems({ ROLE: "reader", DATABASE_READ_URL: "postgres://h/d", NETWORK_1: "mainnet" })).toEqual([])
  expect(problems({ ROLE: "writer", DATABASE_URL: "postgres://h/d" })).toEqual([expect.stringContaining("RPC_URL_")])
  for (const ROLE of ["both", "writer"])
    expect(problems({ ROLE, RPC_URL_1: "http://127.0.0.1:1", DATABASE_READ_URL: "postgres://h/d" })).toEqual([
      expect.stringContaining("DATABASE_READ_URL names standbys"),
    ])
  expect(problems({ ROLE: "reader", DATABASE_READ_URL: "http://user:secret@h" })[0]).not.toContain("secret")

  // A command works on what the standbys follow, whether it needs nodes or not.
  for (const withoutNodes of [true, false]) {
    const command = { isCommand: true, withoutNodes }
    const standby = "postgres://user:secret@standby/d"
    for (const ROLE of ["reader", "both"])
      expect(problems({ ROLE, RPC_URL_1: "http://127.0.0.1:1", DATABASE_READ_URL: standby }, command)).toEqual([
        "DATABASE_URL: DATABASE_READ_URL names standbys, so the database that they follow is needed for a command",
      ])
    expect(problems({ ROLE: "reader" }, command)).toEqual([
      "DATABASE_URL: ROLE is reader, so the database of a writer is needed",
    ])
    const both = { ROLE: "reader", DATABASE_URL: "postgres://h/d", DATABASE_READ_URL: standby }
    expect(problems(both, command)).toEqual([])
  }
  expect(problems({}, { isCommand: true, withoutNodes: true })).toEqual([])
})

const look = (patch: Partial<Look> = {}): Look => ({
  ...{
    version: "18.4",
    number: 180_004,
    isStandby: true,
    takesWrites: false,
    place: 100,
    isFed: true,
    isEven: true,
    isDistributed: false,
  },
  ...patch,
})

const primary = look({ isStandby: false })

test("a standby is behind since the primary first had what it lacks", () => {
  const trails = makeTrails()
  expect(lagOf(look(), trails, 0, primary)).toBe(0)
  expect(lagOf(look({ isEven: false, sinceReplayMs: 700 }), trails, 0, primary)).toBe(700)
  expect(lagOf(look({ isFed: false }), trails, 0, primary)).toBeUndefined()
  trails.log.note(100, 1000)
  trails.log.note(200, 2000)
  trails.log.note(300, 3000)
  // A primary that is idle for an hour leaves nobody behind; one that wrote does, whatever the standby says of itself.
  expect(lagOf(look({ place: 300, isFed: false }), trails, 9_000_000, primary)).toBe(0)
  expect(lagOf(look({ place: 299 }), trails, 3500, primary)).toBe(500)
  expect(lagOf(look({ place: 150 }), trails, 3500, primary)).toBe(1500)
  expect(lagOf(look({ isStandby: false }), trails, 3500, primary)).toBe(0)
  // Another primary's log is another.
  trails.log.note(50, 4000)
  expect(lagOf(look({ place: 50 }), trails, 4500, primary)).toBe(0)
})

test("what a standby lacks since before the primary was heard it lacks for as long as it says itself, or nobody knows how long", () => {
  const trails = makeTrails()
  noteLook(trails, { ...primary, place: 6_000_000_000, transaction: 900 }, 1000)
  // Connected, and nothing more has come: it is fed from an old backup as fast as the network goes.
  const old = look({ place: 10, sinceReplayMs: 21_600_000 })
  expect(lagOf(old, trails, 1005, primary)).toBe(21_600_000)
  expect(lagOf(old, trails, 1005, primary, 600_000)).toBe(21_000_000)
  expect(lagOf(look({ place: 10, sinceReplayMs: 3 }), trails, 1205, primary)).toBe(205)
  expect(lagOf(look({ place: 10 }), trails, 1205, primary)).toBeUndefined()
  expect(lagOf(look({ place: 6_000_000_000 }), trails, 1205, primary)).toBe(0)
  // Once it has come that far, it is the log that tells.
  noteLook(trails, { ...primary, place: 6_000_000_900, transaction: 901 }, 2000)
  expect(lagOf(look({ place: 6_000_000_000, sinceReplayMs: 1700 }), trails, 2400, primary)).toBe(400)
  // A primary that went back is heard for the first time again.
  noteLook(trails, { ...primary, place: 500 }, 3000)
  expect(lagOf(old, trails, 3000, { ...primary, place: 500 })).toBe(21_600_000)
  const { place: _place, ...mute } = look({ sinceReplayMs: 9000 })
  expect(lagOf({ ...mute, transaction: 899 }, trails, 3000, { ...primary, transaction: 901 })).toBe(9000)
  expect(lagOf({ ...mute, transaction: 900 }, trails, 3000, { ...primary, transaction: 901 })).toBe(1000)
})

test("what the primary came to while it was not heard a standby may have lacked for all that time", () => {
  const trails = makeTrails()
  noteLook(trails, { ...primary, place: 100 }, 1000)
  noteLook(trails, { ...primary, place: 110 }, 1250)
  noteLook(trails, { ...primary, place: 110 }, 11_250)
  noteLook(trails, { ...primary, place: 900 }, 3_611_250)
  const of = (sinceReplayMs?: number, place = 110) =>
    lagOf(look({ place, ...(sinceReplayMs !== undefined && { sinceReplayMs }) }), trails, 3_611_255, primary)
  expect(of(3_000_000)).toBe(3_000_000)
  expect(of(4)).toBe(5)
  // Up to when the primary was last heard it lacked nothing, however old its last transaction is.
  expect(of(90_000_000)).toBe(3_600_005)
  expect(of()).toBe(3_600_005)
  expect(of(90_000_000, 900)).toBe(0)
  // Heard as usual again.
  noteLook(trails, { ...primary, place: 950 }, 3_611_500)
  expect(lagOf(look({ place: 900, sinceReplayMs: 9000 }), trails, 3_611_505, primary)).toBe(5)
})

test("where the log is not told a standby is behind since the primary first had a transaction that it lacks", () => {
  const trails = makeTrails()
  const { place, ...mute } = look({ isFed: false, isEven: false })
  const of = (transaction: number, now: number, told = true) =>
    lagOf({ ...mute, transaction }, trails, now, told ? { ...primary, transaction: 1 } : undefined)
  noteLook(trails, { ...mute, isStandby: false, transaction: 700 }, 1000)
  noteLook(trails, { ...mute, isStandby: false, transaction: 701 }, 2000)
  noteLook(trails, { ...mute, transaction: 800 }, 2500)
  expect(of(701, 9_000_000)).toBe(0)
  expect(of(700, 3500)).toBe(1500)
  expect(of(699, 3500)).toBeUndefined()
  // A standby that tells nothing of its own accord, beside a primary that is not heard, or tells neither.
  expect(of(701, 3500, false)).toBeUndefined()
  expect(lagOf({ ...mute, transaction: 701 }, trails, 3500, { ...mute, isStandby: false })).toBeUndefined()
  expect(lagOf(mute, trails, 3500, { ...mute, isStandby: false, transaction: 701 })).toBeUndefined()
})

test("what the primary told before is the least that a standby lacks once it is not heard any more", () => {
  const trails = makeTrails()
  trails.log.note(100, 1000)
  const paused = look({ isEven: false, sinceReplayMs: 41_000 })
  expect(lagOf(paused, trails, 42_000, primary)).toBe(0)
  expect(lagOf(paused, trails, 42_000, undefined)).toBe(41_000)
  expect(lagOf(look(), trails, 42_000, undefined)).toBe(0)
  expect(lagOf(look({ isFed: false }), trails, 42_000, undefined)).toBeUndefined()
  trails.log.note(200, 2000)
  expect(lagOf(look(), trails, 42_000, undefined)).toBe(40_000)
})

test("reads go to the first that is near enough, at last to the primary; without one to the least old", () => {
  const standby = (lagMs?: number, answers = true): Candidate => ({
    isPrimary: false,
    ...(answers && { look: look() }),
    ...(lagMs !== undefined && { lagMs }),
  })
  const primary: Candidate = { isPrimary: true, look: look({ isStandby: false }), lagMs: 0 }
  const of = (...candidates: ReadonlyArray<Candidate>) => chooseServer(candidates, 2000)
  expect(of(standby(0), standby(0), primary)).toBe(0)
  expect(of(standby(2001), standby(2000), primary)).toBe(1)
  expect(of(standby(undefined, false), standby(), primary)).toBe(2)
  expect(of(standby(undefined, false), { isPrimary: true })).toBe(1)
  // A primary that failed is waited for until the next look; one that was looked for in vain is none.
  expect(of(standby(9000), { isPrimary: true, isAwaited: true })).toBe(1)
  expect(of(standby(9000), { isPrimary: true })).toBe(0)
  expect(of(standby(9000), standby(3000), { isPrimary: true })).toBe(1)
  expect(of(standby(9000), standby(3000), standby())).toBe(1)
  expect(problemOf(standby(9000), 2000)).toBe("it is 9000 ms behind (MAX_READ_LAG_MS is 2000)")
  expect(problemOf({ isPrimary: false, look: look({ number: 140_000, version: "14.1" }), lagMs: 0 }, 1)).toContain("15")
})

test("tables of another version are waited for, and the file is named", () => {
  expect(journalProblem("it", ["1", "2"], ["1", "2"])).toBeUndefined()
  expect(journalProblem("it", ["1"], ["1", "2"])).toContain("it is of an older version: it lacks migration 2")
  expect(journalProblem("it", ["1", "2", "3"], ["1", "2"])).toContain("it is of a newer version: it holds migration 3")
})

test("where the registry becomes another version's, what others follow is refused, and what is followed here goes on", () => {
  const chain = (id: string): ServedChain => ({
    ...{ chainId: ChainId.make(id), network: "mainnet", ecosystems: [], factories: new Map(), wrappedNative: [] },
    ...{ startBlock: 0, maxLag: 3, pollMs: 500 },
  })
  const [own, other] = [chain("1"), chain("10")]
  const status = { list: () => [], find: () => undefined, update: () => {} }
  const refusals = (role: Role) => {
    const known = makeKnownChains({ role, chains: role === "reader" ? [] : [own], status })
    const looks = [{ chains: [own, other].map((served) => ({ chainId: served.chainId, served })) }]
    return [...looks, { problem: "it is newer", chains: [] }, ...looks].map((look, second) => {
      known.take(look, second * 1000)
      return [own, other].map(({ chainId }) => known.networks.refusal?.([chainId]))
    })
  }
  const none = [undefined, undefined]
  expect(refusals("both")).toEqual([none, [undefined, "it is newer"], none])
  expect(refusals("reader")).toEqual([none, ["it is newer", "it is newer"], none])
})

test("x-min-block is a number, or x-as-of-block as it was answered", () => {
  const [one, ten] = [ChainId.make("1"), ChainId.make("10")]
  const of = (text: string | undefined, ...asked: ReadonlyArray<ChainId>) =>
    Result.match(readMinBlocks(text, asked), {
      onFailure: () => "refused",
      onSuccess: (it) => [...it].map(([id, block]) => `${id}:${block}`).join(),
    })
  expect(of(undefined, one)).toBe("")
  expect(of(" 12 ", one)).toBe("1:12")
  expect(of("1:12,10:7", one, ten)).toBe("1:12,10:7")
  expect(of("1:12, 43114:5,1:13", one)).toBe("1:13")
  for (const wrong of ["12", "1:", ":1", "x", "1:2:3", "1:-2", "1:1e3", "1:9999999999999999", "1:2,,"])
    expect([wrong, of(wrong, one, ten)]).toEqual([wrong, "refused"])
  const point = { chainId: one, blockNumber: 12 } as AsOf
  expect([
    meets([point], new Map([[one, 12]])),
    meets([point], new Map([[one, 13]])),
    meets([], new Map([[ten, 0]])),
  ]).toEqual([true, false, false])
})

test("a refusal of an answer that is too old names the block of the server that has come furthest", async () => {
  const chainId = ChainId.make("1")
  const at = (...blocks: ReadonlyArray<number>) => blocks.map((blockNumber) => ({ chainId, blockNumber }) as AsOf)
  const freshnessAt = (points: ReadonlyArray<AsOf>) =>
    Freshness.of({
      asOf: () => Effect.succeed(points),
      newest: () => Effect.succeed(points[0]),
      touched: () => Effect.undefined,
    })
  /** In the order in which they are tried: a standby that is passed over, the primary, one that knows of no block. */
  const servers = [at(6), at(9), at()]
  const serverOf = (place: number): ReadServer => ({
    ...{ label: `${place}`, isPrimary: place === 1, isStandby: place !== 1, takesWrites: place === 1 },
    ...{ isReached: true, isUsed: place === 1 },
  })
  const reads = ReadServers.of({
    list: () => servers.map((_, place) => serverOf(place)),
    on: (place, reading) =>
      Effect.updateService(reading, Freshness, () => freshnessAt(servers[place ?? 1]!)) as typeof reading,
    chosen: Effect.succeed(undefined),
  })
  const refused = await Effect.runPromise(
    Effect.flip(atLeast(new Map([[chainId, 12]]), Effect.succeed({ asOf: at(9) }))).pipe(
      Effect.provideService(ReadServers, reads),
      Effect.provideService(Freshness, freshnessAt(at(9))),
    ),
  )
  expect(refused.message).toBe("chain 1 has come to block 9 here, block 12 is wanted: ask again shortly")
})
