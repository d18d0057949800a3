/** What becomes of tokens that the node cannot tell of, where it tells of others. */
import { afterEach, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { compareOrSetApart } from "../../src/domain/audit/compare.ts"
import type { AuditDifference } from "../../src/model/audit.ts"
import { QueryTooSlow } from "../../src/model/errors.ts"
import { zeroAddress as zero } from "../../src/model/primitives.ts"
import { AuditStore } from "../../src/ports/AuditStore.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { TokenViews } from "../../src/ports/TokenViews.ts"
import { freshChainId, openStore, type TestStore } from "../contracts/store.ts"
import { address, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"

const [coin, cards, alice] = [address(0xc1), address(0xc2), address(0xa)]

let store: TestStore
afterEach(() => store.close())

test("what the contract counts stays known of one that is set apart; what merely differed does not", async () => {
  store = await openStore(async () => MemoryStore.layer)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const events = [transfer(coin, zero, alice, 1n), nftTransfer(cards, zero, alice, 1n)]
  await store.run(writer.append(new TestChain().block(events).segment(0)))
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions) =>
      questions.some(({ token }) => token === cards)
        ? Effect.fail(new SourceUnavailable({ message: "node.test: too much" }))
        : Effect.succeed(questions.map(() => 1n)),
  }
  const setApart = (difference: AuditDifference) =>
    store.run(
      Effect.gen(function* () {
        const audits = yield* AuditStore
        const { asOf, value } = yield* audits.sample(
          chainId,
          { tokens: [coin, cards] },
          { top: 5, recent: 5, places: [] },
        )
        const last = { state: "exact", blockNumber: 0, time: 1, compared: 1, watched: [], difference } as const
        const samples = value.map((sample) => ({ ...sample, last }))
        yield* compareOrSetApart({ asOf, value: samples }, () => Effect.succeed(true))
        return (yield* audits.find(chainId, cards)).value[0]
      }).pipe(Effect.provideService(TokenViews, views)),
    )
  const difference = { of: "balance", holder: alice, ledger: "1", node: "1000000" } as const
  const amounts = { ...difference, counts: "amounts" } as const
  expect(await setApart(amounts)).toMatchObject({ state: "unverified", difference: amounts })
  expect((await setApart(difference))?.difference).toBeUndefined()
})

test("one whose own transfers to the zero address are too many to be summed in time holds up no other", async () => {
  store = await openStore(async () => MemoryStore.layer)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const events = [
    transfer(coin, zero, alice, 9n),
    transfer(coin, alice, zero, 2n),
    transfer(address(0xc3), zero, alice, 9n),
    transfer(address(0xc3), alice, zero, 2n),
    transfer(address(0xc4), zero, alice, 9n),
  ]
  await store.run(writer.append(new TestChain().block(events).segment(0)))
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    // The supplies of two did not fall, and their zero addresses have what was sent there.
    ask: (_, questions) =>
      Effect.succeed(
        questions.map((question) => {
          if (question.of === "supply") return 9n
          const isOfNobody = "holder" in question && question.holder === zero
          return question.token === address(0xc4) ? (isOfNobody ? 0n : 9n) : isOfNobody ? 2n : 7n
        }),
      ),
  }
  const compared = (isSlow: boolean) =>
    store.run(
      Effect.gen(function* () {
        const audits = yield* AuditStore
        const snapshot = yield* audits.sample(
          chainId,
          { tokens: [coin, address(0xc3), address(0xc4)] },
          { top: 5, recent: 5, places: [] },
        )
        const slow: typeof audits.sentByItself = (chainId, token, block) =>
          token === coin
            ? Effect.fail(new QueryTooSlow({ message: "too slow" }))
            : audits.sentByItself(chainId, token, block)
        const audited = yield* compareOrSetApart(snapshot, () => Effect.succeed(true)).pipe(
          Effect.provideService(AuditStore, isSlow ? { ...audits, sentByItself: slow } : audits),
        )
        return audited.map(({ record }) => record.state)
      }).pipe(Effect.provideService(TokenViews, views)),
    )
  expect(await compared(true)).toEqual(["drift", "exact", "exact"])
  expect(await compared(false)).toEqual(["exact", "exact", "exact"])
})
