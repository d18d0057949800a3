/** What `cowry audit --all` says of all holders of a token, after the comparison that it begins with. */
import { afterEach, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { compareTokens } from "../../src/domain/audit/compare.ts"
import { compareEveryHolder } from "../../src/domain/audit/everyHolder.ts"
import { zeroAddress as zero } from "../../src/model/primitives.ts"
import { AuditStore } from "../../src/ports/AuditStore.ts"
import { TokenViews, type ViewQuestion } from "../../src/ports/TokenViews.ts"
import { freshChainId, openStore, type TestStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const token = address(0xc1)
const [alice, bob, carol, dave] = [address(0xa), address(0xb), address(0xc), address(0xd)]

let store: TestStore
afterEach(() => store.close())

/** A comparison of a few figures and one of every holder, as the command makes them. */
const compareAll = async (events: ReadonlyArray<ReturnType<typeof transfer>>, answer: (it: ViewQuestion) => bigint) => {
  store = await openStore(async () => MemoryStore.layer)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  await store.run(writer.append(new TestChain().block(events).segment(0)))
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions) => Effect.succeed(questions.map(answer)),
  }
  const compared = Effect.gen(function* () {
    const audits = yield* AuditStore
    const sample = yield* audits.sample(chainId, { tokens: [token] }, { top: 5, recent: 5, places: [] })
    const [first] = yield* compareTokens(sample, () => Effect.succeed(true))
    const every = yield* compareEveryHolder(chainId, sample.value[0]!.token)
    const [stored] = (yield* audits.find(chainId, token)).value
    return { first: first!.record, every: every!, stored: stored! }
  })
  return store.run(Effect.provideService(compared, TokenViews, views))
}

test("a token that was just found to rebase goes on to, though its holders differ", async () => {
  const minted = [alice, bob, carol, dave].map((it, index) => transfer(token, zero, it, 1000n * BigInt(index + 1)))
  const held = new Map([alice, bob, carol, dave].map((it, index) => [it, 1200n * BigInt(index + 1)]))
  const { first, every, stored } = await compareAll(minted, (it) =>
    it.of === "supply" ? 12_000n : ("holder" in it && held.get(it.holder)) || 0n,
  )
  expect(first.state).toBe("rebasing")
  expect([every.record.state, every.differing, every.record.differed]).toEqual(["rebasing", 4, first.differed])
  expect(stored.state).toBe("rebasing")
})

test("whoever has less than nothing is compared too, though he is no holder", async () => {
  const events = [
    transfer(token, zero, alice, 10n),
    ...[bob, carol, dave].map((it) => transfer(token, it, alice, 5n)),
    ...[1, 2, 3].map(() => transfer(token, alice, alice, 0n)),
  ]
  const { every } = await compareAll(events, (it) => ("holder" in it && it.holder !== alice ? 0n : 25n))
  expect([every.record.state, every.differing, every.record.compared]).toEqual(["drift", 3, 4])
})
