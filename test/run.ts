/** What `bun run test` runs: the whole suite under this very runtime; its last line is `N passed, N failed`. */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, program } from "../docker/bundle.ts"
import { totalsOf } from "./support/totals.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Generous: a test that hangs must end, but a busy machine must not fail one that is merely slow. Three workers take file after
// file, since on two cores much of a test is waiting; the files of a worker share its database servers.
const options = ["--timeout=240000", "--parallel=3", "--no-isolate"]
// A test's memory is thrown away with it. Given back to the system it is taken anew by the next one, which costs a fifth of
// the CPU where the host keeps page tables (docs/decisions.md, 216 and 220).
const keepingMemory = { MIMALLOC_PURGE_DELAY: "-1", BUN_JSC_decommitUnusedMarkedBlockPages: "0" }
// What is started as a process is the program of the image.
await bundle(root)
const child = spawn(process.execPath, ["test", ...options, ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, ...keepingMemory, COWRY_TEST_PROGRAM: program },
  stdio: ["ignore", "pipe", "pipe"],
})

// A suite that is told to stop passes it on and waits, so that its servers go too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))

let report = ""
child.stdout.on("data", (chunk: Buffer) => process.stdout.write(chunk))
child.stderr.on("data", (chunk: Buffer) => {
  process.stderr.write(chunk)
  report += chunk.toString("utf8")
})

child.on("error", (cause) => {
  console.error(`The tests could not be started: ${cause.message}`)
  console.log("0 passed, 1 failed")
  process.exitCode = 1
})

child.on("close", (code, signal) => {
  const { passed, failed, problems } = totalsOf(report, code)
  if (signal !== null) problems.unshift(`The tests were ended by ${signal}.`)
  for (const problem of problems) console.error(problem)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
})
