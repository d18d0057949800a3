/** What a topic is in the columns of a row, and whether a row's log has the topics that are asked for. */
import type { Fragment } from "postgres"
import { addressAt } from "../../../../domain/ingest/decode/abi.ts"
import type { LedgerLogFilter } from "../../../../ports/LedgerLogs.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"

/** Whether the column is what the topic says. */
export type Column = (topic: string) => Fragment

export const partyIn =
  (column: Fragment, sql: ChainSql["sql"]): Column =>
  (topic) => {
    const address = addressAt(topic)
    return address === undefined ? sql`false` : sql`${column} = ${bytesOf(address)}`
  }

export const numberIn =
  (column: Fragment, sql: ChainSql["sql"], isThere: Fragment): Column =>
  (topic) =>
    sql`${isThere} and ${column} = ${String(BigInt(topic))}::numeric`

/** Columns that a kind does not have are of no topic. */
export const topicsFit = (
  { sql }: ChainSql,
  { topics: asked, match }: LedgerLogFilter,
  columns: ReadonlyArray<Column>,
) => {
  const conditions = asked.flatMap((topic, place) =>
    topic === undefined ? [] : [(columns[place] ?? never(sql))(topic)],
  )
  const [first = sql`true`, ...others] = conditions
  const word = match === "all" ? sql`and` : sql`or`
  return others.reduce((sum, condition) => sql`${sum} ${word} (${condition})`, sql`(${first})`)
}

const never =
  (sql: ChainSql["sql"]): Column =>
  () =>
    sql`false`
