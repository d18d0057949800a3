/** A server that repairs a crash for longer than a start may take is waited for, and one that is stopping already. */
import { expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readPidFile, startServer, stopOwn, stopServer } from "../../src/adapters/embedded/server.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { until } from "./support.ts"

// As PostgreSQL writes it: nobody sees a file that is half there.
const says = (status: string) =>
  `printf '%s\\n' $$ "$2" 0 5432 "" "" "" ${status} > "$2/next" && mv "$2/next" "$2/postmaster.pid"`

test("a server that says that it is starting is waited for beyond the time of a start", async () => {
  const folder = openTemporaryFolder("cowry-recovery-")
  try {
    mkdirSync(join(folder, "bin"))
    const program = join(folder, "bin", "postgres")
    writeFileSync(program, `#!/bin/sh\nsleep 2\n${says("ready")}\nexec sleep 60\n`)
    chmodSync(program, 0o755)
    const pids: Array<number> = []
    const server = await startServer({
      installation: { programs: folder, account: undefined, logFile: join(folder, "log"), onSpawn: () => {} },
      folder,
      settings: {},
      onSpawn: (pid) => {
        pids.push(pid)
        writeFileSync(join(folder, "postmaster.pid"), `${pid}\n${folder}\n0\n5432\n\n\n\nstarting\n`)
      },
      signal: AbortSignal.timeout(60_000),
      readyMs: 500,
    })
    expect(pids).toEqual([server.pid])
    await stopServer(server.pid)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("a server that somebody else has told to stop ends with its last write", async () => {
  const folder = openTemporaryFolder("cowry-stopping-")
  try {
    const program = join(folder, "postgres")
    // Longer than one that is starting is given.
    const lastWrite = `trap 'sleep 5; touch "$2/written"; exit' INT`
    writeFileSync(program, `#!/bin/sh\n${lastWrite}\n${says("stopping")}\nwhile :; do sleep 0.1; done\n`)
    chmodSync(program, 0o755)
    const child = spawn(program, ["-D", folder], { stdio: "ignore" })
    await until("it says that it is stopping", () => readPidFile(folder)?.pid === child.pid)
    await stopOwn(child.pid!, folder)
    expect(existsSync(join(folder, "written"))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
