/** Writes what was counted of accounts. */
import type { Standard } from "../../../../../model/token.ts"
import { hexArray, numberArray } from "../../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../../database/chainSql.ts"
import type { Transaction } from "../../../database/Database.ts"
import { partsOf } from "../../feed/positionKey.ts"
import type { CountedRows } from "./countRows.ts"

/** Adds their rows, and their marks. */
export const storeCounted = async (
  transaction: Transaction,
  chain: ChainSql,
  standard: Standard,
  counted: ReadonlyArray<CountedRows>,
): Promise<void> => {
  if (counted.length === 0) return
  const { tx, run } = transaction
  const { markedAccount } = chain
  const number = standardNumbers[standard]
  await run(tx`
    insert into ${markedAccount} as known (account, standard, rows)
    select w.account, ${number}::int2, w.rows
    from unnest(${hexArray(counted.map(({ account }) => account))}::text::bytea[],
                ${numberArray(counted.map(({ rows }) => rows))}::text::int8[]) as w (account, rows)
    on conflict (account, standard) do update set rows = known.rows + excluded.rows`)
  await storeMarks(transaction, chain, standard, counted)
}

/** Their marks alone; those that are there stay. */
export const storeMarks = async (
  { tx, run }: Transaction,
  { accountMark }: ChainSql,
  standard: Standard,
  counted: ReadonlyArray<CountedRows>,
): Promise<void> => {
  const number = standardNumbers[standard]
  const marks = counted.flatMap(({ account, marks }) =>
    marks.map(([mark, key]) => ({ account, mark, ...partsOf(standard, BigInt(key)) })),
  )
  if (marks.length === 0) return
  await run(tx`
    insert into ${accountMark} (account, standard, mark, pos, sub)
    select w.account, ${number}::int2, w.mark, w.pos, w.sub
    from unnest(${hexArray(marks.map(({ account }) => account))}::text::bytea[],
                ${numberArray(marks.map(({ mark }) => mark))}::text::int4[],
                ${numberArray(marks.map(({ pos }) => pos))}::text::int8[],
                ${numberArray(marks.map(({ sub }) => sub))}::text::int4[]) as w (account, mark, pos, sub)
    on conflict do nothing`)
}
