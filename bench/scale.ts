/** `bench:scale`: the same first sync at growing lengths, of a chain that streams from its seed: rate, bytes, memory, reads and writes by kind, and how long reads take. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** Millions of ERC-20 transfers: the first word, or these. All other words are flags of bench:ingest. */
const words = process.argv.slice(2)
const given = words[0] !== undefined && !words[0].startsWith("--") ? words.shift() : undefined
const lengths = (given ?? "1,10,30").split(",").map((millions) => Math.round(Number(millions) * 1e6))
if (!lengths.every((logs) => logs > 0)) throw new Error("bench:scale [millions,…] [flags of bench:ingest]")

for (const logs of lengths) {
  console.log(`\n${(logs / 1e6).toLocaleString("en")} million`)
  const flags = ["--logs", `${logs}`, "--stream", "--reads", "--bulk", "on", ...words]
  const child = spawn(process.execPath, [fileURLToPath(new URL("ingest.ts", import.meta.url)), ...flags], {
    stdio: "inherit",
  })
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => child.kill(signal))
  const [code] = await once(child, "exit")
  if (code !== 0) process.exit(1)
}
