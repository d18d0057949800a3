/** `bench:start`: where the time goes from the command to the first answer, on new and existing ledgers, with PostgreSQL of its own and another's. */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stopChildren } from "../demo/chain/child.ts"
import { bundle, program } from "../docker/bundle.ts"
import { packDataFolder } from "../docker/packDataFolder.ts"
import { openTemporaryFolder } from "../test/support/postgres.ts"
import { chainFlags } from "./chain/options.ts"
import { commands, type Mark, measureStart } from "./start/run.ts"
import { startChain } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 2000,
    /** Starts of each kind; they take turns. */
    runs: 5,
    /** Only this command: `run start` or `container`; empty = both. */
    command: "",
  },
  process.argv.slice(2),
)
const { runs, command: only, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

const median = (values: ReadonlyArray<number>) => quantile(values, 0.5)

/** Of one kind of start: every mark's medians, in the order in which they mostly come, and what lies between two. */
const tableOf = (starts: ReadonlyArray<ReadonlyArray<Mark>>): string => {
  const names = [...new Set(starts.flat().map(({ name }) => name))]
  const rows = names
    .map((name) => {
      const found = starts.flatMap((marks) => marks.filter((it) => it.name === name))
      return { name, wall: median(found.map(({ wall }) => wall)), cpu: median(found.map(({ cpu }) => cpu)) }
    })
    .toSorted((a, b) => a.wall - b.wall)
  return rows
    .map(({ name, wall, cpu }, at) => {
      const before = rows[at - 1] ?? { wall: 0, cpu: 0 }
      const figures = [wall, wall - before.wall, cpu, cpu - before.cpu].map((it) => it.toFixed(0).padStart(8))
      return `  ${name.padEnd(44)}${figures.join("")}`
    })
    .join("\n")
}

const root = fileURLToPath(new URL("../", import.meta.url))
const folders: Array<string> = [join(root, dirname(program))]
const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  await bundle(root)
  await packDataFolder(root)
  console.log(describeMachine(database.version))
  for (const name of ["runtime", "version", "install"] as const) {
    const taken = Array.from({ length: runs }, () => {
      const [first, ...words] = commands[name]
      const began = performance.now()
      spawnSync(first, words)
      return performance.now() - began
    })
    console.log(`${commands[name].slice(1).join(" ")}: ${median(taken).toFixed(0)} ms`)
  }
  const kinds = (["run start", "container"] as const)
    .filter((command) => only === "" || only === command)
    .flatMap((command) =>
      (["embedded", "external"] as const).flatMap((place) =>
        (["new", "existing"] as const).map((age) => ({
          command,
          place,
          age,
          starts: [] as Array<ReadonlyArray<Mark>>,
        })),
      ),
    )
  for (let run = 0; run < runs; run++) {
    let folder = ""
    for (const { command, place, age, starts } of kinds) {
      // A new one of each pair makes what the next one finds. None is removed before the end: that would cost the next.
      if (age === "new") {
        folder = openTemporaryFolder("cowry-bench-start-")
        folders.push(folder)
      }
      const own = `${schema}_${run}_${command === "container" ? "c" : "s"}`
      const settings: Record<string, string> = {
        [`RPC_URL_${chainId}`]: chain.url,
        [`AUDIT_${chainId}`]: "off",
        ...(place === "embedded"
          ? { DATA_DIR: `${folder}/data` }
          : { DATABASE_URL: database.url, DATABASE_SCHEMA: own }),
      }
      const scratch = openTemporaryFolder("cowry-bench-child-")
      const server = place === "external" ? database.server : undefined
      starts.push(await measureStart(command, settings, { chainId, server, folder: scratch }))
    }
  }
  for (const { command, place, age, starts } of kinds) {
    console.log(`\n${command}, ${place} PostgreSQL, ${age} ledger: medians of ${runs}, ms`)
    console.log(`  ${"up to".padEnd(44)}    wall    step     cpu    step`)
    console.log(tableOf(starts))
  }
} finally {
  await stopChildren()
  await database.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
process.exit()
