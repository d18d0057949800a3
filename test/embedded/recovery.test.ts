/** A server that repairs a crash for longer than a start may take is waited for. */
import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startServer, stopServer } from "../../src/adapters/embedded/server.ts"
import { openTemporaryFolder } from "../support/postgres.ts"

test("a server that says that it is starting is waited for beyond the time of a start", async () => {
  const folder = openTemporaryFolder("cowry-recovery-")
  try {
    mkdirSync(join(folder, "bin"))
    const program = join(folder, "bin", "postgres")
    // As PostgreSQL writes it: nobody sees a file that is half there.
    const says = (status: string) =>
      `printf '%s\\n' $$ "$2" 0 5432 "" "" "" ${status} > "$2/next" && mv "$2/next" "$2/postmaster.pid"`
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
