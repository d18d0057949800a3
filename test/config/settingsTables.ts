/** The tables of settings in docs/operations.md, derived from the code. `bun run format` writes them down anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { chainSettings } from "../../src/config/chainSettings.ts"
import type { Setting } from "../../src/config/deriveFields.ts"
import { serviceSettings } from "../../src/config/settings.ts"

const file = new URL("../../docs/operations.md", import.meta.url)

export const readPage = (): string => readFileSync(file, "utf8")

const tableOf = (settings: Readonly<Record<string, Setting>>, suffix = ""): string => {
  const rows = Object.entries(settings).map(
    ([name, { default: written = "", meaning }]) => `| \`${name}${suffix}\` | ${written} | ${meaning} |`,
  )
  return ["| setting | default | meaning |", "|---|---|---|", ...rows].join("\n")
}

const tables = {
  "settings of the service": tableOf(serviceSettings),
  "settings of a chain": tableOf(chainSettings, "_<id>"),
}

/** The page with each table as it should be between its two marks. */
export const withTables = (page: string): string =>
  Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: .*-->\n)[^]*?(\n<!-- end -->)`, "u"),
        (_, start, end) => start + table + end,
      ),
    page,
  )

if (import.meta.main) writeFileSync(file, withTables(readPage()))
