/** Holds a stored ledger against the truth of the chain it was made from: every token, every balance, every count. */
import type postgres from "postgres"
import type { NftTruth } from "../truth/nftTruth.ts"
import type { TokenTruth } from "../truth/truth.ts"
import type { ChainServer } from "./children.ts"
import { verifyNfts } from "./verifyNfts.ts"

export interface Verified {
  readonly tokens: number
  readonly balances: number
  /** Owners of ERC-721 ids, balances of ERC-1155 ids, and what each holder has in all of each contract. */
  readonly nfts: number
  /** What differs, the first few; empty = all is equal. */
  readonly differences: ReadonlyArray<string>
}

const shown = 10

/** Names are compared where the service has asked for them already. */
export const verifyLedger = async (sql: postgres.Sql, schema: string, chain: ChainServer): Promise<Verified> => {
  const differences: Array<string> = []
  let all = 0
  const differ = (text: string) => {
    if (++all <= shown) differences.push(text)
  }
  const tokens = await chain.get<ReadonlyArray<TokenTruth>>("/truth/tokens")
  await compareTokens(sql, schema, tokens, differ)
  const balances = await comparePairs(sql, schema, chain, differ)
  const [state] =
    await sql`select erc20_transfers::text as transfers, erc20_tokens::text as tokens from ${sql(`${schema}.state`)}`
  const transfers = tokens.reduce((sum, token) => sum + token.transfers, 0)
  const [counted] = await sql`select count(*)::text as rows from ${sql(`${schema}.erc20_transfer`)}`
  const totals = `${state!.transfers} of ${state!.tokens} tokens, ${counted!.rows} rows`
  const wanted = `${transfers} of ${tokens.length} tokens, ${transfers} rows`
  if (totals !== wanted) differ(`transfers: stored ${totals}, true ${wanted}`)
  const nfts = await verifyNfts(sql, schema, await chain.get<ReadonlyArray<NftTruth>>("/truth/nfts"), differ)
  if (all > shown) differences.push(`… ${all} in all`)
  return { tokens: tokens.length, balances, nfts, differences }
}

const compareTokens = async (
  sql: postgres.Sql,
  schema: string,
  truth: ReadonlyArray<TokenTruth>,
  differ: (text: string) => void,
) => {
  const rows = await sql<Array<Record<string, string | null>>>`
    select '0x' || encode(t.address, 'hex') as address, s.transfers::text as transfers, s.holders::text as holders,
      (select -sum(b.balance) from ${sql(`${schema}.balance`)} b
       where b.holder in ('', '\\x00') and b.token_id = t.token_id)::text as supply,
      case when t.described then t.name end as name, case when t.described then t.symbol end as symbol,
      case when t.described then t.decimals::text end as decimals, t.described::text as described
    from ${sql(`${schema}.token`)} t join ${sql(`${schema}.token_stat`)} s using (token_id) where t.standard = 20`
  const stored = new Map(rows.map((row) => [row.address, row]))
  for (const token of truth) {
    const row = stored.get(token.address)
    stored.delete(token.address)
    const text = (of: Record<string, unknown> | undefined, names: ReadonlyArray<string>) =>
      of && names.map((name) => `${name} ${of[name] ?? "absent"}`).join(", ")
    const names = [
      "transfers",
      "holders",
      "supply",
      ...(row?.described === "true" ? ["name", "symbol", "decimals"] : []),
    ]
    const [is, should] = [text(row, names), text({ ...token }, names)]
    if (is !== should) differ(`token ${token.address}: stored ${is ?? "not"}, true ${should}`)
  }
  for (const address of stored.keys()) differ(`token ${address}: stored, but has no event`)
}

/** Both sides come sorted by token and holder, and are merged: no side is held in memory. Gives how many were compared. */
const comparePairs = async (
  sql: postgres.Sql,
  schema: string,
  chain: ChainServer,
  differ: (text: string) => void,
): Promise<number> => {
  let truth: AsyncIterator<string> | undefined
  // Asked for when the stored side is sorted: of a large ledger that takes longer than a request waits for its reader.
  const next = async () => {
    truth ??= linesOf((await chain.text("/truth/pairs")).body!)
    return (await truth.next()).value as string | undefined
  }
  let line: string | undefined
  let compared = 0
  const query = sql<Array<{ line: string }>>`
    select '0x' || encode(t.address, 'hex') || ' 0x' || encode(b.holder, 'hex') || ' ' || b.balance as line
    from ${sql(`${schema}.balance`)} b join ${sql(`${schema}.token`)} t using (token_id)
    where octet_length(b.holder) = 20 and t.standard = 20 order by t.address, b.holder`
  for await (const rows of query.cursor(20_000)) {
    if (truth === undefined) line = await next()
    for (const { line: stored } of rows) {
      compared++
      while (line !== undefined && keyOf(line) < keyOf(stored)) {
        differ(`balance ${line}: not stored`)
        line = await next()
      }
      if (line === undefined || keyOf(line) !== keyOf(stored))
        differ(`balance ${stored}: stored, but nothing touched it`)
      else {
        if (line !== stored) differ(`balance: stored ${stored}, true ${line.slice(keyOf(line).length)}`)
        line = await next()
      }
    }
  }
  if (truth === undefined) line = await next()
  for (; line !== undefined; line = await next()) differ(`balance ${line}: not stored`)
  return compared
}

/** Token and holder. */
const keyOf = (line: string): string => line.slice(0, 85)

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ""
  const decoder = new TextDecoder()
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop()!
    yield* lines
  }
}
