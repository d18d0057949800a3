/**
 * The HTTP suite, answered by a reader at a real standby: all of it is as on the store in memory, and no statement that writes
 * is tried there. ROLE_HTTP=whole takes every file of the two folders instead of a few.
 */
import { expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { keepLevel, readerVariable } from "../support/readerStore.ts"
import { startReplicated } from "../support/standby.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const files =
  process.env.ROLE_HTTP === "whole"
    ? ["test/http/native/", "test/http/compat/", "test/http/pipeline/validators.test.ts"]
    : ["test/http/native/nfts.test.ts", "test/http/native/swaps.test.ts", "test/http/compat/transfers.test.ts"]

test(
  "the HTTP suite passes at a standby, and its log has no write that was tried",
  async () => {
    const { primary, standby, level, stop } = await startReplicated()
    try {
      await level()
      await keepLevel(primary.url)
      const child = spawn(process.execPath, ["test", "--timeout=120000", ...files], {
        cwd: root,
        env: { ...process.env, [readerVariable]: `${primary.url},${standby.url}` },
        stdio: ["ignore", "ignore", "pipe"],
      })
      let report = ""
      child.stderr!.on("data", (chunk) => {
        report += chunk
      })
      const code = await new Promise((resolve) => child.once("exit", resolve))
      const failed = report.split("\n").filter((line) => line.startsWith("(fail)"))
      expect([failed, code]).toEqual([[], 0])
      expect(Number(report.match(/(\d+) pass/)?.[1])).toBeGreaterThan(20)
      const reads = standby.log()
      expect(reads).not.toContain("cannot execute")
      // What is tried would stand there.
      const sql = postgres(standby.url, { max: 1, onnotice: () => {} })
      await sql`create table planted ()`.catch(() => {})
      await sql.end()
      expect(standby.log().slice(reads.length)).toContain("cannot execute CREATE TABLE")
    } finally {
      await stop()
    }
  },
  process.env.ROLE_HTTP === "whole" ? 900_000 : 120_000,
)
