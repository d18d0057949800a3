/** What the process is and what it takes. */
import process from "node:process"
import { version } from "../openapi/info.ts"
import type { Family } from "./exposition.ts"

const startedAt = Date.now() / 1000 - process.uptime()
const { deno, bun } = process.versions as Readonly<Record<string, string | undefined>>
const runtime = deno !== undefined ? `deno ${deno}` : `bun ${bun}`

const gauge = (name: string, help: string, value: number, labels = {}): Family => ({
  name,
  type: "gauge",
  help,
  samples: [{ labels, value }],
})

export const processFamilies = (): ReadonlyArray<Family> => [
  gauge("cowry_build_info", "Always 1; the labels say what runs.", 1, { version, runtime }),
  gauge("cowry_uptime_seconds", "Since the start of the process.", process.uptime()),
  gauge("process_start_time_seconds", "When the process started, seconds since 1970.", startedAt),
  gauge("process_resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()),
]
