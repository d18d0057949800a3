/** Many questions of one kind as one statement: one row of values each, answered side by side. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { joined } from "../../database/fragments.ts"

/** Two connections at most: with all costly reads and one caller's cheap ones they are fewer than there are. */
export const joinedLimits = { groups: 2, members: 32 }
/** Of answers of a thousand rows: each has a cheap turn, and so needs no connection besides. Of those that may take long: they have two connections of their own. */
export const fewLimits = { groups: 2, members: 8 }

/** What a question hangs on: addresses, and numbers of blocks as they are compared with stored ones. */
export type JoinedValue = Address | number

/** What is asked about, a text for each value: of all questions, as an array of the server. */
export const textsOf = (questions: ReadonlyArray<ReadonlyArray<JoinedValue>>): ReadonlyArray<string> =>
  (questions[0] ?? []).map((first, index) => {
    const column = questions.map((values) => values[index]!)
    return typeof first === "number"
      ? numberArray(column as ReadonlyArray<number>)
      : hexArray(column as ReadonlyArray<Address>)
  })

type Select = (chain: ChainSql, values: ReadonlyArray<Fragment>) => Fragment

/** `rows`: what `select` gives for each question, as JSON, in their order. `alike`: one of the questions. */
export const selectJoined = (
  chain: ChainSql,
  alike: ReadonlyArray<JoinedValue>,
  texts: ReadonlyArray<string>,
  select: Select,
): Fragment => {
  const { sql } = chain
  return sql`(
    select coalesce(json_agg(answer order by asked.place), '[]') ${fromAsked(chain, alike, texts, select)}) as rows`
}

/** The same as rows, each with the `place` of its question, from 1. */
export const selectJoinedRows = (
  chain: ChainSql,
  alike: ReadonlyArray<JoinedValue>,
  texts: ReadonlyArray<string>,
  select: Select,
): Fragment => chain.sql`asked.place::int4, answer.* ${fromAsked(chain, alike, texts, select)}`

const fromAsked = (
  chain: ChainSql,
  alike: ReadonlyArray<JoinedValue>,
  texts: ReadonlyArray<string>,
  select: Select,
): Fragment => {
  const { sql } = chain
  const names = alike.map((_, index) => sql(`v${index}`))
  const arrays = alike.map((value, index) =>
    typeof value === "number" ? sql`${texts[index]!}::text::int4[]` : sql`${texts[index]!}::text::bytea[]`,
  )
  const columns = joined(
    names.map((name) => sql`${name}`),
    sql`, `,
  )
  const values = names.map((name) => sql`asked.${name}`)
  return sql`
    from unnest(${joined(arrays, sql`, `)}) with ordinality asked (${columns}, place)
      cross join lateral (${select(chain, values)}) answer`
}
