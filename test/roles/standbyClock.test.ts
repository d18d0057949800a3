/** A standby whose clock differs from the primary's is behind by what it lacks, also where the primary is not heard any more. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import type { DatabaseShape } from "../../src/adapters/postgres/database/Database.ts"
import { makeServers } from "../../src/adapters/postgres/servers/servers.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"

const started = Date.now()
/** A server that answers a look with this row; undefined = it does not answer. */
const server = (url: string, isPrimary: boolean, row: () => object | undefined) => {
  const query = () =>
    Effect.suspend(() => {
      const found = row()
      return found === undefined ? Effect.fail(new StoreUnavailable({ cause: "gone" })) : Effect.succeed([found])
    })
  const database = { probes: { query }, distributed: () => false } as unknown as DatabaseShape
  return { url, isPrimary, database }
}
const row = { version: "18.4", number: 180_004, writes: false, fed: true, even: true, distributed: false, place: 100 }

for (const aheadMs of [40_000, -40_000])
  test(`its clock is ${aheadMs} ms ahead`, async () => {
    let isHeard = true
    let behindMs = 0
    const clock = () => performance.now() + started
    const standby = () => ({
      ...{ ...row, standby: true, clock: clock() + aheadMs, since: behindMs + aheadMs },
      ...{ fed: isHeard, even: isHeard },
    })
    const primary = () => (isHeard ? { ...row, standby: false, writes: true, clock: clock() } : undefined)
    const servers = makeServers(
      [server("postgres://near/d", false, standby), server("postgres://first/d", true, primary)],
      2000,
    )
    const look = async () => {
      await Effect.runPromise(servers.look)
      const { lagMs, problem } = servers.list()[0]!
      return [Math.round(lagMs! / 1000), problem?.slice(0, 5)]
    }
    expect(await look()).toEqual([0, undefined])
    isHeard = false
    behindMs = 1000
    expect(await look()).toEqual([1, undefined])
    behindMs = 20_000
    expect(await look()).toEqual([20, "it is"])
  })
