/** `bench:bare`: the least that a program could do with the same node: rows by COPY, balances in memory, written once at the end. Nothing is checked, nothing survives a crash: what a sync is measured against. */
import { once } from "node:events"
import { stopChildren } from "../demo/chain/child.ts"
import { CopyRows } from "../src/adapters/postgres/ledger/wire/copy.ts"
import { topics } from "../src/domain/ingest/decode/topics.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format } from "./support/output.ts"
import { cpuOf, cpuOfTree } from "./support/processes.ts"

const flags = readFlags({ ...chainFlags, concurrency: 4, postgres: "" }, process.argv.slice(2))
const { concurrency, postgres, ...chainOptions } = flags
/** Blocks a question. */
const range = Math.max(1, Math.floor(4000 / chainOptions.logsPerBlock))

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly blockTimestamp?: string
}

const database = await openDatabase("cowry_bare", postgres)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const { sql } = database
  await sql.unsafe(`
    create schema cowry_bare;
    create table cowry_bare.transfer (pos int8, time int8, token_id int4, tx_hash bytea, from_addr bytea, to_addr bytea, amount numeric);
    create table cowry_bare.balance (token_id int4, holder bytea, balance numeric)`)
  const session = await sql.reserve()
  const copy = async (target: string, slices: Iterable<Uint8Array>) => {
    const stream = await session.unsafe(`copy ${target} from stdin (format binary)`).writable()
    for (const slice of slices) await new Promise<void>((resolve) => stream.write(Buffer.from(slice), () => resolve()))
    const done = once(stream, "finish")
    stream.end()
    await done
    await session`select 1`
  }
  const before = { own: cpuOf(process.pid), postgres: cpuOfTree(database.server!) }
  const start = performance.now()
  const ask = async (from: number): Promise<ReadonlyArray<RawLog>> => {
    const filter = {
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${Math.min(made.head, from + range - 1).toString(16)}`,
      topics: [Object.values(topics)],
    }
    const response = await fetch(chain.url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] }),
    })
    return ((await response.json()) as { result: ReadonlyArray<RawLog> }).result
  }
  const tokens = new Map<string, { readonly id: number; readonly balances: Map<string, bigint> }>()
  const rows = new CopyRows(7)
  let transfers = 0
  const take = ({ address, topics: [signature, from, to], topics: { length }, data, ...log }: RawLog) => {
    if (signature !== topics.transfer || length !== 3 || data.length !== 66) return
    const token = tokens.get(address) ?? { id: tokens.size + 1, balances: new Map<string, bigint>() }
    tokens.set(address, token)
    const amount = BigInt(data)
    const [loser, gainer] = [from!.slice(26), to!.slice(26)]
    const { balances, id } = token
    balances.set(loser, (balances.get(loser) ?? 0n) - amount)
    balances.set(gainer, (balances.get(gainer) ?? 0n) + amount)
    transfers++
    rows.row()
    rows.pos(Number(log.blockNumber), Number(log.logIndex))
    rows.int8(Number(log.blockTimestamp ?? 0))
    rows.int4(id)
    rows.bytea(log.transactionHash, 32)
    rows.bytea(`0x${loser}`, 20)
    rows.bytea(`0x${gainer}`, 20)
    rows.bigNumeric(amount)
  }
  const ahead: Array<Promise<ReadonlyArray<RawLog>>> = []
  let next = 0
  const fill = () => {
    for (; ahead.length < concurrency && next <= made.head; next += range) ahead.push(ask(next))
  }
  for (fill(); ahead.length > 0; fill()) {
    const logs = await ahead.shift()!
    for (const log of logs) take(log)
    if (rows.slices.length > 8) await copy("cowry_bare.transfer", rows.take())
  }
  await copy("cowry_bare.transfer", rows.take())
  const held = new CopyRows(3)
  for (const { id, balances } of tokens.values()) {
    for (const [holder, balance] of balances) {
      held.row()
      held.int4(id)
      held.bytea(`0x${holder}`, 20)
      held.bigNumeric(balance)
    }
  }
  await copy("cowry_bare.balance", held.take())
  await session.unsafe(`
    create unique index on cowry_bare.transfer (pos);
    create unique index on cowry_bare.transfer (token_id, pos);
    create unique index on cowry_bare.balance (holder, token_id);
    create index on cowry_bare.balance (token_id, balance desc, holder)`)
  session.release()
  const seconds = (performance.now() - start) / 1000
  const own = (cpuOf(process.pid) - before.own) / transfers
  const server = (cpuOfTree(database.server!) - before.postgres) / transfers
  console.log(
    format([
      ["ERC-20 transfers/s", transfers / seconds, 0],
      ["seconds", seconds, 1],
      ["CPU µs an ERC-20 transfer, program", own, 1],
      ["CPU µs an ERC-20 transfer, PostgreSQL", server, 1],
      ["CPU µs an ERC-20 transfer, both", own + server, 1],
    ]),
  )
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
