/** An answer that outlasts the grace of a stop is cut, and all that a stop has to do beside is done: on both runtimes. */
import { expect, test } from "bun:test"
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const packages = at("../../node_modules/@deno/")
const [deno] = readdirSync(packages)

test.each([
  ["Bun", process.execPath, []],
  ["Deno", `${packages}${deno}/deno`, ["run", "-A"]],
] as const)("a stop goes on behind it on %s", async (_, program, words) => {
  const env = { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" }
  expect(await run(program, [...words, at("overGrace.ts")], { env })).toEqual({ stdout: "stopped\n", stderr: "" })
})
