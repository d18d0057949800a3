/** What the audit knows of tokens in doubt, in a ledger that takes the place of the one it was found in. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { carryAudits, claimChain, NextLedger, swapIn } from "../../src/adapters/postgres/rebuild/rebuild.ts"
import { questionsOf } from "../../src/domain/audit/judging/figures.ts"
import { judge } from "../../src/domain/audit/judging/judge.ts"
import type { AuditState } from "../../src/model/audit.ts"
import { type Address, type ChainId, zeroAddress as zero } from "../../src/model/primitives.ts"
import type { Standard } from "../../src/model/token.ts"
import { type AuditRecord, AuditStore } from "../../src/ports/AuditStore.ts"
import { Ledger, type LedgerSettings, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { freshChainId, openStore, settingsOf, type TestStore } from "../contracts/store.ts"
import {
  address,
  deposit,
  hash,
  multiTransfer,
  nftTransfer,
  TestChain,
  type TestEvent,
  transfer,
} from "../support/chain/testChain.ts"
import { testDatabase } from "../support/postgres.ts"

const coin = (number: number) => address(0xc000 + number)
const [alice, bob] = [address(0xa), address(0xb)]
const rebaser = coin(1)
const drifter = coin(2)
/** The stored ledger lacks a transfer of these. */
const [gapped, gappedRebaser, gappedBefore] = [coin(3), coin(4), coin(5)]
/** It lacks a Deposit. */
const wrapped = coin(6)
const [equalSince, fine, cards, goods, gone, newcomer] = [coin(7), coin(8), coin(9), coin(10), coin(11), coin(12)]
/** Differs in blocks of which not all are final in the new ledger. */
const lately = coin(13)

const chainOf = (isWhole: boolean): TestChain => {
  const chain = new TestChain(new Set([wrapped]))
  const only = (isThere: boolean, ...events: ReadonlyArray<TestEvent>) => (isThere ? events : [])
  const all = [rebaser, drifter, gapped, gappedRebaser, gappedBefore, equalSince, fine, lately]
  return chain
    .block(only(isWhole, transfer(newcomer, zero, alice, 1n)))
    .block(all.map((token) => transfer(token, zero, alice, 100n)))
    .block([
      ...all.map((token) => transfer(token, alice, bob, 10n)),
      nftTransfer(cards, zero, alice, 1n),
      multiTransfer(goods, zero, alice, [[7n, 5n]]),
      deposit(wrapped, alice, 50n),
      ...only(!isWhole, transfer(gone, zero, alice, 1n)),
    ])
    .block(
      only(
        isWhole,
        ...[gapped, gappedRebaser, gappedBefore].map((token) => transfer(token, alice, bob, 1n)),
        deposit(wrapped, bob, 5n),
      ),
    )
    .block(all.map((token) => transfer(token, bob, alice, 1n)))
    .block()
    .block()
    .block()
    .block(all.map((token) => transfer(token, bob, alice, 1n)))
}
/** The stored ledger stands two blocks further. */
const storedChain = chainOf(false)
  .block([transfer(drifter, alice, bob, 3n)])
  .block()
const nextChain = chainOf(true)
const nextHead = nextChain.blocks.at(-1)!.header

let url: string
let sql: postgres.Sql
let store: TestStore
let commands: ManagedRuntime.ManagedRuntime<Database, unknown>
beforeAll(async () => {
  url = await testDatabase()
  sql = postgres(url, { max: 2, onnotice: () => {} })
  store = await openStore(async () => PostgresStore.layer({ url }))
  commands = ManagedRuntime.make(PostgresDatabase.layer({ url }))
})
afterAll(async () => {
  await store.close()
  await commands.dispose()
  await sql.end()
})

const put = (chainId: ChainId, ...records: ReadonlyArray<readonly [Address, Standard, Partial<AuditRecord>]>) =>
  store.run(
    Effect.gen(function* () {
      const audits = yield* AuditStore
      const { value } = yield* audits.sample(chainId, { tokens: records.map(([token]) => token) }, few)
      yield* audits.record(
        chainId,
        records.map(([address, standard, record]) => ({
          token: value.find(({ token }) => token.address === address && token.standard === standard)!.token,
          record: { state: "drift", blockNumber: 7, time: 1_700_000_084, compared: 3, watched: [], ...record },
        })),
      )
    }),
  )
