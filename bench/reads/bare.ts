/** The bare server: `Bun.serve`, postgres.js and one statement a question over the service's own tables. Nothing is checked, validated, paged or tuned. */
import postgres from "postgres"

const [url, schema, chainId] = process.argv.slice(2) as [string, string, string]
const sql = postgres(url, { max: 12, connection: { search_path: schema } })
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`
const bytes = (address: string): Buffer => Buffer.from(address.slice(2), "hex")
const id = (address: string) =>
  sql`(select token_id from token where address = ${bytes(address)} order by standard limit 1)`

const transferColumns = sql`
  t.pos, t.time, t.tx_hash, t.from_addr, t.to_addr, t.amount, k.address, k.name, k.symbol, k.decimals`

const transfer = (row: postgres.Row) => ({
  chainId,
  blockNumber: Number(BigInt(row.pos) >> 24n),
  logIndex: Number(BigInt(row.pos) & 16777215n),
  txHash: hex(row.tx_hash),
  from: hex(row.from_addr),
  to: hex(row.to_addr),
  createdAt: new Date(Number(row.time) * 1000).toISOString(),
  timestamp: new Date(Number(row.time) * 1000).toISOString(),
  amount: row.amount,
  tokenAddress: hex(row.address),
  tokenName: row.name,
  tokenSymbol: row.symbol,
  tokenDecimals: row.decimals,
})

const token = (row: postgres.Row) => ({
  chainId,
  address: hex(row.address),
  name: row.name,
  symbol: row.symbol,
  decimals: row.decimals,
  totalSupply: row.supply,
  createOperation: { timestamp: row.created_time && new Date(Number(row.created_time) * 1000).toISOString() },
  transfers: { last24h: row.last_24h, last48h: row.last_48h, last72h: row.last_72h },
  holdersCount: Number(row.holders),
})

const supply = sql`(select -sum(b.balance) from balance b where b.token_id = k.token_id and octet_length(b.holder) < 20)`
const tokenColumns = sql`k.address, k.name, k.symbol, k.decimals, k.created_time, s.holders, s.last_24h, s.last_48h, s.last_72h`

/** By the first part of the path; the rest are its parameters. */
const answers: Readonly<Record<string, (...parameters: ReadonlyArray<string>) => Promise<unknown>>> = {
  newest: async (limit) =>
    (
      await sql`select ${transferColumns} from erc20_transfer t join token k using (token_id)
        order by t.pos desc limit ${Number(limit)}`
    ).map(transfer),
  "of-token": async (limit, address) =>
    (
      await sql`select ${transferColumns} from erc20_transfer t join token k using (token_id)
        where t.token_id = ${id(address!)} order by t.pos desc limit ${Number(limit)}`
    ).map(transfer),
  holders: async (limit, address) =>
    (
      await sql`select holder, balance from balance where token_id = ${id(address!)} and balance > 0
        order by balance desc, holder limit ${Number(limit)}`
    ).map((row) => ({ chainId, address: hex(row.holder), balance: row.balance, percentage: 0.5 })),
  balance: async (address, holder) => {
    const [row] = await sql`select balance from balance where holder = ${bytes(holder!)} and token_id = ${id(address!)}`
    return row?.balance ?? "0"
  },
  supply: async (address) => {
    const [row] = await sql`select -sum(balance) as supply from balance
      where token_id = ${id(address!)} and holder in ('\\x', '\\x00')`
    return row?.supply ?? "0"
  },
  "holder-count": async (address) => {
    const [row] = await sql`select holders from token_stat where token_id = ${id(address!)}`
    return String(row?.holders ?? 0)
  },
  "balance-at": async (block, address, holder) => {
    const [row] = await sql`select case when b.block_number <= ${Number(block)} then b.balance else (
        select h.balance from balance_history h where h.token_id = b.token_id and h.holder_no = b.holder_no
          and h.block_number <= ${Number(block)} order by h.block_number desc limit 1) end as balance
      from balance b where b.holder = ${bytes(holder!)} and b.token_id = ${id(address!)}`
    return row?.balance ?? "0"
  },
  tokens: async (limit) =>
    (
      await sql`select ${tokenColumns}, ${supply} as supply from token_stat s join token k using (token_id)
        where s.standard = 20 order by s.holders desc, s.address limit ${Number(limit)}`
    ).map(token),
  holdings: async (limit, holder) =>
    (
      await sql`select k.address, k.name, k.symbol, k.decimals, b.balance from balance b join token k using (token_id)
        where b.holder = ${bytes(holder!)} and b.balance > 0 and k.standard = 20 order by k.address limit ${Number(limit)}`
    ).map((row) => ({ ...row, address: hex(row.address) })),
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  // Bun would close a connection that waits for more than 10 seconds.
  idleTimeout: 120,
  fetch: async (request) => {
    const [, name = "", ...parameters] = new URL(request.url).pathname.split("/")
    return Response.json({ items: await answers[name]!(...parameters) })
  },
})
console.log(`bare server listens on http://127.0.0.1:${server.port}`)
