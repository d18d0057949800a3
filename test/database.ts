/** What `bun run test:database` runs: the store contracts and the tests of HTTP on the server that `TEST_DATABASE_URL` names. */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

if (process.env.TEST_DATABASE_URL === undefined) {
  console.error(
    "TEST_DATABASE_URL: expected the URL of a PostgreSQL server, or of a coordinator of Citus; it was not given",
  )
  process.exit(1)
}

// One file of contracts: the version in its name is the server's that is given. Each store has schemas of its own there.
const files = process.argv.length > 2 ? process.argv.slice(2) : ["test/contracts/postgres18.test.ts", "test/http"]
const child = spawn(process.execPath, ["test", "--timeout=300000", ...files], {
  cwd: dirname(dirname(fileURLToPath(import.meta.url))),
  stdio: "inherit",
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
child.on("close", (code) => {
  process.exitCode = code ?? 1
})
