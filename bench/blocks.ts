/** `bench:blocks`: what a block costs beside its logs: the same number of transfers in short blocks and in long ones, by turns, and the cost of each solved from both. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { chainFlags } from "./chain/options.ts"
import { readFlags } from "./support/flags.ts"
import { format, quantile } from "./support/output.ts"

/** All other words are flags of bench:ingest, whose list is `bench:ingest --help`. */
const words = process.argv.slice(2)
const own = ["--short", "--long", "--runs", "--help"]
const { short, long, runs } = readFlags(
  { short: 15, long: 150, runs: 2 },
  words.filter((word, at) => own.includes(word) || own.includes(words[at - 1]!)),
)
const others = words.filter((word, at) => !own.includes(word) && !own.includes(words[at - 1]!))

/** Who pays, by the words of bench:ingest. */
const payers = { service: "service", PostgreSQL: "PostgreSQL", both: "service and PostgreSQL" } as const

const costsOf = async (logsPerBlock: number) => {
  // Behind finality a row costs several times as much: short and long blocks have as many rows there.
  const sizes = [
    "--logs-per-block",
    `${logsPerBlock}`,
    "--finality",
    `${Math.round((chainFlags.finality * long) / logsPerBlock)}`,
  ]
  const flags = ["--logs", "300000", "--bulk", "on", "--no-verify", ...others, ...sizes]
  const child = spawn(process.execPath, [fileURLToPath(new URL("ingest.ts", import.meta.url)), ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const stop = () => child.kill("SIGTERM")
  process.on("SIGTERM", stop).on("SIGINT", stop)
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part
  })
  const [code] = await once(child, "close")
  process.off("SIGTERM", stop).off("SIGINT", stop)
  if (code !== 0) throw new Error(`bench:ingest ended with ${code}:\n${text}`)
  const figureOf = (label: string) => {
    const line = text.split("\n").find((it) => it.trim().startsWith(`${label}  `))
    if (line === undefined) throw new Error(`bench:ingest did not say "${label}":\n${text}`)
    return Number(line.trim().slice(label.length).replaceAll(",", ""))
  }
  return Object.values(payers).map((payer) => figureOf(`CPU µs an ERC-20 transfer, ${payer}`))
}

const measured = { short: [] as Array<Array<number>>, long: [] as Array<Array<number>> }
for (let run = 0; run < runs; run++) {
  measured.long.push(await costsOf(long))
  measured.short.push(await costsOf(short))
}
/** The least of each: other work on the machine only adds. */
const least = (costs: ReadonlyArray<ReadonlyArray<number>>, payer: number) =>
  quantile(
    costs.map((cost) => cost[payer]!),
    0,
  )
console.log(
  format(
    Object.keys(payers).flatMap((payer, place) => {
      const [inShort, inLong] = [least(measured.short, place), least(measured.long, place)]
      const block = (inShort - inLong) / (1 / short - 1 / long)
      return [
        [`CPU µs a transfer in blocks of ${short}, ${payer}`, inShort, 1],
        [`CPU µs a transfer in blocks of ${long}, ${payer}`, inLong, 1],
        [`  solved: µs a block, ${payer}`, block, 0],
        [`  solved: µs a transfer without its block, the start counted in, ${payer}`, inLong - block / long, 1],
      ] as const
    }),
  ),
)
