/** A standby that has another log than the primary's: what it has replayed is not the primary's, however far it has come. */
import { expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import type { Look } from "../../src/adapters/postgres/servers/lag.ts"
import { makeOtherLogs } from "../../src/adapters/postgres/servers/logs.ts"
import { makeLook } from "../../src/adapters/postgres/servers/look.ts"
import * as ReaderDatabase from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import { startReplicated } from "../support/standby.ts"

const problem = "its log is not the primary's: a failover left it behind, or it follows another server"

test("one that a failover left behind with more than the primary has is not read; who tells which log it has", async () => {
  const servers = await startReplicated()
  const admin = postgres(servers.primary.url, { max: 1, onnotice: () => {} })
  try {
    await admin`create table written (number int)`
    await admin`create role guest login`
    await admin`create role told login`
    await admin`grant pg_read_all_stats to told`
    await servers.level()
    const lookAs = async (url: string, username: string) => {
      const primary = Object.assign(new URL(url), { username }).href
      const runtime = ManagedRuntime.make(
        ReaderDatabase.layer({ readUrls: [], primary, schema: "cowry", maxLagMs: 2000 }),
      )
      const look = await runtime.runPromise(Effect.flatMap(Database, makeLook))
      await runtime.dispose()
      return look.timeline
    }
    const { primary, standby } = servers
    expect([await lookAs(primary.url, "guest"), await lookAs(standby.url, "told")]).toEqual([1, 1])
    expect(await lookAs(standby.url, "guest")).toBeUndefined()

    await servers.failOver(async () => {
      await admin`insert into written select generate_series(1, 10000)`
    })
    expect(await lookAs(standby.url, "guest")).toBe(2)
    const runtime = ManagedRuntime.make(
      ReaderDatabase.layer({ readUrls: [primary.url], primary: standby.url, schema: "cowry", maxLagMs: 60_000 }),
    )
    const { servers: found } = await runtime.runPromise(Database)
    const isSeen = () => found.list()[0]?.problem === problem && found.list()[1]?.isUsed === true
    for (const end = Date.now() + 20_000; !isSeen() && Date.now() < end; ) await pause(20)
    expect(found.list()[0]).toMatchObject({ isStandby: true, isUsed: false, problem })
    await runtime.dispose()
  } finally {
    await admin.end({ timeout: 1 })
    await servers.stop()
  }
})

const look = (patch: Partial<Look>): Look => ({
  ...{ version: "18.4", number: 180_004, isStandby: true, takesWrites: false, isFed: true, isEven: true },
  ...{ isDistributed: false, place: 100 },
  ...patch,
})
const serverOf = (name: string) => ({ name, isPrimary: name === "primary" })

/** Looks at the primary and a standby: whether the latter is of another log. */
const open = () => {
  const others = makeOtherLogs()
  const [standby, primary] = [serverOf("standby"), serverOf("primary")]
  return (ofPrimary: Partial<Look> | undefined, ofStandby: Partial<Look> | undefined): boolean =>
    others([
      { server: standby, look: ofStandby && look(ofStandby) },
      { server: primary, look: ofPrimary && look({ isStandby: false, ...ofPrimary }) },
    ]).others.has(standby)
}

test("an old primary that goes on behind a failover is not taken for the primary, and is of another log itself", () => {
  const others = makeOtherLogs()
  const servers = ["standby", "old", "alias", "primary"].map(serverOf)
  const at = (standby: number, alias: boolean, written: boolean) => {
    const newer = { isStandby: false, place: 300, timeline: 2 }
    const looks = [
      look({ place: standby, timeline: 2 }),
      look({ isStandby: false, place: 100, timeline: 1 }),
      alias ? look(newer) : undefined,
      written ? look(newer) : undefined,
    ]
    const found = others(servers.map((server, place) => ({ server, look: looks[place] })))
    return [found.primary?.server.name, [...found.others].map(({ name }) => name)]
  }
  expect(at(250, true, true)).toEqual(["primary", ["old"]])
  expect(at(300, true, true)).toEqual(["primary", ["old"]])
  // While the one that is written to is not heard, that of the newest timeline is it, and nobody where only older ones are heard.
  expect(at(300, true, false)).toEqual(["alias", ["old"]])
  expect(at(300, false, false)).toEqual([undefined, ["old"]])
  expect(at(301, true, true)).toEqual(["primary", ["old"]])
})

test("what a standby had before the primary has it is of another log, until it begins again or the primary does", () => {
  const isOther = open()
  // The two are asked at one time: what one of them says first may be a moment older.
  expect(isOther({ place: 100 }, { place: 120 })).toBe(false)
  expect(isOther({ place: 120 }, { place: 130 })).toBe(false)
  expect(isOther({ place: 125 }, { place: 130 })).toBe(true)
  expect(isOther({ place: 500 }, { place: 130 })).toBe(true)
  expect(isOther(undefined, { place: 130 })).toBe(true)
  expect(isOther({ place: 510 }, undefined)).toBe(false)
  expect(isOther({ place: 520 }, { place: 130 })).toBe(false)
  expect(isOther({ place: 120 }, { place: 130 })).toBe(true)
  expect(isOther({ place: 120 }, { place: 90 })).toBe(false)
  expect(isOther({ place: 80 }, { place: 90 })).toBe(true)
  expect(isOther({ place: 85, timeline: 2 }, { place: 95 })).toBe(true)
  expect(isOther({ place: 300, timeline: 3 }, { place: 100 })).toBe(false)
  const { place: _place, ...mute } = look({})
  expect(isOther({ place: 300, timeline: 3 }, mute)).toBe(false)
})

test("one that is sent another timeline is of another log; before the primary is heard a newer one may be its own", () => {
  const isOther = open()
  expect(isOther({ timeline: 1 }, { timeline: 1 })).toBe(false)
  expect(isOther(undefined, { timeline: 2 })).toBe(false)
  expect(isOther({ timeline: 1 }, { timeline: 2 })).toBe(true)
  expect(isOther({ timeline: 2 }, { timeline: 2 })).toBe(false)
  expect(isOther(undefined, { timeline: 1 })).toBe(true)
  expect(isOther({ timeline: 2 }, { timeline: 1 })).toBe(true)
  expect(isOther({ timeline: 2 }, {})).toBe(false)
  expect(isOther({}, { timeline: 1 })).toBe(false)
})
