/** What a statement does on the server: its plan, run once, reduced to what it reads and by which way. */
import type postgres from "postgres"

/** A statement as a store sent it. */
export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

export interface PlanFigures {
  /** Rows that scans gave or threw away. */
  readonly read: number
  /** Pages of 8 KB, found in memory or not. */
  readonly pages: number
  readonly milliseconds: number
  /** Of planning it. */
  readonly planning: number
  /** Tables read from end to end. */
  readonly scanned: ReadonlyArray<string>
  /** The scan that read most, in words. */
  readonly widest: string
}

interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** As the server plans it for these parameters (`custom`), and as it does for any once a statement is prepared (`generic`). */
export type PlanMode = "custom" | "generic"

/** Runs the statement under EXPLAIN on a connection of its own. */
export const explain = async (
  sql: postgres.ReservedSql,
  statement: Statement,
  mode: PlanMode,
): Promise<PlanFigures> => {
  await sql.unsafe(`set plan_cache_mode = force_${mode}_plan`)
  await sql.unsafe(`prepare explained as ${statement.text}`)
  const values = statement.parameters.map(literalOf).join(", ")
  const execute = `execute explained${values === "" ? "" : `(${values})`}`
  try {
    const [row] = await sql.unsafe(`explain (analyze, buffers, timing off, format json) ${execute}`)
    const [explained] = row!["QUERY PLAN"] as [{ Plan: PlanNode; "Execution Time": number; "Planning Time": number }]
    const nodes = flatten(explained.Plan)
    const scans = nodes.filter((node) => node["Relation Name"] !== undefined)
    const widest = scans.toSorted((a, b) => rowsRead(b) - rowsRead(a))[0]
    return {
      read: scans.reduce((sum, node) => sum + rowsRead(node), 0),
      pages: explained.Plan["Shared Hit Blocks"] + explained.Plan["Shared Read Blocks"],
      milliseconds: explained["Execution Time"],
      planning: explained["Planning Time"],
      scanned: scans
        .filter((node) => node["Node Type"] === "Seq Scan" && node["Actual Loops"] > 0)
        .map((node) => node["Relation Name"]!),
      widest: widest === undefined ? "nothing" : describe(widest),
    }
  } finally {
    await sql.unsafe("deallocate explained")
  }
}

const rowsRead = (node: PlanNode): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"]

const describe = (node: PlanNode): string => {
  const by = node["Index Name"] === undefined ? "" : ` by ${node["Index Name"]}`
  return `${node["Node Type"]} of ${node["Relation Name"]}${by}: ${Math.round(rowsRead(node))} rows`
}

const flatten = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(flatten)]

const literalOf = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  return `'${textOf(value).replaceAll("'", "''")}'`
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return `{${value.map((it) => `"${textOf(it).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return typeof value === "string" && /^0x[0-9a-f]*$/.test(value) ? `\\x${value.slice(2)}` : String(value)
}
