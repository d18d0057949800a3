/** Notes beside the ledger's writer: neither waits for the other, and nothing is lost by it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import type { AddressedNote } from "../../../src/model/tokenNote.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import { openStore, type TestStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"

const coin = (number: number) => address(0x9000 + number)
const trust = (token: Address): AddressedNote => ({ address: token, trusted: true, texts: {} })

for (const version of VERSIONS) {
  let store: TestStore
  let admin: postgres.Sql
  beforeAll(async () => {
    const url = await testDatabase(version)
    admin = postgres(url, { max: 2, onnotice: () => {} })
    store = await openStore(async () => PostgresStore.layer({ url, schema: "notes" }))
  })
  afterAll(async () => {
    await store.close()
    await admin.end()
  })

  const record = (...notes: ReadonlyArray<AddressedNote>) =>
    store.run(TokenNotes.use((port) => port.record(ChainId.make("1"), notes)))
  const trusted = async () => {
    const sort = { field: "createdAt", direction: "desc" } as const
    const query = { chains: [ChainId.make("1")], sort, page: { limit: 100 }, count: true }
    const { value } = await store.run(TrustedTokens.use((port) => port.list(query)))
    expect(value.count).toEqual({ count: value.items.length, countType: "exact" })
    return value.items.map((token) => token.address).sort()
  }

  test(`on PostgreSQL ${version}, tokens that somebody is at work on are left out, and taken the next time`, async () => {
    const writer = await store.open({ chainId: ChainId.make("1") })
    const chain = new TestChain().block([1, 2, 3].map((number) => transfer(coin(number), address(0), address(1), 5n)))
    await store.run(writer.append(chain.segment(0)))
    expect(await record(trust(coin(1)))).toBe("all")
    await admin.begin(async (tx) => {
      await tx`select from notes_1.token_stat where address = ${Buffer.from(coin(1).slice(2), "hex")} for update`
      await tx`select from notes_1.token where address = ${Buffer.from(coin(2).slice(2), "hex")} for update`
      expect(await record(trust(coin(2)), trust(coin(3)))).toBe("partly")
      expect(await trusted()).toEqual([coin(1), coin(3)])
    })
    expect(await record(trust(coin(2)), trust(coin(3)))).toBe("all")
    expect(await trusted()).toEqual([coin(2), coin(3)])
    const differing = await admin`
      select from notes_1.token t join notes_1.token_stat s using (token_id) where t.trusted <> s.trusted`
    expect(differing).toHaveLength(0)
  })

  test(`on PostgreSQL ${version}, a note that came while its token was born in an open append is made up for`, async () => {
    await record()
    const writer = await store.open({ chainId: ChainId.make("2") })
    const chain = new TestChain().block([transfer(coin(9), address(0), address(1), 5n)])
    await store.run(writer.extend(chain.segment(0)))
    const ofTwo = (...notes: ReadonlyArray<AddressedNote>) =>
      store.run(TokenNotes.use((port) => port.record(ChainId.make("2"), notes)))
    expect(await ofTwo(trust(coin(9)))).toBe("all")
    await store.run(writer.commit)
    expect(await ofTwo(trust(coin(9)))).toBe("all")
    const sort = { field: "name", direction: "desc" } as const
    const query = { chains: [ChainId.make("2")], sort, page: { limit: 100 }, count: false }
    const { value } = await store.run(TrustedTokens.use((port) => port.list(query)))
    expect(value.items.map((token) => token.address)).toEqual([coin(9)])
  })
}
