/** The audit beside the ledger, on a clock that the test moves: when it asks, how much, and what it says. */
import { afterEach, describe, expect, test } from "bun:test"
import { Clock, Effect, Fiber, Latch, Layer, Logger, Random } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { type AuditSettings, auditInBackground } from "../../src/domain/audit/background.ts"
import { healContract } from "../../src/domain/audit/missing/healContract.ts"
import type { FollowedLedger } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { type LostTokens, makeLostTokens } from "../../src/domain/ingest/status/LostTokens.ts"
import { makePace, type Pace } from "../../src/domain/ingest/status/pace.ts"
import type { Log } from "../../src/model/block.ts"
import { type Address, addressOfHex, type ChainId, type Hash, zeroAddress as zero } from "../../src/model/primitives.ts"
import type { TokenDescription } from "../../src/model/token.ts"
import { type AuditCounts, AuditStore } from "../../src/ports/AuditStore.ts"
import { ChainSource, type ChainSourceClient, RangeRefused, SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { LedgerUnavailable, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenMetadata } from "../../src/ports/TokenMetadata.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { TokenViews, type ViewQuestion } from "../../src/ports/TokenViews.ts"
import { freshChainId, openStore, type TestStore } from "../contracts/store.ts"
import { address, hash, TestChain, transfer } from "../support/chain/testChain.ts"

const coin = (number: number) => address(0xc000 + number)
const [alice, bob] = [address(0xa), address(0xb)]

const away = Effect.fail(new LedgerUnavailable({ cause: new Error("the database is away") }))

let store: TestStore
afterEach(() => store.close())

interface Scene {
  readonly chainId: ChainId
  /** The newest block that the node announced last. */
  nodeHead: number
  readonly pace: Pace
  readonly writer: LedgerWriter
  readonly chain: TestChain
  /** Stands before what the node gives of a contract's own logs. */
  ownLogs: (logs: ReadonlyArray<Log>) => ReadonlyArray<Log> | RangeRefused | SourceUnavailable
  /** The nodes that are asked, and what each leaves of these or says instead. */
  nodes: Record<string, Scene["ownLogs"]>
  /** Ranges of own logs that were asked for: coin, from, to. */
  readonly ranges: Array<readonly [number, number, number]>
  /** What another node gives of a block. */
  second: (logs: ReadonlyArray<Log>) => ReadonlyArray<Log> | undefined
  /** What receipts prove of a block, counted as the chain does; undefined = nothing. */
  receipts: (logs: ReadonlyArray<Log>) => ReadonlyArray<Log> | undefined
  /** Appends a block of which the ledger gets only those logs. */
  readonly lose: (
    events: ReadonlyArray<ReturnType<typeof transfer>>,
    given: ReadonlyArray<number>,
  ) => Effect.Effect<void>
  readonly asked: Array<ReadonlyArray<ViewQuestion>>
  readonly logs: Array<string>
  answer: (question: ViewQuestion) => bigint | undefined | SourceUnavailable
  /** What contracts say of themselves. */
  describe: (addresses: ReadonlyArray<Address>) => Effect.Effect<ReadonlyArray<TokenDescription>, SourceUnavailable>
  perCall: number
  /** Of the newest blocks the node announced. */
  keptStates: number
  /** By so much the clock of the machine is off. */
  wallShiftMs: number
  readonly lost: LostTokens
  /** The database is away as soon as rows are to be taken in. */
  isAway: boolean
  /** Stands behind what comes in. */
  afterHeal: Effect.Effect<void, LedgerUnavailable>
  /** No question about figures is answered any more. */
  isHanging: () => boolean
  readonly pass: (seconds: number) => Effect.Effect<void>
  readonly append: (...blocks: ReadonlyArray<ReturnType<typeof transfer>>) => Effect.Effect<void>
  readonly counts: Effect.Effect<AuditCounts, never, AuditStore>
}

/** Twelve coins of which alice has ten each; the audit looks every minute. */
const inScene = async <Value>(
  play: (scene: Scene) => Effect.Effect<Value, never, AuditStore | SupplyStore | TokenStore | ChainSource>,
  settings: Partial<AuditSettings> = {},
): Promise<Value> => {
  store = await openStore(async () => MemoryStore.layer)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const chain = new TestChain()
  for (let number = 1; number <= 12; number++) chain.block([transfer(coin(number), zero, alice, 10n)])
  await store.run(writer.append(chain.segment(0)))
  let checkpoint = await store.run(writer.checkpoint)
  const newest = () => chain.segment(chain.nextBlock - 1, chain.nextBlock - 1, { finalizedBlock: chain.nextBlock - 2 })
  const pace = makePace(1000)
  const asked: Scene["asked"] = []
  const ranges: Scene["ranges"] = []
  const logs: Array<string> = []
  const scene: Scene = {
    chainId,
    nodeHead: 11,
    pace,
    writer,
    chain,
    asked,
    logs,
    answer: honest,
    describe: (addresses) => Effect.succeed(addresses.map(() => ({}))),
    perCall: 1,
    keptStates: Number.POSITIVE_INFINITY,
    ownLogs: (own) => own,
    nodes: { "https://second.test": (own) => own },
    ranges,
    second: (own) => own,
    receipts: () => undefined,
    lose: (events, given) =>
      Effect.gen(function* () {
        chain.block(events)
        const segment = newest()
        const movements = segment.movements.filter(({ logIndex }) => given.includes(logIndex))
        checkpoint = (yield* Effect.orDie(writer.append({ ...segment, movements }))).checkpoint
        scene.nodeHead++
      }),
    wallShiftMs: 0,
    lost: makeLostTokens(),
    isAway: false,
    afterHeal: Effect.void,
    isHanging: () => false,
    pass: (seconds) => TestClock.adjust(seconds * 1000),
    append: (...events) =>
      Effect.gen(function* () {
        chain.block(events)
        const appended = yield* Effect.orDie(writer.append(newest()))
        checkpoint = appended.checkpoint
        scene.nodeHead++
      }),
    counts: Effect.orDie(Effect.flatMap(AuditStore, (audits) => audits.counts(chainId))),
  }
  const views: TokenViews["Service"] = {
    perCall: () => scene.perCall,
    ask: Effect.fnUntraced(function* (_, questions, at) {
      asked.push(questions)
      if (scene.isHanging()) return yield* Effect.never
      if (scene.nodeHead - at.blockNumber >= scene.keptStates) {
        return yield* new SourceUnavailable({ message: "node.test: does not keep the state of the block" })
      }
      const answers = questions.map(scene.answer)
      const failure = answers.find((it) => it instanceof SourceUnavailable)
      if (failure !== undefined) return yield* failure
      return answers as ReadonlyArray<bigint | undefined>
    }),
  }
  const blockOf = (hash: string) => chain.blocks.find(({ header }) => header.hash === hash)
  const source = {
    headers: (numbers: ReadonlyArray<number>) => Effect.sync(() => numbers.map((it) => chain.blocks[it]?.header)),
    logsOfBlocks: (hashes: ReadonlyArray<Hash>) => Effect.sync(() => hashes.map((it) => blockOf(it)?.logs)),
    crossCheck: (hashes: ReadonlyArray<Hash>) =>
      Effect.sync(() =>
        hashes.map((it) => {
          const second = scene.second(blockOf(it)?.logs ?? [])
          return second === undefined ? {} : { second }
        }),
      ),
    prove: (headers: ReadonlyArray<{ readonly hash: Hash }>) =>
      Effect.sync(() =>
        headers.map((it) => {
          const logs = scene.receipts(blockOf(it.hash)?.logs ?? [])
          return logs && { logs, indexed: true, transactions: new Map<Hash, number>(), isOrdered: true }
        }),
      ),
    contractLogs: Effect.fnUntraced(function* (token: Address, from: number, to: number) {
      ranges.push([Number(token) - 0xc000, from, to])
      const own = chain.blocks.slice(from, to + 1).flatMap(({ logs }) => logs.filter((it) => it.address === token))
      const logs = scene.ownLogs(own)
      if (logs instanceof RangeRefused || logs instanceof SourceUnavailable) return yield* logs
      const told = Object.entries(scene.nodes).map(([node, tell]) => ({ node, told: tell(logs) }))
      const isAnswer = (it: ReturnType<Scene["ownLogs"]>): it is ReadonlyArray<Log> => Array.isArray(it)
      return {
        answers: told.flatMap((it) => (isAnswer(it.told) ? [{ node: it.node, logs: it.told }] : [])),
        silent: told.flatMap((it) => (isAnswer(it.told) ? [] : [{ node: it.node, why: (it.told as Error).message }])),
      }
    }),
  } satisfies Partial<ChainSourceClient> as unknown as ChainSourceClient
  const story = Effect.gen(function* () {
    const ledger: FollowedLedger = {
      writer: {
        ...writer,
        heal: (rows) => (scene.isAway ? away : Effect.tap(writer.heal(rows), () => scene.afterHeal)),
      },
      checkpoint: () => checkpoint,
      birth: () => "a00000",
      nodeHead: () => scene.nodeHead,
      nodeTime: () => undefined,
      pace,
      news: () => Latch.makeUnsafe(),
      lost: scene.lost,
    }
    const clock = yield* Clock.Clock
    const wall = () => clock.currentTimeMillisUnsafe() + scene.wallShiftMs
    const shifted = { currentTimeMillisUnsafe: wall, currentTimeMillis: Effect.sync(wall) }
    const given = { chainId, wrappedNative: [], finality: 64, auditSeconds: 60, ...settings }
    const audit = auditInBackground(given, ledger).pipe(
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
      Effect.provideService(ChainSource, { of: () => source }),
      Effect.provideService(TokenMetadata, {
        describe: (_, addresses) => Effect.suspend(() => scene.describe(addresses)),
        tokenUris: () => Effect.succeed([]),
      }),
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

test("whoever makes tokens at the lowest addresses keeps no other from being compared", async () => {
  const high = addressOfHex(`0xf${"0".repeat(39)}`)
  const asked = await inScene(({ append, pass, asked }) =>
    Effect.gen(function* () {
      yield* append(transfer(high, zero, alice, 10n))
      for (let look = 0; look < 5; look++) {
        // Three are compared meanwhile.
        const low = Array.from({ length: 4 }, (_, place) => address(1 + 4 * look + place))
        yield* append(...low.map((token) => transfer(token, zero, alice, 10n)))
        yield* pass(60)
      }
      return asked.flat()
    }),
  )
  expect(asked.map(({ token }) => token)).toContain(high)
})

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

  test("who is compared is asked for its name again, and what cannot be asked holds up no comparison", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        const { writer, chainId } = scene
        const named = Effect.map(Effect.orDie(TokenStore.use((tokens) => tokens.find(chainId, coin(1)))), ({ value }) =>
          value.map(({ record: { name, symbol } }) => [name, symbol]),
        )
        const [first, second] = yield* Effect.orDie(writer.listUndescribedTokens(2))
        const matic = { name: "Matic", symbol: "MATIC" }
        yield* Effect.orDie(writer.describeTokens([{ token: first!, description: matic }]))
        yield* scene.pass(60 + 3)
        expect(yield* named).toEqual([["Matic", "MATIC"]])
        scene.describe = () => Effect.fail(new SourceUnavailable({ message: "node.test: is away" }))
        for (let minute = 0; minute < 6; minute++) yield* scene.pass(60)
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
        scene.describe = (addresses) =>
          Effect.succeed(addresses.map((token) => (token === coin(1) ? { name: "Polygon", symbol: "POL" } : {})))
        yield* scene.append(transfer(coin(1), alice, alice, 1n))
        for (let minute = 0; minute < 6; minute++) yield* scene.pass(60)
        expect(yield* named).toEqual([["Polygon", "POL"]])
        expect(scene.logs.filter((line) => line.startsWith("Warn"))).toEqual([])
        // Who was never asked is asked until its silence is believed: that is not the audit's.
        expect((yield* Effect.orDie(writer.listUndescribedTokens(1)))[0]?.address).toBe(second!.address)
      }),
    ))

  test("a balance that is below zero is asked of the contract, though its holder has not moved for long", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        yield* scene.append(transfer(coin(1), bob, address(0xca), 4n))
        for (let block = 0; block < 40; block++) yield* scene.append(transfer(coin(1), alice, address(0xd), 0n))
        scene.answer = (question) =>
          !("holder" in question) || question.holder === alice
            ? 10n
            : question.token === coin(1) && question.holder === address(0xca)
              ? 4n
              : 0n
        yield* scene.pass(63)
        expect(scene.logs.join("\n")).toContain(`balance of ${bob} -4, by its contract 0`)
        expect(yield* scene.counts).toEqual({ exact: 11, drift: 1, rebasing: 0, unverified: 0 })
      }),
    ))

  test("tokens of which the ledger may lack logs are compared before all others, and are told no more", () =>
    inScene(({ pass, asked, lost }) =>
      Effect.gen(function* () {
        lost.tell([coin(9), address(0xdead)], { from: 0, to: 1 })
        yield* pass(60 + 3)
        expect(asked.map(tokensOf)).toEqual([[9]])
        expect(lost.list()).toEqual([])
        yield* pass(60)
        expect(asked.map(tokensOf)[1]).toEqual([1, 2])
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

  for (const [where, behind, finality] of [
    ["at the head", 0, 64],
    ["a third of a second behind it", 33, 10],
  ] as const) {
    test(`of a hundred blocks a second, ${where}, tokens are compared before the node drops the states`, () =>
      inScene(
        (scene) =>
          Effect.gen(function* () {
            scene.perCall = 50
            scene.keptStates = 128
            scene.nodeHead += behind
            for (let tick = 0; tick < 20 * 20; tick++) {
              for (let block = 0; block < 5; block++) yield* scene.append()
              scene.pace.heard(scene.nodeHead, tick * 50, -1)
              yield* scene.pass(0.05)
            }
            expect(yield* scene.counts).toMatchObject({ exact: 12 })
          }),
        { finality },
      ))
  }

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
            "supply 10, by its contract 15; 1 of 3 figures are not the contract's own: they changed without events, or events were not true; " +
            "its logs were asked again and 1 node gives the ledger's own (https://second.test): " +
            "it is the contract's way, unless nodes leave logs out",
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

const recordOf = (scene: Scene, token: Address) =>
  Effect.map(
    Effect.orDie(Effect.flatMap(AuditStore, (audits) => audits.find(scene.chainId, token))),
    ({ value }) => value[0],
  )

describe("a token in doubt of which a look learns nothing", () => {
  const tooMuch = new SourceUnavailable({ message: "node.test: too much" })
  const silences: ReadonlyArray<[string, SourceUnavailable | undefined, string]> = [
    ["the node fails for it alone", tooMuch, "could not be asked again: node.test: too much; "],
    ["its contract answers nothing", undefined, "could not be asked again: it answers nothing; "],
  ]
  for (const [name, silence, why] of silences) {
    test(`stays in drift, with its difference, where ${name}; and is exact once it is equal again`, () =>
      inScene((scene) =>
        Effect.gen(function* () {
          scene.perCall = 50
          scene.answer = (it) => (it.token === coin(7) && it.of === "supply" ? 15n : honest(it))
          yield* scene.pass(63)
          for (let look = 0; look < 2; look++) {
            scene.answer = (it) => (it.token === coin(7) ? silence : honest(it))
            yield* scene.append()
            yield* scene.pass(60)
            const found = yield* recordOf(scene, coin(7))
            expect(found).toMatchObject({
              ...{ state: "drift", blockNumber: 12 + look, compared: 0 },
              difference: { of: "supply", ledger: "10", node: "15" },
            })
            // What its logs show is said once.
            expect(found?.reason).toContain(why)
            expect(found?.reason?.split("its logs were asked again")).toHaveLength(2)
          }
          scene.answer = honest
          yield* scene.append()
          yield* scene.pass(60)
          expect(yield* recordOf(scene, coin(7))).toMatchObject({
            state: "exact",
            reason: expect.stringContaining("equal again; from block 11 to "),
          })
        }),
      ))
  }

  test("stays rebasing, in the same words", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.append(...[bob, address(0xd), address(0xe)].map((it) => transfer(coin(5), zero, it, 10n)))
        scene.perCall = 50
        const ledgers = (it: ViewQuestion) => (it.token === coin(5) && it.of === "supply" ? 40n : honest(it))
        scene.answer = (it) => (it.token === coin(5) ? (ledgers(it) * 11n) / 10n : honest(it))
        yield* scene.pass(63)
        const before = yield* recordOf(scene, coin(5))
        expect(before).toMatchObject({ state: "rebasing", difference: { of: "supply", ledger: "40", node: "44" } })
        for (const silence of [tooMuch, undefined]) {
          scene.answer = (it) => (it.token === coin(5) ? silence : honest(it))
          yield* scene.append()
          yield* scene.pass(60)
          const { state, difference, reason } = before!
          expect(yield* recordOf(scene, coin(5))).toMatchObject({ state, difference: difference!, reason: reason! })
        }
      }),
    ))
})

describe("a token's own logs", () => {
  const supplyOf = (scene: Scene, token: Address) =>
    Effect.map(
      Effect.orDie(Effect.flatMap(SupplyStore, (supplies) => supplies.find(scene.chainId, token))),
      ({ value }) => value,
    )
  /** Coin 3: bob was minted 5, of which the ledger has no log. */
  const withGap = (more: (scene: Scene) => Effect.Effect<unknown, never, AuditStore | SupplyStore>) =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        yield* scene.lose([transfer(coin(4), zero, alice, 0n), transfer(coin(3), zero, bob, 5n)], [0])
        yield* scene.append()
        scene.answer = (it) => {
          if (it.token !== coin(3)) return honest(it)
          if (it.of === "supply") return 15n
          return "holder" in it && it.holder === bob ? 5n : honest(it)
        }
        yield* more(scene)
      }),
    )

  test("are asked again where it differs; what a node had left out comes in, and it is exact at once, history and all", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        yield* scene.pass(66)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        const wanted =
          "healed: what a node had left out of blocks 12 to 12 is in the ledger now, and its history is right"
        const found = yield* recordOf(scene, coin(3))
        expect(found).toMatchObject({ state: "exact", reason: wanted })
        expect(found?.differed).toBeUndefined()
        expect(scene.logs).toEqual([
          `Warn chain ${scene.chainId}: ${coin(3)}: 1 rows of blocks 12 to 12 that a node had left out are in the ledger now`,
        ])
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
        yield* scene.append()
        yield* scene.pass(66)
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "exact", blockNumber: 14, reason: wanted })
      }),
    ))

  test("are the contract's way only where nodes agree on them: one that left them out says nothing, one that has them heals", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const reason = Effect.map(recordOf(scene, coin(3)), (it) => it?.reason?.split("; ").slice(1).join("; "))
        const lossy: Scene["ownLogs"] = (own) => own.filter(({ blockNumber }) => blockNumber !== 12)
        const down = () => new SourceUnavailable({ message: "down.test: 502" })
        scene.nodes = { "https://lossy.test": lossy, "https://down.test": down }
        yield* scene.pass(66)
        expect(yield* reason).toBe(
          "its logs were asked again and 1 node gives the ledger's own (https://lossy.test): " +
            "it is the contract's way, unless nodes leave logs out; https://down.test could not be asked: down.test: 502",
        )
        // A third one like the first: asked again, since the second was not heard.
        scene.nodes = { "https://lossy.test": lossy, "https://down.test": down, "https://third.test": lossy }
        yield* scene.append()
        yield* scene.pass(60)
        expect(yield* reason).toBe(
          "its logs were asked again and 2 nodes give the ledger's own (https://lossy.test, https://third.test): " +
            "it is the contract's way, not a node's gap; https://down.test could not be asked: down.test: 502",
        )
        expect(yield* supplyOf(scene, coin(3))).toBe("10")
        scene.nodes = { "https://lossy.test": lossy, "https://third.test": lossy, "https://down.test": (own) => own }
        yield* scene.append()
        yield* scene.pass(60)
        expect([yield* supplyOf(scene, coin(3)), (yield* recordOf(scene, coin(3)))?.state]).toEqual(["15", "exact"])
      }),
    ))

  test("that are recorded as asked are asked once more by a service that starts: nobody knows of whom they were", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { chainId } = scene
        const found = {
          ...{ state: "drift" as const, blockNumber: 13, time: 1, compared: 3, watched: [], reason: "it differed" },
          ...{ logs: { from: 0, to: 12 }, differed: { from: 13, to: 13 } },
        }
        const { value } = yield* Effect.orDie(
          AuditStore.use((it) => it.sample(chainId, { tokens: [coin(3)] }, { top: 0, recent: 0, places: [] })),
        )
        yield* Effect.orDie(AuditStore.use((it) => it.record(chainId, [{ token: value[0]!.token, record: found }])))
        yield* scene.append()
        yield* scene.pass(126)
        expect([yield* supplyOf(scene, coin(3)), (yield* recordOf(scene, coin(3)))?.state]).toEqual(["15", "exact"])
      }),
    ))

  const lossOf = (scene: Scene) => scene.lost.list().map(({ token, by }) => [token, by])

  test("that a node proved to be lost are lost until they come in, or that node says what the ledger says", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const lossy: Scene["ownLogs"] = (own) => own.filter(({ blockNumber }) => blockNumber !== 12)
        const known = [[coin(3), ["https://honest.test"]]]
        scene.lost.tell([coin(3)], { from: 12, to: 12, by: ["https://honest.test"] })
        scene.nodes = { "https://lossy.test": lossy }
        yield* scene.pass(66)
        expect(lossOf(scene)).toEqual(known as never)
        // It has thrown its logs away in the meantime.
        scene.nodes = { "https://lossy.test": lossy, "https://honest.test": () => [] }
        yield* scene.append()
        yield* scene.pass(660)
        expect(lossOf(scene)).toEqual(known as never)
        scene.nodes = { "https://lossy.test": lossy, "https://honest.test": (own) => own }
        yield* scene.append()
        yield* scene.pass(660)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        expect(lossOf(scene)).toEqual([])
      }),
    ))

  test("that are lost stay so where the look fails behind them, since nothing that it came to was recorded", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const known = [coin(5), coin(3)].map((token) => [token, ["https://honest.test"]])
        scene.lost.tell([coin(5)], { from: 4, to: 4, by: ["https://honest.test"] })
        scene.lost.tell([coin(3)], { from: 12, to: 12, by: ["https://honest.test"] })
        scene.nodes = { "https://honest.test": (own) => own }
        scene.isAway = true
        yield* scene.pass(66)
        expect([...new Set(scene.ranges.map(([token]) => token))]).toEqual([5, 3])
        expect(lossOf(scene)).toEqual(known as never)
        scene.isAway = false
        yield* scene.append()
        yield* scene.pass(660)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        expect(lossOf(scene)).toEqual([])
      }),
    ))

  test("that are lost are asked for so many questions a look, each range once, and every other look is the others'", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        for (let block = 0; block < 200; block++) yield* scene.append()
        const lossy: Scene["ownLogs"] = (own) => own.filter(({ blockNumber }) => blockNumber !== 12)
        scene.nodes = { "https://lossy.test": lossy, "https://honest.test": (own) => own }
        scene.ownLogs = (own) =>
          scene.ranges.at(-1)![2] > scene.ranges.at(-1)![1]
            ? new RangeRefused({ message: "block range too large" })
            : own
        scene.lost.tell([coin(3)], { from: 0, to: 212, by: ["https://honest.test"] })
        yield* scene.pass(66)
        expect(scene.asked.map(tokensOf)).toEqual([[3]])
        expect(scene.ranges.length).toBeGreaterThan(60)
        expect(scene.ranges.length).toBeLessThanOrEqual(120)
        const first = scene.ranges.filter(([, from, to]) => from === to)
        expect(yield* supplyOf(scene, coin(3))).toBe("10")
        // The others' turn.
        scene.ranges.length = 0
        yield* scene.pass(60)
        expect(tokensOf(scene.asked[1]).length).toBeGreaterThan(6)
        scene.ranges.length = 0
        scene.asked.length = 0
        for (let look = 0; look < 4 && lossOf(scene).length > 0; look++) yield* scene.pass(60)
        expect(lossOf(scene)).toEqual([])
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        const again = scene.ranges.filter(([coin, from]) => coin === 3 && first.some(([, was]) => was === from))
        expect(again).toEqual([])
      }),
    ))

  const inDate = "healed: what a node had left out of blocks 12 to 12 is in the ledger now, and its history is right"
  const cannotTell = () => new SourceUnavailable({ message: "node.test: the node has no block 13" })

  test("that are lost come in while no figure can be compared; what differed before is explained once one can", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { answer } = scene
        scene.nodes = { "https://lossy.test": (own) => own.filter(({ blockNumber }) => blockNumber !== 12) }
        yield* scene.pass(66)
        const [before, wasNotTold] = [yield* recordOf(scene, coin(3)), yield* recordOf(scene, coin(8))]
        expect(before).toMatchObject({ state: "drift", difference: { ledger: "10", node: "15" } })
        scene.nodes = { "https://honest.test": (own) => own }
        scene.answer = cannotTell
        scene.lost.tell([coin(3), coin(8)], { from: 0, to: 13, by: ["https://honest.test"] })
        yield* scene.append()
        yield* scene.pass(60)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        expect(lossOf(scene)).toEqual([])
        // What its contract says now is not known yet.
        expect(yield* recordOf(scene, coin(3))).toMatchObject({
          ...{ state: "drift", difference: before!.difference!, blockNumber: 13 },
          reason: expect.stringContaining("1 rows of blocks 12 to 12 that a node had left out are in the ledger now"),
        })
        expect(yield* recordOf(scene, coin(8))).toEqual(wasNotTold!)
        scene.answer = answer
        yield* scene.pass(60)
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "exact", blockNumber: 14, reason: inDate })
        expect((yield* recordOf(scene, coin(3)))?.differed).toBeUndefined()
      }),
    ))

  const isHealed = (scene: Scene) => scene.logs.some((line) => line.includes("are in the ledger now"))

  test("that came in are recorded before another token's are asked: whatever comes of that, they explain what differed", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { answer } = scene
        yield* scene.lose([transfer(coin(4), zero, alice, 0n), transfer(coin(6), zero, bob, 5n)], [0])
        yield* scene.append()
        const isSixth = (it: ViewQuestion) => it.token === coin(6) && ("holder" in it ? it.holder === bob : true)
        scene.answer = (it) => (isSixth(it) ? (it.of === "supply" ? 15n : 5n) : answer(it))
        scene.ownLogs = (own) => {
          scene.isAway = isHealed(scene)
          return own
        }
        yield* scene.pass(66)
        const healed = (yield* supplyOf(scene, coin(3))) === "15" ? coin(3) : coin(6)
        const other = healed === coin(3) ? coin(6) : coin(3)
        expect([yield* supplyOf(scene, healed), yield* supplyOf(scene, other)]).toEqual(["15", "10"])
        scene.ownLogs = (own) => own
        scene.isAway = false
        for (let look = 0; look < 3; look++) {
          yield* scene.append()
          yield* scene.pass(60)
        }
        for (const token of [healed, other]) {
          const found = yield* recordOf(scene, token)
          expect([found?.state, found?.differed, found?.reason?.slice(0, 7)]).toEqual(["exact", undefined, "healed:"])
        }
      }),
    ))

  test("that came in explain what differed, though the database did not say whether they did", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        scene.afterHeal = away
        yield* scene.pass(66)
        expect([yield* supplyOf(scene, coin(3)), isHealed(scene)]).toEqual(["15", false])
        scene.afterHeal = Effect.void
        for (let look = 0; look < 2; look++) yield* looks(scene, 1)
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "exact", reason: inDate })
        expect((yield* recordOf(scene, coin(3)))?.differed).toBeUndefined()
      }),
    ))

  test("that came in leave a token that differs all the same in doubt from when it did first", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { answer } = scene
        scene.answer = (it) => (it.token === coin(3) && it.of === "supply" ? 99n : answer(it))
        scene.second = () => []
        yield* scene.pass(66)
        scene.second = (own) => own
        yield* looks(scene, 2)
        expect([yield* supplyOf(scene, coin(3)), isHealed(scene)]).toEqual(["15", true])
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "drift", differed: { from: 13, to: 15 } })
      }),
    ))

  test("that came in explain what was lacking of equal figures, though the database did not say whether they did", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        scene.second = () => []
        yield* untilAsked(scene, "drift")
        scene.afterHeal = away
        scene.second = (own) => own
        yield* looks(scene, 1)
        expect(isHealed(scene)).toBe(false)
        scene.afterHeal = Effect.void
        yield* looks(scene, 2)
        expect(yield* recordOf(scene, coin(9))).toMatchObject({ state: "exact", reason: inDate })
        expect((yield* recordOf(scene, coin(9)))?.differed).toBeUndefined()
      }),
    ))

  const ends: ReadonlyArray<[string, (scene: Scene) => void]> = [
    ["in the moment they did", (scene) => (scene.afterHeal = Effect.interrupt)],
    ["before the figures are compared again", (scene) => (scene.isHanging = () => isHealed(scene))],
  ]
  for (const [when, end] of ends) {
    test(`that came in explain what differed, to whoever follows a process that is ended ${when}`, async () => {
      let ended: Scene | undefined
      await withGap((scene) =>
        Effect.gen(function* () {
          ended = scene
          end(scene)
          yield* scene.pass(66)
          expect(yield* supplyOf(scene, coin(3))).toBe("15")
        }),
      )
      const found = await store.run(recordOf(ended!, coin(3)))
      expect([found?.state, found?.differed]).toEqual(["drift", undefined])
    })
  }

  test("that came in explain what differed, where the figures could not be compared again at once", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { answer } = scene
        scene.answer = (it) => (isHealed(scene) ? cannotTell() : answer(it))
        yield* scene.pass(66)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        const found = yield* recordOf(scene, coin(3))
        expect([found?.state, found?.differed]).toEqual(["drift", undefined])
        // Only the very figures that differed say that it is right.
        const isOff = (it: ViewQuestion) => it.of === "supply" || ("holder" in it && it.holder === bob)
        scene.answer = (it) => (it.token === coin(3) && isOff(it) ? undefined : honest(it))
        yield* scene.append()
        yield* scene.pass(60)
        expect((yield* recordOf(scene, coin(3)))?.state).toBe("drift")
        scene.answer = answer
        yield* scene.append()
        yield* scene.pass(60)
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "exact", reason: inDate })
      }),
    ))

  /** Coin 9: alice sent bob 3 and got them back, of which the ledger has no log; every figure is the same. */
  const withUnseen = (more: (scene: Scene) => Effect.Effect<unknown, never, AuditStore | SupplyStore>) =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        scene.answer = (it) => ("holder" in it && it.holder === bob ? 0n : honest(it))
        yield* scene.lose([transfer(coin(9), alice, bob, 3n), transfer(coin(9), bob, alice, 3n)], [])
        yield* scene.append()
        yield* more(scene)
      }),
    )
  const looks = (scene: Scene, count: number) =>
    Effect.repeat(Effect.andThen(scene.append(), scene.pass(60)), { times: count - 1 })
  const untilAsked = (scene: Scene, ...states: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      for (let look = 0; look < 9; look++) {
        yield* looks(scene, 1)
        if (states.includes((yield* recordOf(scene, coin(9)))?.state ?? "")) return
      }
    })

  test("that nodes give, the ledger lacks and nothing shows make it drift, for as long as that is so", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        scene.second = () => []
        yield* untilAsked(scene, "drift")
        for (let look = 0; look < 3; look++) {
          const found = yield* recordOf(scene, coin(9))
          expect(found).toMatchObject({
            state: "drift",
            reason:
              "its figures are its contract's own, its history is in doubt from block 12 on; " +
              "a node gives 2 logs that the ledger lacks, not taken in yet: block 12: another node does not give them",
          })
          expect(found?.difference).toBeUndefined()
          // Nothing is learned: it stays so.
          scene.answer = (it) => (it.token === coin(9) && look === 1 ? undefined : honest(it))
          yield* looks(scene, 1)
        }
        expect(scene.logs.filter((line) => line.includes("is drift"))).toHaveLength(1)
        scene.answer = (it) => ("holder" in it && it.holder === bob ? 0n : honest(it))
        scene.second = (own) => own
        yield* looks(scene, 1)
        expect(yield* recordOf(scene, coin(9))).toMatchObject({ state: "exact", reason: inDate })
        expect((yield* recordOf(scene, coin(9)))?.differed).toBeUndefined()
      }),
    ))

  test("that are lacking are recorded of it as it is by then, where somebody else compared it while they were asked for", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        scene.second = () => []
        const audits = yield* AuditStore
        const [sample] = (yield* Effect.orDie(
          audits.sample(scene.chainId, { tokens: [coin(9)] }, { top: 0, recent: 0, places: [] }),
        )).value
        const compared = { compared: 3, time: 1, watched: [] }
        let isCompared = false
        scene.ownLogs = (own) => {
          if (scene.ranges.at(-1)![0] === 9 && !isCompared) {
            isCompared = true
            Effect.runSync(scene.append())
            const record = {
              ...compared,
              state: "exact",
              blockNumber: scene.nodeHead,
              differed: { from: 5, to: 6 },
            } as const
            Effect.runSync(Effect.orDie(audits.record(scene.chainId, [{ token: sample!.token, record }])))
          }
          return own
        }
        while (!isCompared) yield* looks(scene, 1)
        const found = yield* recordOf(scene, coin(9))
        expect(found).toMatchObject({ state: "drift", blockNumber: scene.nodeHead, differed: { from: 5 } })
      }),
    ))

  const toldDrifts = (scene: Scene) =>
    scene.logs.flatMap((line) => /^Warn .*token (\S+) \(erc20\) is drift/.exec(line)?.[1] ?? [])

  test("that put it in drift while no figure can be compared are told in the log, once", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        yield* looks(scene, 2)
        scene.second = () => []
        const { answer } = scene
        scene.answer = cannotTell
        scene.lost.tell([coin(9)], { from: 12, to: 12 })
        yield* looks(scene, 2)
        expect((yield* recordOf(scene, coin(9)))?.state).toBe("drift")
        expect(toldDrifts(scene)).toEqual([coin(9)])
        scene.answer = answer
        yield* looks(scene, 2)
        expect((yield* recordOf(scene, coin(9)))?.state).toBe("drift")
        expect(toldDrifts(scene)).toEqual([coin(9)])
      }),
    ))

  test("do not keep drift out of the log, where what came in cannot be compared again, or the ledger cannot be written", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const { answer } = scene
        const isHealed = () => scene.logs.some((line) => line.includes("are in the ledger now"))
        const withSeven = (it: ViewQuestion) => (it.token === coin(7) && it.of === "supply" ? 15n : answer(it))
        scene.isAway = true
        scene.answer = withSeven
        yield* scene.pass(66)
        expect((yield* scene.counts).drift).toBe(2)
        expect(toldDrifts(scene)).toEqual([coin(3), coin(7)])
        scene.isAway = false
        scene.answer = (it) =>
          isHealed() ? cannotTell() : it.token === coin(8) && it.of === "supply" ? 15n : withSeven(it)
        yield* looks(scene, 1)
        expect(isHealed()).toBe(true)
        expect((yield* scene.counts).drift).toBe(3)
        expect(toldDrifts(scene)).toEqual([coin(3), coin(7), coin(8)])
      }),
    ))

  test("that a node gave and gives no more leave it in drift while that node is silent, and a mark when all agree", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        scene.second = () => []
        const lossy: Scene["ownLogs"] = (own) => own.filter(({ blockNumber }) => blockNumber !== 12)
        yield* untilAsked(scene, "drift")
        const down = () => new SourceUnavailable({ message: "down.test: 502" })
        scene.nodes = { "https://lossy.test": lossy, "https://second.test": down }
        yield* looks(scene, 1)
        expect((yield* recordOf(scene, coin(9)))?.state).toBe("drift")
        scene.nodes = { "https://lossy.test": lossy, "https://second.test": lossy }
        yield* looks(scene, 1)
        const found = yield* recordOf(scene, coin(9))
        expect(found).toMatchObject({
          state: "exact",
          reason: `equal again; from block 12 to ${found!.differed!.to} it differed, and its history there is not to be relied on`,
        })
      }),
    ))

  test("that a look at what is known to be lost took in make it exact, though a node has left them out for good", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        const lossy: Scene["ownLogs"] = (own) => own.filter(({ blockNumber }) => blockNumber !== 12)
        scene.nodes = { "https://lossy.test": lossy, "https://second.test": (own) => own }
        yield* looks(scene, 2)
        scene.second = () => []
        scene.lost.tell([coin(9)], { from: 12, to: 12 })
        yield* untilAsked(scene, "drift")
        // The other look, which is of all blocks, comes a moment too early.
        const isAtLost = () => scene.ranges.at(-1)!.join() === "9,12,12"
        scene.second = (own) => (isAtLost() ? own : [])
        yield* looks(scene, 14)
        expect(yield* recordOf(scene, coin(9))).toMatchObject({ state: "exact", reason: inDate })
        expect((yield* recordOf(scene, coin(9)))?.differed).toBeUndefined()
      }),
    ))

  test("that are shown to be of another fork, or may be replaced still, say nothing of it", () =>
    withUnseen((scene) =>
      Effect.gen(function* () {
        const isOwn = ({ blockNumber }: Log) => blockNumber !== 12
        const strange = hash("fork") as Hash
        scene.nodes = {
          "https://fork.test": (own) => own.map((it) => (isOwn(it) ? it : { ...it, blockHash: strange })),
        }
        yield* looks(scene, 7)
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
        // Of the newest block, which is not final.
        scene.nodes = { "https://second.test": (own) => own.filter(isOwn) }
        scene.second = () => []
        yield* scene.lose([transfer(coin(9), alice, bob, 1n), transfer(coin(9), bob, alice, 1n)], [])
        scene.lost.tell([coin(9)], { from: 20, to: 90 })
        yield* scene.pass(120)
        expect(scene.ranges.filter(([number]) => number === 9).length).toBeGreaterThan(0)
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
      }),
    ))

  test("that came in do not make its history right while others are lacking, or the ledger has some that no node gives", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        yield* scene.lose([transfer(coin(3), alice, bob, 3n), transfer(coin(3), bob, alice, 3n)], [])
        yield* scene.append()
        scene.second = (own) => own.filter(({ blockNumber }) => blockNumber === 12)
        yield* scene.pass(66)
        expect(yield* supplyOf(scene, coin(3))).toBe("15")
        const lacking =
          "its figures are its contract's own, its history is in doubt from block 14 on; " +
          "1 rows of blocks 12 to 12 that a node had left out are in the ledger now; a node gives 2 logs that the ledger lacks"
        expect(yield* recordOf(scene, coin(3))).toMatchObject({
          ...{ state: "drift", reason: expect.stringContaining(lacking) },
        })
        scene.second = (own) => own
        yield* looks(scene, 1)
        const whole =
          "healed: what a node had left out of blocks 12 to 14 is in the ledger now, and its history is right"
        expect(yield* recordOf(scene, coin(3))).toMatchObject({ state: "exact", reason: whole })
      }),
    )
      .then(() => store.close())
      .then(() =>
        withGap((scene) =>
          Effect.gen(function* () {
            scene.ownLogs = (own) => own.filter(({ blockNumber }) => blockNumber === 12)
            yield* scene.pass(66)
            expect(yield* supplyOf(scene, coin(3))).toBe("15")
            for (let look = 0; look < 3; look++) {
              const found = yield* recordOf(scene, coin(3))
              expect(found).toMatchObject({
                state: "exact",
                reason: expect.stringContaining("equal again; from block 13"),
              })
              yield* looks(scene, 1)
            }
          }),
        ),
      ))

  test("which another node denies are not taken in, and the reason says so; nor while nobody can show them", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        scene.second = () => []
        yield* scene.pass(66)
        const reason = Effect.map(recordOf(scene, coin(3)), (it) => it?.reason?.split("; ").slice(1).join("; "))
        expect(yield* reason).toBe(
          "a node gives 1 logs that the ledger lacks, not taken in yet: block 12: another node does not give them",
        )
        scene.second = () => undefined
        yield* scene.append()
        yield* scene.pass(60)
        expect(yield* reason).toBe(
          "a node gives 1 logs that the ledger lacks, not taken in yet: block 12: neither receipts nor another node nor its logsBloom show that they are in it",
        )
        expect(yield* supplyOf(scene, coin(3))).toBe("10")
        scene.second = (own) => own
        yield* scene.append()
        yield* scene.pass(60)
        expect([yield* supplyOf(scene, coin(3)), (yield* recordOf(scene, coin(3)))?.state]).toEqual(["15", "exact"])
      }),
    ))

  for (const isProven of [true, false]) {
    test(`that a node gives at other places of their blocks do not come in twice, where receipts prove ${isProven ? "those" : "nothing"}`, () =>
      inScene((scene) =>
        Effect.gen(function* () {
          scene.perCall = 50
          const elsewhere: Scene["second"] = (own) => own.map((log) => ({ ...log, logIndex: log.logIndex + 1 }))
          scene.nodes = { "https://first.test": (own) => own, "https://second.test": (own) => elsewhere(own)! }
          scene.second = elsewhere
          if (isProven) scene.receipts = elsewhere
          yield* looks(scene, 8)
          expect(new Set(scene.ranges.map(([number]) => number)).size).toBe(12)
          expect(yield* scene.counts).toEqual({ exact: 12, drift: 0, rebasing: 0, unverified: 0 })
          expect(yield* supplyOf(scene, coin(3))).toBe("10")
          expect(scene.logs).toEqual([])
        }),
      ))
  }

  test("that the node has no more stay in the ledger, and one that will not tell leaves it open", () =>
    withGap((scene) =>
      Effect.gen(function* () {
        const reason = Effect.map(recordOf(scene, coin(3)), (it) => it?.reason?.split("; ").slice(1).join("; "))
        scene.ownLogs = () => []
        yield* scene.pass(66)
        expect(yield* reason).toBe(
          "the ledger has 1 rows that https://second.test does not give: none goes on a node's word",
        )
        scene.ownLogs = () => new SourceUnavailable({ message: "second.test: history has been pruned" })
        yield* scene.append()
        yield* scene.pass(60)
        expect(yield* reason).toBe("whether a node left logs out cannot be told: second.test: history has been pruned")
        expect((yield* recordOf(scene, coin(3)))?.state).toBe("drift")
        expect(yield* supplyOf(scene, coin(3))).toBe("10")
        // Ranges are split as it wants them.
        scene.ranges.length = 0
        scene.ownLogs = (own) =>
          scene.ranges.at(-1)![2] - scene.ranges.at(-1)![1] > 3
            ? new RangeRefused({ message: "block range too large" })
            : own
        yield* scene.append()
        yield* scene.pass(60)
        expect(scene.ranges.length).toBeGreaterThan(4)
        expect((yield* recordOf(scene, coin(3)))?.state).toBe("exact")
      }),
    ))

  test("are asked again of others too, a few a look: what no figure shows is found", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        scene.perCall = 50
        // In and out again: every figure is the same.
        scene.answer = (it) => ("holder" in it && it.holder === bob ? 0n : honest(it))
        yield* scene.lose([transfer(coin(9), alice, bob, 3n), transfer(coin(9), bob, alice, 3n)], [])
        for (let minute = 0; minute < 7; minute++) {
          yield* scene.append()
          yield* scene.pass(60)
        }
        expect(scene.logs).toEqual([
          `Warn chain ${scene.chainId}: ${coin(9)}: 2 rows of blocks 12 to 12 that a node had left out are in the ledger now`,
        ])
        expect(yield* scene.counts).toMatchObject({ exact: 12 })
      }),
    ))

  test("of a contract that the ledger never saw heal it when it is named, once no append is open", () =>
    inScene((scene) =>
      Effect.gen(function* () {
        const { chainId, writer, chain } = scene
        const stranger = coin(99)
        yield* scene.lose([transfer(stranger, zero, alice, 7n), transfer(coin(1), alice, alice, 1n)], [1])
        const ask = healContract({ chainId, wrappedNative: [] }, writer, stranger, { range: { from: 3, to: 12 } })
        yield* writer.extend(chain.block([]).segment(chain.nextBlock - 1))
        expect(yield* ask).toMatchObject({ healed: 0, doubt: "an append is open: commit or discard it first" })
        yield* writer.discard
        chain.truncate(13)
        expect(yield* ask).toMatchObject({ healed: 1, blocks: { from: 12, to: 12 }, lacking: [], surplus: 0 })
        expect(yield* supplyOf(scene, stranger)).toBe("7")
        expect(yield* ask).toMatchObject({ healed: 0, asked: { from: 3, to: 12 } })
      }).pipe(Effect.orDie),
    ))
})