const few = { top: 3, recent: 3, places: [] }
const find = async (chainId: ChainId, ...tokens: ReadonlyArray<Address>) =>
  (await store.run(AuditStore.use((audits) => audits.findMany(chainId, tokens)))).value
const counts = (chainId: ChainId) => store.run(AuditStore.use((audits) => audits.counts(chainId)))
const sampleOf = async (chainId: ChainId, token: Address) =>
  (await store.run(AuditStore.use((audits) => audits.sample(chainId, { tokens: [token] }, few)))).value[0]!

const wrappedNative = [wrapped]
/** With a writer of the ledger that is closed again. */
const writing = <A>(
  settings: Partial<LedgerSettings> & { chainId: ChainId },
  work: (writer: LedgerWriter) => Effect.Effect<A, unknown>,
) =>
  Effect.scoped(Ledger.use((ledger) => Effect.flatMap(ledger.open(settingsOf({ wrappedNative, ...settings })), work)))
const seedStored = async () => {
  const chainId = freshChainId()
  const whole = storedChain.segment(0, undefined, { finalizedBlock: 7 })
  await store.run(writing({ chainId }, (writer) => writer.append(whole)))
  return chainId
}

/** A ledger beside the stored one, as `cowry resync` builds it. */
const buildNext = (settings: Partial<LedgerSettings> & { chainId: ChainId }, finalizedBlock = 7) =>
  commands.runPromise(
    writing(settings, (writer) => writer.append(nextChain.segment(0, undefined, { finalizedBlock }))).pipe(
      Effect.provide(NextLedger.layer({})),
    ),
  )
const carry = (chainId: ChainId) => commands.runPromise(Database.use((database) => carryAudits(database, chainId)))
const swap = (chainId: ChainId) =>
  commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Database
        yield* swapIn(database, yield* claimChain(database, chainId), chainId, () => {})
      }),
    ),
  )

/** What the next look says of a token, where its contract says what the ledger says. */
const nextLook = async (chainId: ChainId, token: Address) => {
  const sample = await sampleOf(chainId, token)
  const answers = questionsOf(sample).map(({ ledger }) => ledger)
  return judge(sample, answers, { blockNumber: 20, time: 1_700_000_240, firstBlock: 0 }, true).record
}

const off = { of: "supply", ledger: "100", node: "90" } as const
const watched = [{ of: "balance", token: drifter, holder: bob, ledger: 8n, node: 7n, touched: 2 }] as const

