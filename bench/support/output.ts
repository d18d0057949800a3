/** How benches print: the machine, and figures in two columns. */
import { cpus, totalmem } from "node:os"

export const describeMachine = (postgres: string): string => {
  const all = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `machine: ${all.length} × ${all[0]?.model.trim()}, ${memory} GB, Bun ${process.versions.bun}, PostgreSQL ${postgres}`
}

/** Lines of `label value`, each value with so many decimals. */
export const format = (rows: ReadonlyArray<readonly [label: string, value: number, decimals: number]>): string => {
  const widest = Math.max(...rows.map(([label]) => label.length))
  return rows
    .map(([label, value, decimals]) => {
      const text = value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
      return `  ${label.padEnd(widest)}  ${text.padStart(12)}`
    })
    .join("\n")
}

/** The value below which `share` of the values lie. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
