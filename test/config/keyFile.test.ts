/** Keys in a file: they come and go while the service runs, a broken file changes nothing, and no key is shown. */
import { afterAll, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as ConfiguredKeys from "../../src/adapters/keys/ConfiguredKeys.ts"
import { readKeyFile, readKeys } from "../../src/adapters/keys/keyFile.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { ApiKeys } from "../../src/ports/ApiKeys.ts"

const folder = mkdtempSync(join(tmpdir(), "cowry-keys-"))
afterAll(() => rmSync(folder, { recursive: true }))
const sha256 = (key: string) => createHash("sha256").update(key).digest("hex")
let files = 0
const fileOf = (text: string): string => {
  const path = join(folder, `keys-${files++}`)
  writeFileSync(path, text)
  return path
}

describe("a file of keys", () => {
  test("is a digest a line, with remarks, blanks and letters of either case", () => {
    const text = `# keys of 2026\n\n${sha256("a").toUpperCase()}  # ann\r\n  ${sha256("b")} webhooks\n${sha256("a")}`
    expect(readKeys(text)).toEqual({
      digests: new Set([sha256("a"), sha256("b")]),
      managers: new Set([sha256("b")]),
    })
  })

  test.each([
    ["a key itself", `${sha256("a")}\nmy-secret-key\n`, /^line 2: /],
    ["half a digest", sha256("a").slice(0, 40), /^line 1: /],
    ["another word", `${sha256("a")} admin`, /^line 1: /],
    ["nothing", "# none\n", /no key/],
    ["too many", Array.from({ length: 100_001 }, (_, at) => sha256(`${at}`)).join("\n"), /^more than 100000 keys$/],
  ])("counts for nothing where %s stands in it, and is not repeated", (_, text, problem) => {
    const read = readKeys(text)
    expect(read).toEqual({ problem: expect.stringMatching(problem) })
    expect(JSON.stringify(read)).not.toContain("secret")
  })

  test("is a problem of the settings where it cannot be used, and a key enough for STRICT_KEYS where it can", () => {
    const base = { RPC_URL_1: "http://node.example", STRICT_KEYS: "on" }
    const problems = (path: string) => (readConfig({ ...base, API_KEYS_FILE: path }) as { problems?: unknown }).problems
    expect(problems(fileOf(sha256("a")))).toBeUndefined()
    expect(problems(join(folder, "nowhere"))).toEqual([expect.stringMatching(/^API_KEYS_FILE: .*ENOENT/)])
    expect(problems(folder)).toEqual([expect.stringMatching(/it is no file/)])
    expect(problems(fileOf("secret"))).toEqual([expect.stringMatching(/^API_KEYS_FILE: .*line 1/)])
    expect(readKeyFile("/dev/zero")).toEqual({ problem: "it is no file" })
  })
})

test("keys come and go while it runs; a broken or vanished file keeps those of before, and is told of once", async () => {
  const path = fileOf(`${sha256("ann")}\n${sha256("bob")} webhooks\n`)
  const logs: Array<string> = []
  const log = Logger.layer([Logger.make(({ message, logLevel }) => void logs.push(`${logLevel} ${message}`))])
  const settings = { strict: true, sha256: [sha256("old")], file: path }
  const second = TestClock.adjust("1 second")
  const story = Effect.gen(function* () {
    const keys = yield* ApiKeys
    const known = (...names: ReadonlyArray<string>) => names.filter((name) => keys.identify(name) !== undefined)
    const all = ["old", "ann", "bob", "cid", "nobody"]
    expect(known(...all)).toEqual(["old", "ann", "bob"])
    expect([keys.mayManage("ann"), keys.mayManage("bob")]).toEqual([false, true])
    const annsName = keys.identify("ann")
    expect(annsName).not.toContain(sha256("ann"))
    // Put in its place as a whole, with one key gone and one new.
    writeFileSync(`${path}.new`, `${sha256("ann")}\n${sha256("cid")}\n`)
    renameSync(`${path}.new`, path)
    yield* second
    expect(known(...all)).toEqual(["old", "ann", "bob"])
    yield* second
    expect(known(...all)).toEqual(["old", "ann", "cid"])
    expect([keys.mayManage("bob"), keys.identify("ann")]).toEqual([false, annsName])
    // Half written: the second half comes before the second look.
    writeFileSync(path, `${sha256("ann")}\n`)
    yield* second
    writeFileSync(path, `${sha256("ann")}\n${sha256("cid")}\n${sha256("bob")}\n`)
    yield* second
    expect(known(...all)).toEqual(["old", "ann", "cid"])
    yield* second
    expect(known(...all)).toEqual(["old", "ann", "bob", "cid"])
    writeFileSync(path, "cid-as-a-secret\n")
    for (let look = 0; look < 5; look++) yield* second
    rmSync(path)
    for (let look = 0; look < 5; look++) yield* second
    expect(known(...all)).toEqual(["old", "ann", "bob", "cid"])
    writeFileSync(path, `${sha256("bob")}\n`)
    yield* second
    yield* second
    expect(known(...all)).toEqual(["old", "bob"])
  })
  const layer = ConfiguredKeys.layer(settings).pipe(Layer.provideMerge(Layer.merge(log, TestClock.layer())))
  const exit = await Effect.runPromiseExit(Effect.scoped(Effect.provide(story, layer)))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  expect(logs.map((line) => line.replace(path, "").replace(/^(\w+).*?: /, "$1: "))).toEqual([
    "Info: 2 keys from now on, 1 new, 1 gone",
    "Info: 3 keys from now on, 1 new, 0 gone",
    'Warn: line 1: expected the SHA-256 of a key, 64 hex digits, and nothing or "webhooks"; the keys of before go on to count',
    "Warn: cannot be read (ENOENT); the keys of before go on to count",
    "Info: 1 keys from now on, 0 new, 2 gone",
  ])
  expect(logs.join()).not.toContain("secret")
})

test("a key has one name wherever it stands, and keeps it when others come or go: its limits are its own", async () => {
  const namesOf = (settings: Partial<ConfiguredKeys.ConfiguredKeysSettings>, keys: ReadonlyArray<string>) =>
    Effect.runPromise(
      Effect.scoped(
        ApiKeys.use((known) => Effect.succeed(keys.map((key) => known.identify(key)))).pipe(
          Effect.provide(ConfiguredKeys.layer({ strict: true, sha256: [], ...settings })),
        ),
      ),
    )
  const [ann, bob] = await namesOf({ sha256: [sha256("ann"), sha256("bob")] }, ["ann", "bob"])
  expect(new Set([ann, bob, undefined]).size).toBe(3)
  for (const settings of [
    { sha256: [sha256("bob")] },
    { managersSha256: [sha256("cid"), sha256("bob")] },
    { managersSha256: [sha256("bob").toUpperCase()] },
    { file: fileOf(sha256("bob")) },
  ])
    expect(await namesOf(settings, ["ann", "bob"])).toEqual([undefined, bob])
  expect(sha256("bob").startsWith(bob!)).toBe(true)
  expect(bob!.length).toBeLessThan(sha256("bob").length)
})
