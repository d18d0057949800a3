/** docs/operations.md lists every setting with the default and the words it has in the code, and no other. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { chainSettings, serviceSettings } from "../src/config/settings.ts"

const page = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8")

interface Settings {
  readonly [name: string]: { readonly default?: string; readonly meaning: string }
}

const rowsOf = (settings: Settings, end = ""): Array<Array<string>> =>
  Object.entries(settings).map(([name, it]) => [`\`${name}${end}\``, it.default ?? "", it.meaning])

test("the tables of settings are those of the code", () => {
  const written = page
    .split("\n")
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  expect(written).toEqual([...rowsOf(serviceSettings), ...rowsOf(chainSettings, "_<id>")])
})
