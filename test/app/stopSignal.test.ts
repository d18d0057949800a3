/** A second signal ends the program at once, and its exit code is the signal's: not the 1 of a command that found something. */
import { expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../../src/app/commands/stopSignal.ts", import.meta.url))

const program = `
  import { stopSignal } from "${source}"
  stopSignal().then((signal) => process.stdout.write(signal))
  process.stdout.write("ready ")
  process.stdin.resume()`

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("two times %s end it with %i", async (signal, code) => {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] })
  try {
    const gone = once(child, "exit")
    let printed = ""
    for await (const part of child.stdout) {
      printed += part
      child.kill(signal)
    }
    await gone
    expect(printed).toBe(`ready ${signal}`)
    expect(child.exitCode).toBe(code)
  } finally {
    child.kill("SIGKILL")
  }
})
