/** Wallets of about so many transfers over many tokens, and where each of their transactions lies. */
import type postgres from "postgres"
import type { Place } from "./node.ts"

export interface Wallet {
  readonly address: string
  readonly transfers: number
  readonly tokens: number
}

/** Until the service has counted the transfers of busy accounts in all final blocks. */
export const untilCounted = async (sql: postgres.Sql, schema: string): Promise<void> => {
  for (;;) {
    const [row] = await sql<Array<{ isDone: boolean }>>`
      select m.next_block > s.finalized_block as "isDone" from ${sql(`${schema}.state`)} s cross join ${sql(`${schema}.marking`)} m`
    if (row?.isDone) return
    await Bun.sleep(500)
  }
}

/** Those nearest to `transfers` with `least` at the least, contracts' reserved accounts left out. */
export const findWallets = async (
  sql: postgres.Sql,
  schema: string,
  { transfers, least, count }: { readonly transfers: number; readonly least: number; readonly count: number },
): Promise<ReadonlyArray<Wallet>> => {
  const rows = sql(`${schema}.erc20_transfer`)
  const zero = `\\x${"00".repeat(20)}`
  const found = await sql<Array<Wallet>>`
    select '0x' || encode(account, 'hex') as address, sum(rows)::int as transfers, count(distinct token_id)::int as tokens
    from (
      select from_addr as account, token_id, count(*) as rows from ${rows} group by 1, 2
      union all select to_addr, token_id, count(*) from ${rows} where to_addr <> from_addr group by 1, 2) of_token
    where account <> ${zero}::bytea group by account having sum(rows) >= ${least}
    order by abs(sum(rows) - ${transfers}::int8) limit ${count}`
  return [...found]
}

export const placesOf = async (
  sql: postgres.Sql,
  schema: string,
  wallets: ReadonlyArray<Wallet>,
): Promise<ReadonlyMap<string, Place>> => {
  const accounts = wallets.map(({ address }) => `\\x${address.slice(2)}`)
  const rows = await sql<Array<{ hash: string; block: number; index: number | null; block_hash: string | null }>>`
    select '0x' || encode(t.tx_hash, 'hex') as hash, (t.pos >> 24)::int4 as block, t.tx_index as index,
      (select '0x' || encode(b.hash, 'hex') from ${sql(`${schema}.block`)} b where b.number = (t.pos >> 24)::int4) as block_hash
    from ${sql(`${schema}.erc20_transfer`)} t
    where t.from_addr = any(${accounts}::text[]::bytea[]) or t.to_addr = any(${accounts}::text[]::bytea[])`
  return new Map(
    rows.map(({ hash, block, index, block_hash }) => [
      hash,
      { block, index: index ?? 0, ...(block_hash === null ? {} : { blockHash: block_hash }) },
    ]),
  )
}
