/** What `bun run test:database` runs on the server that `TEST_DATABASE_URL` names: all that asks nothing of one kind of server. */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

if (process.env.TEST_DATABASE_URL === undefined) {
  console.error(
    "TEST_DATABASE_URL: expected the URL of a PostgreSQL server, or of a coordinator of Citus; it was not given",
  )
  process.exit(1)
}

// One file of contracts: the version in its name is the server's that is given. Each store has schemas of its own there, a
// whole service a database of its own. Left out is what reads plans and locks of one server.
const all = [
  ...["test/contracts/postgres18.test.ts", "test/http", "test/audit", "test/soak"],
  ...["events/", "chainRegistry", "keptTransactions", "rebuild", "reads/joined", "reads/reads.lists"].map(inPostgres),
  ...["reads/reads.transfers", "reads/reads.nftTransfers"].map(inPostgres),
  ...["anvil", "bulkKills", "getLogs", "hostileNode", "prices", "reorgs", "resync"].map(inWhole),
  ...["transferColumns", "troubles", "uniswap"].map(inWhole),
]
const files = process.argv.length > 2 ? process.argv.slice(2) : all
const child = spawn(process.execPath, ["test", "--timeout=300000", ...files], {
  cwd: dirname(dirname(fileURLToPath(import.meta.url))),
  stdio: "inherit",
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
child.on("close", (code) => {
  process.exitCode = code ?? 1
})

function inPostgres(name: string): string {
  return `test/postgres/${name}`
}
function inWhole(name: string): string {
  return `test/e2e/${name}.test.ts`
}
