/** Clients that are not run here: their queries, replayed literally, are answered in what each of them reads; and docs/clients.md says who answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ask, type ClientsWorld, readClientsPage, startClientsWorld, withClientsTable } from "../../clients/page.ts"
import { replays } from "../../clients/replays.ts"

let world: ClientsWorld
beforeAll(async () => {
  world = await startClientsWorld()
})
afterAll(() => world.stop())

describe.each(replays)("$client", ({ queries, complaint }) => {
  test.each(queries)("%s", async (query) => {
    const { who, body } = await ask(world, query)
    const isRead = !/verifysourcecode|verifyproxycontract|eth_sendRawTransaction/.test(query)
    expect(who).toMatch(isRead ? /^(Cowry|node|upstream)$/ : /^refused$/)
    expect(complaint(query, body)).toBeUndefined()
  })
})

test("no client's key went up", () => {
  expect(world.upstream.seen.length).toBeGreaterThan(0)
  for (const { whole } of world.upstream.seen) expect(whole).not.toContain("callers-own-key")
})

test("the page says who answers each call", async () => {
  const page = readClientsPage()
  // Not so any more? `bun test/clients/page.ts` writes it down anew.
  expect(await withClientsTable(page, world)).toBe(page)
})
