/** Configured token lists over time: refreshed, never emptied by a source that fails, the same after a restart. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as ConfiguredTokenLists from "../../src/adapters/lists/ConfiguredTokenLists.ts"
import * as MemoryKeptCopies from "../../src/adapters/memory/MemoryKeptCopies.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import type { NoteTexts } from "../../src/model/tokenNote.ts"
import { KeptCopies } from "../../src/ports/KeptCopies.ts"
import { TokenLists } from "../../src/ports/TokenLists.ts"
import { type Document, type DocumentRequest, DocumentUnavailable, WebDocuments } from "../../src/ports/WebDocuments.ts"
import { address } from "../support/chain/testChain.ts"

const ethereum = ChainId.make("1")
const url = "https://lists.test/secretkey123/list.json"
const hour = 3_600_000
const listOf = (...numbers: ReadonlyArray<number>) =>
  JSON.stringify({
    name: "Test",
    tokens: numbers.map((number) => ({
      chainId: 1,
      address: address(number),
      name: `T${number}`,
      symbol: "T",
      decimals: 18,
      extensions: { website: `https://${number}.example` },
    })),
  })

/** What the web answers, and what it was asked. */
let answer: (request: DocumentRequest) => Document | "unchanged" | "fails"
let asked: Array<DocumentRequest>
let logs: Array<string>
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cowry-lists-"))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => {
  asked = []
  logs = []
})

const web = Layer.succeed(WebDocuments, {
  get: (request) =>
    Effect.suspend(() => {
      asked.push(request)
      const found = answer(request)
      return found === "fails"
        ? Effect.fail(new DocumentUnavailable({ message: "https://lists.test: HTTP 500" }))
        : Effect.succeed(found)
    }),
})
const settings = (more: Partial<ConfiguredTokenLists.ListSettings> = {}) => ({
  tokenLists: [url],
  tokenListsIntervalMs: hour,
  ...more,
})

/** Trusted addresses of chain 1, as numbers. */
const trusted = Effect.map(
  TokenLists.use((lists) => lists.read),
  (notes) => (notes.get(ethereum) ?? []).filter((note) => note.trusted).map((note) => Number(note.address)),
)
/** Runs starts of the service one after the other, over one store. */
const starts = async <A>(...runs: ReadonlyArray<Effect.Effect<A, unknown, TokenLists>>): Promise<ReadonlyArray<A>> =>
  startsWith(settings(), ...runs)
const startsWith = <A>(
  given: ConfiguredTokenLists.ListSettings,
  ...runs: ReadonlyArray<Effect.Effect<A, unknown, TokenLists>>
): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const copies = Layer.succeed(KeptCopies, yield* KeptCopies)
      return yield* Effect.forEach(runs, (run) =>
        run.pipe(Effect.provide(ConfiguredTokenLists.layer(given).pipe(Layer.provide([web, copies])))),
      )
    }).pipe(
      Effect.provide([
        MemoryKeptCopies.layer,
        TestClock.layer(),
        Logger.layer([Logger.make(({ message }) => logs.push(String(message)))]),
      ]),
    ),
  )

test("a list is asked for again when its time has come, with its validator, and its tokens change with it", async () => {
  answer = () => ({ text: listOf(1, 2), etag: '"v1"' })
  const [seen] = await starts(
    Effect.gen(function* () {
      const first = yield* trusted
      const again = yield* trusted
      const times = asked.length
      answer = () => "unchanged"
      yield* TestClock.adjust(1.2 * hour)
      const unchanged = yield* trusted
      answer = () => ({ text: listOf(2, 3) })
      yield* TestClock.adjust(1.2 * hour)
      return [first, again, times, unchanged, yield* trusted]
    }),
  )
  expect(seen).toEqual([[1, 2], [1, 2], 1, [1, 2], [2, 3]])
  expect(asked.map(({ etag }) => etag)).toEqual([undefined, '"v1"', '"v1"'])
})

