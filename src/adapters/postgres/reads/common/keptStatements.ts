/** Statements of one chain that differ by a few texts alone: put together once under a name, then only sent with other texts. */
import type { Fragment, Sql } from "postgres"
import type { ChainSql } from "../../database/chainSql.ts"
import { selectAsOf } from "./asOf.ts"
import type { KeptPlans } from "./keptPlans.ts"
import { makeRecent } from "./recent.ts"
import { rendered } from "./rendered.ts"

/** A statement without its texts. */
interface Kept {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** Which of the values the texts are, in their order. */
  readonly places: ReadonlyArray<number>
}

/** Of all chains: each is a few kilobytes. */
const mostKept = 500

/** No text that anybody asks about. */
const markOf = (index: number): string => `\u0000${index}`

/** What is beside a statement's columns: `texts` are values of it, each of them once. */
export type SelectColumns = (chain: ChainSql, texts: ReadonlyArray<string>) => Fragment

export const makeKeptStatements = (plans: KeptPlans) => {
  const kept = makeRecent<Kept>(mostKept)
  /** `name` names, of one chain, all that the columns hang on but the texts. As-of and columns, in one statement. */
  return (sql: Sql, chain: ChainSql, name: string, texts: ReadonlyArray<string>, columns: SelectColumns) => {
    const { text, values, places } = kept(`${chain.chainId} ${name}`, () => {
      const marks = texts.map((_, index) => markOf(index))
      const made = rendered(sql`select (${selectAsOf(sql, [chain])}) as as_of, ${columns(chain, marks)}`)
      return { ...made, places: marks.map((mark) => placeOf(made.values, mark)) }
    })
    const filled = [...values]
    for (let index = 0; index < places.length; index++) filled[places[index]!] = texts[index]
    return sql.unsafe(text, filled as Array<string>, { prepare: plans.keeps(text, 1), weight: 1 })
  }
}

const placeOf = (values: ReadonlyArray<unknown>, mark: string): number => {
  const place = values.indexOf(mark)
  if (place === -1 || values.indexOf(mark, place + 1) !== -1) throw new Error("a text stands once in its statement")
  return place
}
