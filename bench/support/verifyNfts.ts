/** Holds the stored ERC-721 and ERC-1155 ledger against the truth of the chain: every owner, every balance, every count. */
import type postgres from "postgres"
import type { NftTruth } from "../truth/nftTruth.ts"

/** Gives how many owners and balances were compared. */
export const verifyNfts = async (
  sql: postgres.Sql,
  schema: string,
  truth: ReadonlyArray<NftTruth>,
  differ: (text: string) => void,
): Promise<number> => {
  const table = (name: string) => sql(`${schema}.${name}`)
  const tokens = await sql<Array<{ id: number; standard: 721 | 1155; address: string; counts: string }>>`
    select t.token_id as id, t.standard, '0x' || encode(t.address, 'hex') as address,
      concat_ws(' ', s.transfers, s.holders, s.ids) as counts
    from ${table("token")} t join ${table("token_stat")} s using (token_id) where t.standard in (721, 1155)`
  const stored = new Map(tokens.map((row) => [`${row.standard} ${row.address}`, row]))
  let compared = 0
  for (const { standard, address, transfers, holders, ids, lines } of truth) {
    const name = `ERC-${standard} ${address}`
    const row = stored.get(`${standard} ${address}`)
    stored.delete(`${standard} ${address}`)
    if (row === undefined) {
      differ(`${name}: not stored`)
      continue
    }
    const counts = `${transfers} ${holders} ${ids}`
    if (row.counts !== counts) differ(`${name}: transfers, holders, ids stored ${row.counts}, true ${counts}`)
    const found = await (standard === 721
      ? sql<Array<{ line: string }>>`
          select nft_id || ' 0x' || encode(owner, 'hex') as line from ${table("nft")}
          where token_id = ${row.id} and owner is not null`
      : sql<Array<{ line: string }>>`
          select '0x' || encode(holder, 'hex') || ' ' || nft_id || ' ' || balance as line from ${table("unit_balance")}
          where token_id = ${row.id} and balance <> 0 and octet_length(holder) = 20`)
    compared += lines.length
    const [mine, theirs] = [new Set(lines), new Set(found.map(({ line }) => line))]
    for (const line of mine.difference(theirs)) differ(`${name}: ${line} not stored`)
    for (const line of theirs.difference(mine)) differ(`${name}: ${line} stored and not true`)
    compared += await verifySums(sql, schema, row.id, name, sumsOf(standard, lines), differ)
  }
  for (const name of stored.keys()) differ(`${name}: stored, but has no event`)
  for (const standard of ["erc721", "erc1155"] as const) {
    const wanted = truth.filter((it) => `erc${it.standard}` === standard)
    const rows = wanted.reduce((sum, { transfers }) => sum + transfers, 0)
    const [state] = await sql`
      select concat_ws(' ', ${sql(`${standard}_tokens`)}, ${sql(`${standard}_transfers`)},
        (select count(*) from ${table(`${standard}_transfer`)})) as totals from ${table("state")}`
    const totals = `${wanted.length} ${rows} ${rows}`
    if (state!.totals !== totals)
      differ(`${standard}: contracts, transfers, rows stored ${state!.totals}, true ${totals}`)
  }
  return compared
}

/** What each holder has of the contract: a number of ids, or the sum of what is above zero. */
const sumsOf = (standard: 721 | 1155, lines: ReadonlyArray<string>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const line of lines) {
    const [first, second, third] = line.split(" ") as [string, string, string?]
    const [holder, amount] = standard === 721 ? [second, 1n] : [first, BigInt(third!)]
    if (amount > 0n) sums.set(holder, (sums.get(holder) ?? 0n) + amount)
  }
  return sums
}

const verifySums = async (
  sql: postgres.Sql,
  schema: string,
  tokenId: number,
  name: string,
  sums: ReadonlyMap<string, bigint>,
  differ: (text: string) => void,
): Promise<number> => {
  const rows = await sql<Array<{ holder: string; balance: string }>>`
    select '0x' || encode(holder, 'hex') as holder, balance::text from ${sql(`${schema}.balance`)}
    where token_id = ${tokenId} and octet_length(holder) = 20 and balance <> 0`
  const stored = new Map(rows.map(({ holder, balance }) => [holder, BigInt(balance)]))
  for (const [holder, sum] of sums)
    if (stored.get(holder) !== sum) differ(`${name} of ${holder}: stored ${stored.get(holder) ?? "not"}, true ${sum}`)
  for (const holder of stored.keys()) if (!sums.has(holder)) differ(`${name} of ${holder}: stored and not true`)
  return sums.size
}
