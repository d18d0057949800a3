/** Places of holders among all of a token, counted off the rank index. */
import type { Fragment } from "postgres"
import { type HolderKey, mostRank } from "../../../../model/holder.ts"
import type { PageRequest } from "../../../../model/page.ts"
import type { ChainSql } from "../../database/chainSql.ts"

/**
 * JSON array of the numbers of holders ahead of the first `rows` of a page, which is the column `x.page`; null where these are
 * more than are counted.
 */
export const selectAhead = (chain: ChainSql, tokenId: Fragment, rows: number): Fragment => {
  const { sql, balance } = chain
  const counted = (condition: Fragment) => sql`(
    select count(*) from (
      select from ${balance} r
      where r.token_id = (${tokenId}) and octet_length(r.holder) = 20 and ${condition} limit ${mostRank}) ahead)`
  const held = sql`(p.held ->> 'balance')::numeric`
  const holder = sql`decode(substr(p.held ->> 'address', 3), 'hex')`
  const ahead = sql`${counted(sql`r.balance > ${held}`)} + ${counted(sql`r.balance = ${held} and r.holder < ${holder}`)}`
  return sql`
    select coalesce(json_agg(nullif(least(a.number, ${mostRank}), ${mostRank}) order by p.place), '[]')
    from json_array_elements(x.page -> 'rows') with ordinality p (held, place)
    cross join lateral (select ${ahead} as number offset 0) a
    where p.place <= ${rows}`
}

/** Whose ranks have to be counted: a row that has none near it in the same list. */
export const ranksOf = (
  ahead: ReadonlyArray<number | null>,
  rows: number,
  { each, backward }: { readonly each: boolean; readonly backward: boolean },
): ReadonlyArray<number | undefined> => {
  const rankOf = (number: number | null | undefined) =>
    typeof number !== "number" || number >= mostRank ? undefined : number + 1
  if (each) return Array.from({ length: rows }, (_, row) => rankOf(ahead[backward ? rows - 1 - row : row]))
  const [first] = ahead
  // Read backwards the row that was counted is the last one.
  return Array.from({ length: rows }, (_, row) =>
    typeof first === "number" ? rankOf(backward ? first - (rows - 1) + row : first + row) : undefined,
  )
}

/** How many are ahead of a page's first row, where that is known; `each`: rows that have nothing to do with one another. */
export const aheadOf = (
  { after, before }: PageRequest<HolderKey>,
  each: boolean,
): ReadonlyArray<number> | undefined => {
  if (each || before !== undefined) return undefined
  if (after === undefined) return [0]
  return after.rank === undefined ? undefined : [after.rank]
}