describe("a source that fails never empties the trusted set", () => {
  test.each<[string, Document | "fails"]>([
    ["does not answer", "fails"],
    ["is a page", { text: "<html></html>" }],
    ["is empty", { text: "" }],
    ["lists nothing", { text: '{"name":"x","tokens":[]}' }],
    ["is of another shape", { text: '{"message":"rate limit"}' }],
  ])(
    "it %s: its last good content stays, it is asked again soon, and the log says so without the key",
    async (_, bad) => {
      answer = () => ({ text: listOf(1, 2) })
      const [seen] = await starts(
        Effect.gen(function* () {
          yield* trusted
          answer = () => bad
          yield* TestClock.adjust(1.2 * hour)
          const meanwhile = yield* trusted
          answer = () => ({ text: listOf(4) })
          yield* TestClock.adjust(61_000)
          return [meanwhile, yield* trusted]
        }),
      )
      expect(seen).toEqual([[1, 2], [4]])
      expect(logs.filter((line) => line.includes("its last good content stays"))).toHaveLength(1)
      expect(logs.join()).not.toContain("secretkey123")
    },
  )

  test("nor after a restart, whether the list was due or not", async () => {
    answer = () => ({ text: listOf(1, 2), etag: '"v1"' })
    const seen = await starts(
      trusted,
      Effect.tap(trusted, () => TestClock.adjust(3 * hour)),
      Effect.suspend(() => {
        answer = () => "fails"
        return trusted
      }),
      Effect.suspend(() => {
        answer = () => "unchanged"
        return trusted
      }),
    )
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    // The second start comes within the hour and asks nobody.
    expect(asked.map(({ etag }) => etag)).toEqual([undefined, '"v1"', '"v1"'])
  })

  test("nor where the kept copies cannot be read: then nothing is said at all", async () => {
    answer = () => "fails"
    const broken = Layer.succeed(KeptCopies, {
      find: () => Effect.fail(new StoreUnavailable({ cause: "down" })),
      keep: () => Effect.void,
    })
    const layer = ConfiguredTokenLists.layer(settings()).pipe(Layer.provide([web, broken]))
    const exit = await Effect.runPromiseExit(trusted.pipe(Effect.provide(layer)))
    expect(Exit.isFailure(exit)).toBe(true)
  })

  test("one that never came takes nothing from the others", async () => {
    answer = ({ url: place }) => (place === url ? "fails" : { text: listOf(5) })
    expect(await startsWith(settings({ tokenLists: [url, "https://other.test/"] }), trusted)).toEqual([[5]])
  })
})

test("a failing source is asked after growing waits, never more often than a minute", async () => {
  answer = () => "fails"
  await starts(
    Effect.gen(function* () {
      for (let minute = 0; minute < 120; minute++) {
        yield* trusted
        yield* TestClock.adjust(60_000)
      }
    }),
  )
  // At 0, 1, 3, 7, 15, 31, then about every hour.
  expect(asked.length).toBeGreaterThanOrEqual(7)
  expect(asked.length).toBeLessThanOrEqual(8)
})

test("a file is read at each start and when it is due; one that vanished counts as it was", async () => {
  const place = join(folder, "list.json")
  await writeFile(place, listOf(7))
  const seen = await startsWith(
    settings({ tokenLists: [place] }),
    Effect.tap(trusted, () => Effect.promise(() => writeFile(place, listOf(8)))),
    Effect.tap(trusted, () => Effect.promise(() => rm(place))),
    trusted,
  )
  expect(seen).toEqual([[7], [8], [8]])
  expect(logs.at(-1)).toBe(`token list: ${place}: cannot be read (ENOENT); its last good content stays`)
})

test("the log says how many entries are left out: what is no token, and whom the list itself warns of", async () => {
  const place = join(folder, "warns.json")
  const { tokens, ...list } = JSON.parse(listOf(7, 8, 9)) as { tokens: ReadonlyArray<object> }
  const warned = { ...tokens[0], extensions: { blacklist: true } }
  await writeFile(place, JSON.stringify({ ...list, tokens: [warned, ...tokens.slice(1)] }))
  expect(await startsWith(settings({ tokenLists: [place] }), trusted)).toEqual([[8, 9]])
  expect(logs.at(-1)).toEndWith(": 2 tokens; 1 entries are no tokens or blacklisted, and left out")
})

test("of a file or a list that was never good the log does not say that anything stays", async () => {
  const [missing, page] = [join(folder, "never.json"), join(folder, "page.json")]
  await writeFile(page, "<html></html>")
  answer = () => "fails"
  expect(await startsWith(settings({ tokenLists: [missing, page, url] }), trusted)).toEqual([[]])
  expect(logs.toSorted()).toEqual([
    `token list of ${page}: it is not a JSON object; it was never good, nothing is known of it`,
    `token list: ${missing}: cannot be read (ENOENT); it was never good, nothing is known of it`,
    expect.stringMatching(/^token list: .*; it was never good, nothing is known of it$/u),
  ])
})

test("words: an earlier list's stand over a later one's, the information file's over all; it trusts nobody", async () => {
  const place = join(folder, "second.json")
  await writeFile(place, listOf(1, 9).replaceAll("https://", "https://second."))
  const words = new Map<Address, NoteTexts>([
    [address(1), { email: "a@b.example" }],
    [address(4), { slack: "s" }],
  ])
  const information = new Map([[ethereum, words]])
  answer = () => ({ text: listOf(1) })
  const [notes] = await startsWith(
    settings({ tokenLists: [url, place], tokenInformation: information }),
    TokenLists.use((lists) => lists.read),
  )
  expect(notes).toEqual(
    new Map([
      [
        ethereum,
        [
          { address: address(1), trusted: true, texts: { website: "https://1.example", email: "a@b.example" } },
          { address: address(9), trusted: true, texts: { website: "https://second.9.example" } },
          { address: address(4), trusted: false, texts: { slack: "s" } },
        ],
      ],
    ]),
  )
})
