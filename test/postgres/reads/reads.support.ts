/** Random ledgers written straight into the tables, with every row kept beside them for a naive reader to judge by. */
import { type Effect, Layer, ManagedRuntime } from "effect"
import type postgres from "postgres"
import { makeClient, readerParameters } from "../../../src/adapters/postgres/database/client.ts"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../../src/adapters/postgres/database/databaseOf.ts"
import { isDistributed } from "../../../src/adapters/postgres/database/distributed.ts"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresFreshness from "../../../src/adapters/postgres/reads/chains/PostgresFreshness.ts"
import * as PostgresHolders from "../../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "../../../src/adapters/postgres/reads/holders/PostgresSupply.ts"
import * as PostgresNfts from "../../../src/adapters/postgres/reads/nfts/PostgresNfts.ts"
import * as PostgresTokens from "../../../src/adapters/postgres/reads/tokens/PostgresTokens.ts"
import * as PostgresTransfers from "../../../src/adapters/postgres/reads/transfers/PostgresTransfers.ts"
import { movementOf } from "../../../src/domain/ingest/decode/ledgerRules.ts"
import {
  type Account,
  burnAccount,
  isReserved,
  type Movement,
  mintAccount,
  type TokenEvent,
} from "../../../src/model/event.ts"
import { type Address, type ChainId, type Hash, zeroAddress } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"

/** A pair's balances after each touched block, ascending. */
export type Versions = Array<{ readonly block: number; balance: bigint }>

export interface TokenFacts {
  readonly address: Address
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly createdTime?: number
  readonly createdTx?: Hash
  readonly firstTime: number
}

export interface ChainFacts {
  readonly chainId: ChainId
  readonly movements: ReadonlyArray<Movement>
  readonly tokens: ReadonlyArray<TokenFacts>
  /** By token, then account. */
  readonly balances: ReadonlyMap<Address, ReadonlyMap<Account, Versions>>
  readonly head: { readonly number: number; readonly time: number; readonly hash: Hash }
  readonly finalizedBlock: number
}

/** Deterministic numbers from a seed (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return { below, pick: <A>(values: ReadonlyArray<A>): A => values[below(values.length)]! }
}

export const tokenAddresses: ReadonlyArray<Address> = Array.from({ length: 60 }, (_, at) => address(0xa01 + at))
/** The first token is wrapped native. */
export const wrapped = tokenAddresses[0]!
/** The first account is in most rows, the last in few. */
export const accounts: ReadonlyArray<Address> = [
  zeroAddress,
  ...[1, 2, 3, 4, 5].map((number) => address(0xb0 + number)),
]

/** What kind of traffic a random chain has. */
export interface Traffic {
  readonly rows: number
  /** Tokens in use, up to 60. */
  readonly tokens: number
  /** Most logs of a block. */
  readonly logs: number
  /** All accounts send and receive, or: the second one receives nearly all, and mints and burns are rare. */
  readonly shape: "even" | "oneSided"
}

const amounts = [0n, 1n, 1n, 5n, 1000n, 10n ** 18n, 2n ** 127n, 2n ** 255n]

/** Rows in few blocks or many, several blocks of one time, times shared between chains. */
export const randomChain = (chainId: ChainId, seed: number, traffic: Traffic): ChainFacts => {
  const random = randomOf(seed)
  const movements: Array<Movement> = []
  let block = random.below(3)
  let time = 1_700_000_000
  while (movements.length < traffic.rows) {
    for (
      let logs = 1 + random.below(traffic.logs), logIndex = random.below(3);
      logs > 0;
      logs--, logIndex += 1 + random.below(3)
    ) {
      const token = tokenAddresses[random.below(traffic.tokens)]!
      const log = {
        address: token,
        topics: [],
        data: "0x",
        blockNumber: block,
        blockHash: hash(`${block}`),
        logIndex,
        txHash: hash(`${chainId} ${block} ${logIndex}`),
      }
      const movement = movementOf(randomEvent(random, token, traffic), log, time, new Set([wrapped]))
      if (movement !== undefined) movements.push(movement)
    }
    block += random.pick([1, 1, 1, 2, 3, 300])
    time += random.pick([0, 0, 0, 1, 1, 2, 5])
  }
  const last = movements.at(-1)!
  const head = { number: last.blockNumber + random.below(3), time: last.time + 3, hash: hash(`head ${chainId}`) }
  const finalizedBlock = random.pick([-1, last.blockNumber - 5, head.number])
  return { chainId, movements, head, finalizedBlock, tokens: tokensOf(movements), balances: balancesOf(movements) }
}

