/** A program that a signal ends is said to be so, and a server that may not write to huge pages starts without them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Logger } from "effect"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { problemOf } from "../support/failure.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask, postmasterOf, until } from "./support.ts"

let folder: string
let dataDir: string
const lines: Array<string> = []
const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))

const withServer = <A>(use: (url: string) => Promise<A>): Promise<A> =>
  startEmbedded({ dataDir }).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => use(url))),
    Effect.scoped,
    Effect.provide(Logger.layer([logger])),
    Effect.runPromise,
  )

beforeAll(async () => {
  folder = openTemporaryFolder("cowry-signals-")
  dataDir = join(folder, "data")
  await withServer(async () => {})
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As long as `use` runs, the server's program does these lines of a shell before it begins. */
const withProgram = async <A>(before: string, use: () => Promise<A>): Promise<A> => {
  const programs = join(dataDir, "programs")
  const program = join(programs, readdirSync(programs)[0]!, "bin/postgres")
  const real = `${program}.real`
  renameSync(program, real)
  const script = `#!/bin/sh\n${before}\nexec ${real} "$@"\n#`
  // A copy of the programs is whole by its sizes.
  writeFileSync(program, script.padEnd(readFileSync(real).length, "#"))
  chmodSync(program, 0o755)
  try {
    return await use()
  } finally {
    renameSync(real, program)
  }
}

const unlessOff = (line: string): string => `case "$*" in *huge_pages=off*) ;; *) ${line} ;; esac`

test("a server that is ended by SIGKILL at its start is told with what may have done it", async () => {
  const problem = await withProgram("kill -KILL $$", () => problemOf(withServer(async () => {})))
  expect(problem).toContain("postgres was ended by SIGKILL (the system may have been out of memory)")
})

test("so is one that is ended while it runs", () =>
  withServer(async (url) => {
    lines.length = 0
    const server = postmasterOf(dataDir)
    process.kill(server, "SIGKILL")
    await until("it runs again", () => ask(url, "select 1").then(Boolean, () => false))
    expect(lines[0]).toBe(
      `Error PostgreSQL process ${server} was ended by SIGKILL (the system may have been out of memory); starting it again`,
    )
  }))

for (const [what, line] of [
  ["server", "kill -BUS $$"],
  ["server's first process", `echo "startup process (PID 7) was terminated by signal 7: Bus error" >&2; exit 1`],
] as const) {
  test(`where huge pages end the ${what} by SIGBUS, it is started without them, once and for the next starts too`, async () => {
    lines.length = 0
    const huge = await withProgram(unlessOff(line), () =>
      withServer(async (url) => {
        process.kill(postmasterOf(dataDir), "SIGKILL")
        await until("it runs again", () => ask(url, "select 1").then(Boolean, () => false))
        return ask(url, "show huge_pages")
      }),
    )
    expect(huge).toEqual([{ huge_pages: "off" }])
    const said = lines.filter((it) => it.includes("without huge pages"))
    expect(said.length).toBe(1)
    expect(said[0]).toContain(
      what === "server" ? "was ended by SIGBUS (as where the system has set huge pages" : "Bus error",
    )
  })
}

test("one that is ended by SIGBUS without huge pages too is not started over and over", async () => {
  const problem = await withProgram("kill -BUS $$", () => problemOf(withServer(async () => {})))
  expect(problem).toContain("postgres was ended by SIGBUS")
})