test("tokens in doubt stay so, with what is known of them, and those of whose rows the stored ledger lacked some until they are compared", async () => {
  const chainId = await seedStored()
  await put(
    chainId,
    [rebaser, "erc20", { state: "rebasing", reason: "they change", differed: { from: 3, to: 7 } }],
    [
      drifter,
      "erc20",
      {
        ...{ blockNumber: 10, difference: off, reason: "1 of 3", differed: { from: 4, to: 10 }, watched },
        ...{ logs: { from: 0, to: 7 }, healed: { from: 2, to: 2 } },
      },
    ],
    [gapped, "erc20", { difference: off, differed: { from: 3, to: 7 } }],
    [gappedRebaser, "erc20", { state: "rebasing", differed: { from: 3, to: 7 } }],
    [gappedBefore, "erc20", { state: "exact", differed: { from: 3, to: 5 } }],
    [equalSince, "erc20", { state: "exact", reason: "equal again", differed: { from: 3, to: 5 } }],
    [fine, "erc20", { state: "exact" }],
    [cards, "erc721", { difference: off }],
    [goods, "erc1155", { state: "rebasing", differed: { from: 7, to: 7 } }],
    [wrapped, "erc20", { difference: off, differed: { from: 7, to: 7 } }],
    [gone, "erc20", { difference: off, differed: { from: 7, to: 7 } }],
    [lately, "erc20", { blockNumber: 10, difference: off, differed: { from: 8, to: 10 } }],
  )
  await buildNext({ chainId })
  // Another run was ended between this and the swap.
  await carry(chainId)
  await put(chainId, [fine, "erc20", { state: "rebasing" }])
  await carry(chainId)
  await put(chainId, [fine, "erc20", { state: "exact" }])
  await carry(chainId)
  await swap(chainId)

  const old = [rebaser, drifter, gapped, gappedRebaser, gappedBefore, equalSince, fine, cards, goods, wrapped, gone]
  const found = await find(chainId, ...old, lately, newcomer)
  const words: Readonly<Record<Address, readonly [AuditState, (readonly [number, number])?]>> = Object.fromEntries(
    found.map(({ address, state, differed }) => [
      address,
      differed === undefined ? [state] : [state, [differed.from, differed.to]],
    ]),
  )
  expect(words).toEqual({
    [rebaser]: ["rebasing", [3, 7]],
    [drifter]: ["drift", [4, nextHead.number]],
    [gapped]: ["drift"],
    [gappedRebaser]: ["drift"],
    [gappedBefore]: ["unverified"],
    [equalSince]: ["exact", [3, 5]],
    [fine]: ["unverified"],
    [cards]: ["drift"],
    [goods]: ["rebasing", [7, 7]],
    [wrapped]: ["drift"],
    [lately]: ["drift"],
    [newcomer]: ["unverified"],
  })
  expect(await counts(chainId)).toEqual({ exact: 1, drift: 6, rebasing: 2, unverified: 3 })
  const carried = found.find((it) => it.address === drifter)!
  const unaskedOf = (reason: string, it = found.find(({ address }) => address === gappedRebaser)) =>
    expect([it!.reason, it!.difference]).toEqual([reason, undefined])
  unaskedOf("was in rebasing before the chain was built anew, and was not compared since")
  expect([carried.blockNumber, carried.timestamp, carried.difference, carried.reason]).toEqual([
    nextHead.number,
    new Date(nextHead.time * 1000).toISOString() as typeof carried.timestamp,
    off,
    "1 of 3",
  ])
  const { last } = await sampleOf(chainId, drifter)
  expect([last!.watched, last!.logs, last!.healed]).toEqual([watched, undefined, undefined])

  // The next look is of those in drift first.
  const due = await store.run(AuditStore.use((audits) => audits.sample(chainId, { due: 20 }, few)))
  expect(due.value.slice(0, 5).map(({ last }) => last?.state)).toEqual(
    Array.from({ length: 5 }, () => "drift" as const),
  )
  for (const token of [gapped, lately]) expect(await nextLook(chainId, token)).not.toHaveProperty("differed")
  expect([(await nextLook(chainId, gapped)).state, (await nextLook(chainId, gappedRebaser)).state]).toEqual([
    "exact",
    "exact",
  ])
  expect(await nextLook(chainId, drifter)).toMatchObject({ state: "exact", differed: { from: 4, to: 19 } })
})

test("what was carried goes with a token that is rolled back, and gives way to what is compared later", async () => {
  const chainId = await seedStored()
  await put(chainId, [drifter, "erc20", { differed: { from: 4, to: 7 } }], [cards, "erc721", { difference: off }])
  await buildNext({ chainId }, 0)
  await carry(chainId)
  await swap(chainId)
  await store.run(writing({ chainId }, (writer) => writer.rollback(2)))
  expect(await counts(chainId)).toEqual({ exact: 0, drift: 1, rebasing: 0, unverified: 8 })
  await put(chainId, [drifter, "erc20", { state: "exact", blockNumber: 1 }])
  expect(await counts(chainId)).toEqual({ exact: 1, drift: 0, rebasing: 0, unverified: 8 })
})

test("of another version's ledger the states go over without blocks that differed, of another chain's nothing does", async () => {
  for (const isOther of [false, true]) {
    const chainId = await seedStored()
    await put(chainId, [rebaser, "erc20", { state: "rebasing", differed: { from: 3, to: 7 } }])
    await sql.unsafe(`update cowry_${chainId}.state set ledger_version = ledger_version - 1`)
    await buildNext({ chainId, ...(isOther ? { genesisHash: hash("another") } : {}) })
    await carry(chainId)
    await swap(chainId)
    const [found] = await find(chainId, rebaser)
    expect([found!.state, found!.differed]).toEqual([isOther ? "unverified" : "drift", undefined])
  }
})