const randomEvent = (random: ReturnType<typeof randomOf>, token: Address, { shape }: Traffic): TokenEvent => {
  const account = (): Address => accounts[Math.min(random.below(6), random.below(7))]!
  if (shape === "oneSided" && random.below(12) > 0) {
    return { kind: "erc20Transfer", from: accounts[2 + random.below(4)]!, to: accounts[1]!, amount: 1n }
  }
  const amount = random.pick(amounts)
  if (token === wrapped && random.below(3) === 0) {
    return { kind: random.pick(["deposit", "withdrawal"] as const), holder: account(), amount }
  }
  return { kind: "erc20Transfer", from: account(), to: account(), amount }
}

const names = ["Wrapped", undefined, "émile \u{1F600}", undefined]
const tokensOf = (movements: ReadonlyArray<Movement>): ReadonlyArray<TokenFacts> =>
  tokenAddresses.flatMap((token, index) => {
    const first = movements.find((movement) => movement.token === token)
    if (first === undefined) return []
    const name = names[index]
    return {
      address: token,
      ...(name === undefined ? {} : { name, symbol: name.slice(0, 3) }),
      ...(index === 2 ? {} : { decimals: index * 6 }),
      ...(index === 1 ? { createdTime: first.time - 7, createdTx: hash("created") } : {}),
      firstTime: first.time,
    }
  })

export const balancesOf = (movements: ReadonlyArray<Movement>): Map<Address, Map<Account, Versions>> => {
  const tokens = new Map<Address, Map<Account, Versions>>()
  const add = ({ token, blockNumber }: Movement, account: Account, amount: bigint): void => {
    const pairs = tokens.get(token) ?? new Map<Account, Versions>()
    tokens.set(token, pairs)
    const versions = pairs.get(account) ?? []
    pairs.set(account, versions)
    const last = versions.at(-1)
    if (last?.block === blockNumber) last.balance += amount
    else versions.push({ block: blockNumber, balance: (last?.balance ?? 0n) + amount })
  }
  for (const movement of movements) {
    add(movement, movement.debit, -movement.amount)
    add(movement, movement.credit, movement.amount)
  }
  return tokens
}

