/** What `run start` tells the runtime's collector and allocator, by the names of its variables: every service that a bench starts is told the same. */
import { readFileSync } from "node:fs"

const packageJson = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { start: string }
}

const words = packageJson.scripts.start.match(/^bun (.*) && ((?:(?:BUN|MIMALLOC)_\w+=\S+ )+)bun src\/main\.ts$/)!

/** What it does before that, to `bun`. */
export const installWords: ReadonlyArray<string> = words[1]!.split(" ")

export const collectorSettings: Readonly<Record<string, string>> = Object.fromEntries(
  words[2]!
    .trim()
    .split(" ")
    .map((word) => word.split("=") as [string, string]),
)
