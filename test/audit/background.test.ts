/** The audit beside the ledger, on a clock that the test moves: when it asks, how much, and what it says. */
import { afterEach, describe, expect, test } from "bun:test"
import { Clock, Effect, Fiber, Latch, Layer, Logger, Random } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { type AuditSettings, auditInBackground } from "../../src/domain/audit/background.ts"
import type { FollowedLedger } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { type ChainId, zeroAddress as zero } from "../../src/model/primitives.ts"
import { type AuditCounts, AuditStore } from "../../src/ports/AuditStore.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenViews, type ViewQuestion } from "../../src/ports/TokenViews.ts"
import { freshChainId, openStore, type TestStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const coin = (number: number) => address(0xc000 + number)
const [alice, bob] = [address(0xa), address(0xb)]

let store: TestStore
afterEach(() => store.close())

interface Scene {
  readonly chainId: ChainId
  /** The newest block that the node announced last. */
  nodeHead: number
  readonly writer: LedgerWriter
  readonly chain: TestChain
  readonly asked: Array<ReadonlyArray<ViewQuestion>>
  readonly logs: Array<string>
  answer: (question: ViewQuestion) => bigint | undefined | SourceUnavailable
  perCall: number
  /** By so much the clock of the machine is off. */
  wallShiftMs: number
  readonly pass: (seconds: number) => Effect.Effect<void>
  readonly append: (...blocks: ReadonlyArray<ReturnType<typeof transfer>>) => Effect.Effect<void>
  readonly counts: Effect.Effect<AuditCounts, never, AuditStore>
}

/** Twelve coins of which alice has ten each; the audit looks every minute. */
const inScene = async <Value>(
  play: (scene: Scene) => Effect.Effect<Value, never, AuditStore | SupplyStore>,
  settings: Partial<AuditSettings> = {},
): Promise<Value> => {
  store = await openStore(async () => MemoryStore.layer)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const chain = new TestChain()
  for (let number = 1; number <= 12; number++) chain.block([transfer(coin(number), zero, alice, 10n)])
  await store.run(writer.append(chain.segment(0)))
  let checkpoint = await store.run(writer.checkpoint)
  const asked: Scene["asked"] = []
  const logs: Array<string> = []
  const scene: Scene = {
    chainId,
    nodeHead: 11,
    writer,
    chain,
    asked,
    logs,
    answer: honest,
    perCall: 1,
    wallShiftMs: 0,
    pass: (seconds) => TestClock.adjust(seconds * 1000),
    append: (...events) =>
      Effect.gen(function* () {
        chain.block(events)
        const appended = yield* Effect.orDie(writer.append(chain.segment(chain.nextBlock - 1)))
        checkpoint = appended.checkpoint
        scene.nodeHead++
      }),
    counts: Effect.orDie(Effect.flatMap(AuditStore, (audits) => audits.counts(chainId))),
  }
  const views: TokenViews["Service"] = {
    perCall: () => scene.perCall,
    ask: Effect.fnUntraced(function* (_, questions) {
      asked.push(questions)
      const answers = questions.map(scene.answer)
      const failure = answers.find((it) => it instanceof SourceUnavailable)
      if (failure !== undefined) return yield* failure
      return answers as ReadonlyArray<bigint | undefined>
    }),
  }
  const story = Effect.gen(function* () {
    const ledger: FollowedLedger = {
      writer,
      checkpoint: () => checkpoint,
      nodeHead: () => scene.nodeHead,
      news: () => Latch.makeUnsafe(),
    }
    const clock = yield* Clock.Clock
    const wall = () => clock.currentTimeMillisUnsafe() + scene.wallShiftMs
    const shifted = { currentTimeMillisUnsafe: wall, currentTimeMillis: Effect.sync(wall) }
    const audit = auditInBackground({ chainId, finality: 64, auditSeconds: 60, ...settings }, ledger).pipe(
      Effect.provideService(Clock.Clock, Object.assign(Object.create(clock) as Clock.Clock, shifted)),
    )
    const fiber = yield* Effect.forkChild(audit)
    const value = yield* play(scene)
    yield* Fiber.interrupt(fiber)
    return value
  })
  return store.run(
    story.pipe(
      // The first look comes at a time of chance: here about ten seconds after the start.
      Random.withSeed("example"),
      Effect.provideService(TokenViews, views),
      Effect.provide(
        Layer.merge(
          TestClock.layer(),
          Logger.layer([Logger.make((entry) => logs.push(`${entry.logLevel} ${[entry.message].flat().join(" ")}`))]),
        ),
      ),
    ),
  )
}

/** What the coins say as long as nobody moves any. */
const honest = (question: ViewQuestion): bigint => ("holder" in question && question.holder === zero ? 0n : 10n)

const tokensOf = (questions: ReadonlyArray<ViewQuestion> | undefined) => [
  ...new Set((questions ?? []).map(({ token }) => Number(token) - 0xc000)),
]

describe("beside the ledger", () => {
  test("a few tokens are compared a minute, none of them twice before the others, and not again without a new block", () =>
    inScene(({ pass, asked, counts }) =>
      Effect.gen(function* () {
        yield* pass(60 + 3)
        expect(asked.map(tokensOf)).toEqual([[1, 2]])
        for (let minute = 0; minute < 12; minute++) yield* pass(60)
        expect(asked.flatMap(tokensOf).toSorted((a, b) => a - b)).toEqual([...Array(12).keys()].map((it) => it + 1))
        expect(yield* counts).toEqual({ exact: 12, drift: 0, rebasing: 0, unverified: 0 })
      }),
    ))

  test("a clock that is set back while the node is asked holds it up by nothing", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.answer = (question) => {
          scene.wallShiftMs = -5 * 3_600_000
          return honest(question)
        }
        yield* scene.pass(63)
        yield* scene.pass(60)
        expect(scene.asked).toHaveLength(2)
      }),
    ))

  test("where one call carries many questions, all of them at once", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        yield* scene.pass(63)
        expect(tokensOf(scene.asked[0])).toHaveLength(12)
        yield* scene.append()
        yield* scene.pass(63)
        expect(tokensOf(scene.asked[1])).toHaveLength(12)
      }),
    ))

  test("nothing is asked while the chain is far behind, where it is switched off, or before it has a block", async () => {
    const quiet = (scene: Scene) =>
      Effect.gen(function* () {
        const { asked, pass } = scene
        scene.nodeHead = 11 + 64
        yield* pass(600)
        expect(asked).toEqual([])
        scene.nodeHead = 11 + 63
        yield* pass(120)
        expect(asked.length).toBeGreaterThan(0)
      })
    await inScene(quiet)
    await store.close()
    await inScene(
      ({ asked, pass }) =>
        Effect.gen(function* () {
          yield* pass(600)
          expect(asked).toEqual([])
        }),
      { auditSeconds: undefined } as object,
    )
  })

  test("drift is one warning with both figures, not again while it lasts; a token that heals is told", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        scene.answer = (it) => (it.token === coin(7) && it.of === "supply" ? 15n : honest(it))
        yield* scene.pass(63)
        yield* scene.append()
        yield* scene.pass(60)
        expect(scene.logs).toEqual([
          `Warn chain ${scene.chainId}: token ${coin(7)} (erc20) is drift at block 11: ` +
            "supply 10, by its contract 15; 1 of 3 figures are not the contract's own: they changed without events, or events were not true",
        ])
        scene.answer = honest
        yield* scene.append()
        yield* scene.pass(60)
        expect(scene.logs.slice(1)).toEqual([
          `Info chain ${scene.chainId}: token ${coin(7)} (erc20) is exact at block 13: ` +
            "equal again; from block 11 to 12 it differed, and its history there is not to be relied on",
        ])
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
      }),
    ))

  test("burnt amounts that are kept are put right in the ledger, unless the zero address denies it", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        const { chainId } = scene
        yield* scene.append(transfer(coin(3), alice, bob, 2n), transfer(coin(3), alice, zero, 4n))
        scene.perCall = 50
        let nobodys = 0n
        scene.answer = (it) => {
          if (it.token !== coin(3) || !("holder" in it)) return honest(it)
          return it.holder === alice ? 4n : it.holder === bob ? 2n : nobodys
        }
        const supply = Effect.map(
          Effect.orDie(Effect.flatMap(SupplyStore, (supplies) => supplies.find(chainId, coin(3)))),
          ({ value }) => value,
        )
        yield* scene.pass(63)
        expect([yield* supply, yield* scene.counts]).toMatchObject(["6", { exact: 11, drift: 1 }])
        nobodys = 4n
        yield* scene.append()
        yield* scene.pass(63)
        expect([yield* supply, yield* scene.counts]).toMatchObject(["10", { exact: 12, drift: 0 }])
      }),
    ))

  test("a node that fails is asked again at leisure, and the log says so once; one bad token holds up no other", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        scene.answer = () => new SourceUnavailable({ message: "node.test: the node has no block 11" })
        for (let minute = 0; minute < 6; minute++) yield* scene.pass(60)
        expect(scene.logs.map((line) => line.split(" Source")[0])).toEqual([
          `Warn chain ${scene.chainId}: tokens cannot be compared with the node at the moment`.slice(0, 80),
        ])
        expect(scene.asked.length).toBeLessThanOrEqual(18)
        scene.answer = (it) =>
          it.token === coin(5) ? new SourceUnavailable({ message: "node.test: too much" }) : honest(it)
        yield* scene.pass(63)
        expect(yield* scene.counts).toEqual({ exact: 11, drift: 0, rebasing: 0, unverified: 1 })
        const found = yield* Effect.orDie(Effect.flatMap(AuditStore, (audits) => audits.find(scene.chainId, coin(5))))
        expect(found.value[0]?.reason).toBe("the node cannot tell: node.test: too much")
      }),
    ))
})