/** Makes the chain's schema and writes all of it. */
export const writeChain = async (sql: postgres.Sql, prefix: string, facts: ChainFacts): Promise<void> => {
  const schema = `${prefix}_${facts.chainId}`
  await migrate(sql, schema, ledgerMigrations)
  const table = (name: string) => sql(`${schema}.${name}`)
  const position = (row: Movement) => String((BigInt(row.blockNumber) << 24n) + BigInt(row.logIndex))
  const idOf = (token: Address) => tokenAddresses.indexOf(token) + 1
  const transfers = facts.movements.filter(({ kind }) => kind === "transfer")
  const insert = async (name: string, rows: ReadonlyArray<object>): Promise<void> => {
    for (let at = 0; at < rows.length; at += 1000)
      await sql`insert into ${table(name)} ${sql(rows.slice(at, at + 1000))}`
  }
  const { head, finalizedBlock } = facts
  await insert("state", [
    {
      ledger_version: 1,
      settings_digest: "",
      settings: "",
      first_block: 0,
      next_block: head.number + 1,
      finalized_block: finalizedBlock,
      node_head: head.number + 7,
      head_hash: head.hash,
      head_parent: head.hash,
      head_time: head.time,
      revision: 9,
      erc20_tokens: facts.tokens.length,
      erc20_transfers: transfers.length,
    },
  ])
  await insert("clock", clockOf(facts.movements))
  await insert(
    "token",
    facts.tokens.map((token) => ({
      token_id: idOf(token.address),
      standard: 20,
      address: token.address,
      name: token.name ?? null,
      symbol: token.symbol ?? null,
      decimals: token.decimals ?? null,
      created_time: token.createdTime ?? null,
      created_tx: token.createdTx ?? null,
      first_pos: 0,
      sort_time: token.createdTime ?? token.firstTime,
    })),
  )
  await insert(
    "erc20_transfer",
    transfers.map((row) => ({
      pos: position(row),
      time: row.time,
      token_id: idOf(row.token),
      tx_hash: row.txHash,
      from_addr: row.from,
      to_addr: row.to,
      amount: String(row.amount),
    })),
  )
  for (const [token, pairs] of facts.balances) {
    const versions = [...pairs].map(([account, all], index) => {
      const holderNo = account === mintAccount ? 0 : account === burnAccount ? 1 : index + 2
      const rows = all.map(({ block, balance }) => ({
        token_id: idOf(token),
        holder_no: holderNo,
        block_number: block,
        balance: String(balance),
      }))
      return { account, older: rows.slice(0, -1), newest: rows.at(-1)! }
    })
    await insert(
      "balance",
      versions.map(({ account, newest }) => ({ ...newest, holder: account })),
    )
    await insert(
      "balance_history",
      versions.flatMap(({ older }) => older),
    )
    await insert("token_stat", [
      {
        token_id: idOf(token),
        standard: 20,
        address: token,
        transfers: transfers.filter((row) => row.token === token).length,
        holders: holdersOf(pairs).length,
        holder_seq: 99,
        last_24h: countsOf(facts, token).last24h,
        last_48h: countsOf(facts, token).last48h,
        last_72h: countsOf(facts, token).last72h,
      },
    ])
  }
}

/** The random chains last minutes: hours become seconds, so that the three counts differ. Statements only read them. */
export const countsOf = ({ movements, head }: ChainFacts, token: Address) => {
  const since = (seconds: number) =>
    movements.filter((row) => row.kind === "transfer" && row.token === token && row.time > head.time - seconds).length
  return { last24h: since(24), last48h: since(48), last72h: since(72) }
}

/** The first block known in each 256, as the ledger keeps them. */
const clockOf = (movements: ReadonlyArray<Movement>) => {
  const groups = new Map<number, { block: number; time: number }>()
  for (const { blockNumber: block, time } of movements) {
    if (!groups.has(block >> 8)) groups.set(block >> 8, { block, time })
  }
  return [...groups.values()]
}

export const holdersOf = (pairs: ReadonlyMap<Account, Versions> | undefined) =>
  [...(pairs ?? [])]
    .flatMap(([account, versions]) =>
      isReserved(account) ? [] : [{ address: account, balance: versions.at(-1)!.balance }],
    )
    .filter(({ balance }) => balance > 0n)

export const supplyOf = (pairs: ReadonlyMap<Account, Versions> | undefined, block = Infinity): bigint => {
  const balance = (account: Account) =>
    pairs?.get(account)?.findLast((version) => version.block <= block)?.balance ?? 0n
  return -balance(mintAccount) - balance(burnAccount)
}

/** The read ports over an empty database; each `prefix` is an installation of its own in it. */
export const openReads = async (version: 15 | 18) => {
  const url = await testDatabase(version)
  const sql = makeClient({ url, max: 4, parameters: readerParameters })
  const distributed = await isDistributed(sql)
  const runtimes: Array<{ dispose(): Promise<void> }> = []
  const reads = (prefix: string) => {
    const database = Layer.succeed(Database, databaseOf(sql, { url, schema: prefix, distributed }))
    const layers = Layer.mergeAll(
      PostgresTransfers.layer,
      PostgresTokens.layer,
      PostgresHolders.layer,
      PostgresNfts.layer,
      PostgresSupply.layer,
      PostgresFreshness.layer,
    )
    const runtime = ManagedRuntime.make(layers.pipe(Layer.provide(database)))
    runtimes.push(runtime)
    return {
      run: <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof layers>>): Promise<A> => runtime.runPromise(effect),
    }
  }
  const close = async (): Promise<void> => {
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
    await sql.end({ timeout: 1 })
  }
  return { sql, reads, close }
}

export type Reads = Awaited<ReturnType<typeof openReads>>
