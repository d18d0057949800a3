/** A launcher is gone when its process is: not where it belongs to somebody else. */
import { expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../../src/app/launchers.ts", import.meta.url))

/** What the system says of another user's process: that there is one. */
const launched = `
  import { launcherGone } from "${source}"
  const kill = process.kill
  process.kill = (...given) => {
    kill(...given)
    throw Object.assign(new Error("kill EPERM"), { code: "EPERM" })
  }
  launcherGone("a-script").then(() => process.stdout.write("gone\\n"))
  setImmediate(() => process.stdout.write("runs\\n"))
  process.stdin.resume().on("end", () => process.exit(0))`

test("a launcher of another user is there until it has ended", async () => {
  // The shell is the launcher: its own words say what it runs, and it waits for the program. Input of a program behind `&` is empty.
  const words = ["-c", `"$1" -e "$2" <&3 & wait`, "run a-script", process.execPath, launched]
  const launcher = spawn("sh", words, { stdio: ["ignore", "pipe", "inherit", "pipe"] })
  try {
    let printed = ""
    for await (const part of launcher.stdout!) {
      printed += part
      if (printed === "runs\n") launcher.kill("SIGKILL")
      if (printed.includes("gone")) break
    }
    expect(printed).toBe("runs\ngone\n")
  } finally {
    launcher.kill("SIGKILL")
    launcher.stdio[3]?.destroy()
  }
})
