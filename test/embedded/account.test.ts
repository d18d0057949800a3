/** The embedded server starts from a checkout closed to others, with packages that nobody may write, as root or not. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Account, findClosedParent, serverAccount } from "../../src/adapters/embedded/account.ts"
import { toEmbeddedFailed } from "../../src/adapters/embedded/failure.ts"
import { findPrograms, platformPackage } from "../../src/adapters/embedded/programs.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask, SCRIPT, startService } from "./support.ts"

const nobody = serverAccount()
const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
let folder: string
let checkout: string
let runtime: string

// A checkout of its own, since this one's place and modes are whatever they are: script, packages and runtime.
beforeAll(() => {
  folder = openTemporaryFolder("cowry-embedded-")
  checkout = join(folder, "checkout")
  runtime = join(checkout, "runtime")
  const packageFolder = join(checkout, "node_modules", platformPackage)
  mkdirSync(packageFolder, { recursive: true })
  cpSync(join(findPrograms(platformPackage).native, ".."), packageFolder, { recursive: true })
  execFileSync(process.execPath, ["build", SCRIPT, "--target=bun", "--outfile", join(checkout, "service.js")])
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ type: "module" }))
  copyFileSync(process.execPath, runtime)
  chmodSync(runtime, 0o755)
  execFileSync("chmod", ["-R", "a+rX,a-w", join(checkout, "node_modules")])
})

afterAll(() => {
  execFileSync("chmod", ["-R", "u+w", folder])
  rmSync(folder, { recursive: true, force: true })
})

const startAndAsk = async (dataDir: string, account: Account) => {
  const service = startService(dataDir, { account, runtime, script: join(checkout, "service.js"), cwd: checkout })
  const { url, failed } = await service.said
  const answer = url === undefined ? failed : await ask(url, "select current_user as user")
  // PostgreSQL itself refuses files that are not its user's.
  const owner = url === undefined ? undefined : statSync(join(dataDir, "pgdata")).uid
  service.child.kill("SIGTERM")
  expect(await service.ended).toBe(0)
  return { answer, owner }
}

test("from a checkout closed to everyone else", async () => {
  chmodSync(checkout, 0o700)
  expect(await startAndAsk(join(folder, "closed"), self)).toEqual({
    answer: [{ user: "cowry" }],
    owner: nobody?.uid ?? self.uid,
  })
})

test("as an ordinary user, whom the checkout does not belong to", async () => {
  chmodSync(checkout, 0o755)
  const home = join(folder, "home")
  mkdirSync(home, { mode: 0o700 })
  if (nobody !== undefined) chownSync(home, nobody.uid, nobody.gid)
  expect(await startAndAsk(join(home, ".cowry"), nobody ?? self)).toEqual({
    answer: [{ user: "cowry" }],
    owner: nobody?.uid ?? self.uid,
  })
})

test("a user without a name is told by number, and of the ways to a database", async () => {
  chmodSync(checkout, 0o755)
  const dataDir = join(folder, "nameless")
  mkdirSync(dataDir)
  const said = (uid: number) =>
    toEmbeddedFailed(dataDir, new Error(`initdb: could not look up effective user ID ${uid}: user does not exist`))
  const nameless = { uid: 54_321, gid: 54_321 }
  // Only root may start it as somebody else.
  if (nobody !== undefined) chownSync(dataDir, nameless.uid, nameless.gid)
  const answer = nobody === undefined ? said(nameless.uid).message : (await startAndAsk(dataDir, nameless)).answer
  for (const part of ["user 54321 has none", "Cowry's image 1000", "/etc/passwd", "DATABASE_URL"])
    expect(answer).toContain(part)
  // Not this process's own user: root lends the server another.
  expect(said(65_534).message).toContain("user 65534 has none")
})

test("whatever the umask", async () => {
  const before = process.umask(0o077)
  try {
    expect(await startAndAsk(join(folder, "strict/data"), self)).toMatchObject({ answer: [{ user: "cowry" }] })
  } finally {
    process.umask(before)
  }
})

test("a closed folder is found wherever it lies above, by the account that would enter", () => {
  const closed = join(folder, "a/b/c")
  mkdirSync(closed, { recursive: true })
  chmodSync(join(folder, "a"), 0o700)
  expect([findClosedParent(closed, { uid: 65533, gid: 65533 }), findClosedParent(closed, self)]).toEqual([
    join(folder, "a"),
    undefined,
  ])
})
