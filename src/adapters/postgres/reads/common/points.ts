/** The `state` rows of many chains as one text: as JSON their making costs as much as the rest of a page. */
import type { Fragment, Sql } from "postgres"
import { type ChainId, type Hash, hashOfHex } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { joined, unionAll } from "../../database/fragments.ts"
import type { StateRow } from "./asOf.ts"

const columns = (sql: Sql): ReadonlyArray<Fragment> => [
  sql`next_block, finalized_block, node_head, first_block, revision, learned, appended, encode(head_hash, 'hex'), head_time`,
]

/** Scalar: a line a chain, without those that have no stored block. `more`: further columns of a chain, none of them null. */
export const selectPoints = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  more: (chain: ChainSql, index: number) => ReadonlyArray<Fragment> = () => [],
): Fragment => sql`
  select string_agg(s.line, ';') from (${unionAll(
    sql,
    chains.map((chain, index) => {
      const all = [sql`${chain.chainId}::text`, ...columns(sql), ...more(chain, index)]
      return sql`(select concat_ws(',', ${joined(all, sql`,`)}) as line from ${chain.state} where head_hash is not null)`
    }),
  )}) s`

/** What `selectPoints` gives: each chain's row, and its further columns. */
export const readPoints = (
  text: string | undefined | null,
): ReadonlyArray<{ readonly state: StateRow; readonly more: ReadonlyArray<string> }> =>
  (text || undefined)?.split(";").map((line) => {
    const [chainId, next, finalized, nodeHead, first, revision, learned, appended, hash, time, ...more] = line.split(
      ",",
    ) as [ChainId, ...Array<string>]
    const state: StateRow = {
      chain_id: chainId,
      next_block: Number(next),
      finalized_block: Number(finalized),
      node_head: Number(nodeHead),
      first_block: Number(first),
      revision: Number(revision),
      learned: Number(learned),
      appended: Number(appended),
      head_hash: hashOfHex(`0x${hash}`) as Hash,
      head_time: Number(time),
    }
    return { state, more }
  }) ?? []
