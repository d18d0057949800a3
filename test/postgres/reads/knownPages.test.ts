/** Pages over chains that go on from what earlier pages have met: whatever comes between, they are what each chain asked anew would say. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { seedChains } from "../../../bench/across/seedChains.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { chainIdOfNumber } from "../../../src/model/primitives.ts"
import type { FeedKey } from "../../../src/model/transfer.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { testDatabase } from "../../support/postgres.ts"

/** `KNOWN_STEPS` for more. */
const steps = Number(process.env.KNOWN_STEPS ?? 150)
const seed = Number(process.env.FC_SEED ?? 15)
const numbers = [4, 30, 200]
const chains = numbers.map(chainIdOfNumber)

/** Mulberry32. */
let state = seed
const random = (): number => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const below = (most: number): number => Math.floor(random() * most)
const pick = <A>(items: ReadonlyArray<A>): A => items[below(items.length)]!

interface Block {
  readonly time: number
  readonly hash: string
  readonly rows: number
}

let sql: postgres.Sql
const open = (url: string, distributed: boolean) => ManagedRuntime.make(PostgresStore.layer({ url, distributed }))
let known: ReturnType<typeof open>
let anew: ReturnType<typeof open>
const blocks = new Map<number, Array<Block>>()

beforeAll(async () => {
  const url = await testDatabase(15)
  sql = postgres(url, { max: 1, onnotice: () => {} })
  await seedChains(sql, { schema: "cowry", chains: numbers, rows: 10 })
  for (const chain of numbers) {
    await sql.unsafe(`truncate cowry_${chain}.erc20_transfer, cowry_${chain}.clock`)
    blocks.set(chain, [])
    for (let block = 0; block < 40; block++) await append(chain)
  }
  known = open(url, false)
  anew = open(url, true)
})
afterAll(async () => {
  await known.dispose()
  await anew.dispose()
  await sql.end()
})

let made = 0
const newBlock = (chain: number): Block => ({
  time: (blocks.get(chain)!.at(-1)?.time ?? 1_700_000_000 + below(3)) + below(4),
  hash: (++made).toString(16).padStart(64, "0"),
  rows: below(4),
})

const append = async (chain: number, block = newBlock(chain)): Promise<void> => {
  const own = blocks.get(chain)!
  const number = own.length
  own.push(block)
  const { time, hash, rows } = block
  await sql.unsafe(`
    insert into cowry_${chain}.erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
    select (${number}::int8 << 24) + n, ${time}, 1 + n, decode('${hash}', 'hex'), token.address, token.address, ${made}
    from generate_series(0, ${rows - 1}) n, cowry_${chain}.token where token.token_id = 1 + n;
    insert into cowry_${chain}.block values (${number}, decode('${hash}', 'hex'), '', ${time});
    delete from cowry_${chain}.block where number < ${number - 12};
    update cowry_${chain}.state set next_block = ${number + 1}, head_time = ${time}, head_hash = decode('${hash}', 'hex'), revision = revision + 1`)
}

/** The newest blocks taken out, as a rollback does, or as a server that is behind never had them. */
const takeBack = async (chain: number, depth: number, isRollback: boolean): Promise<ReadonlyArray<Block>> => {
  const own = blocks.get(chain)!
  const taken = own.splice(own.length - depth)
  const { time, hash } = own.at(-1)!
  await sql.unsafe(`
    delete from cowry_${chain}.erc20_transfer where pos >= ${own.length}::int8 << 24;
    delete from cowry_${chain}.block where number >= ${own.length};
    update cowry_${chain}.state set next_block = ${own.length}, head_time = ${time}, head_hash = decode('${hash}', 'hex'), revision = revision + 1;
    insert into cowry_${chain}.rollback (rollback_no, from_block)
    select coalesce(max(rollback_no), 0) + 1, ${own.length} from cowry_${chain}.rollback where ${isRollback} having ${isRollback}`)
  return taken
}

/** A row that was missed, far below the head. */
const heal = async (chain: number): Promise<void> => {
  const block = below(blocks.get(chain)!.length - 10)
  await sql.unsafe(`
    insert into cowry_${chain}.erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
    select (${block}::int8 << 24) + 1000 + ${++made}, ${blocks.get(chain)![block]!.time}, 1, '', address, address, 1
    from cowry_${chain}.token where token_id = 1;
    update cowry_${chain}.state set revision = revision + 1;
    insert into cowry_${chain}.rollback (rollback_no, from_block)
    select coalesce(max(rollback_no), 0) + 1, ${block} from cowry_${chain}.rollback`)
}

interface Walker {
  readonly direction: "asc" | "desc"
  readonly limit: number
  place: { readonly after?: FeedKey; readonly before?: FeedKey }
}
const begin = (): Walker => ({ direction: pick(["asc", "desc"]), limit: 1 + below(12), place: {} })

const ask = async (walker: Walker): Promise<ReadonlyArray<FeedKey>> => {
  const { direction, limit, place } = walker
  const list = TransferStore.use((store) =>
    store.list({ standard: "erc20", chains, filter: {}, direction, page: { limit, ...place }, count: true }),
  )
  const [found, wanted] = [await known.runPromise(list), await anew.runPromise(list)]
  expect(JSON.stringify(found), `FC_SEED=${seed}`).toBe(JSON.stringify(wanted))
  return found.value.keys
}

test("while blocks come and go, on servers that are behind, and after a restore to another fork", async () => {
  const walkers = [begin(), begin(), begin()]
  let pages = 0
  const turn = async () => {
    const at = below(walkers.length)
    const keys = await ask(walkers[at]!)
    if (keys.length > 0) pages++
    const last = keys.at(-1)
    const chance = random()
    if (last === undefined || chance < 0.05) walkers[at] = begin()
    else if (chance < 0.2) walkers[at]!.place = { before: keys[0]! }
    // A cursor that somebody made up: its place and its time are of different rows.
    else if (chance < 0.25)
      walkers[at]!.place = { after: { ...last, time: last.time + below(40) - 20, blockNumber: below(50) } }
    else if (chance < 0.9) walkers[at]!.place = { after: last }
  }
  for (let step = 0; step < steps; step++) {
    const chain = pick(numbers)
    const chance = random()
    if (chance < 0.3) await append(chain)
    else if (chance < 0.33) await heal(chain)
    else if (chance < 0.38) {
      await takeBack(chain, 1 + below(4), true)
      for (let more = below(6); more > 0; more--) await append(chain)
    } else if (chance < 0.44) {
      const taken = await takeBack(chain, 1 + below(6), false)
      for (let page = below(3); page >= 0; page--) await turn()
      // Restored, and gone on since.
      if (random() < 0.3) for (let more = taken.length + below(3); more > 0; more--) await append(chain)
      else for (const block of taken) await append(chain, block)
    }
    await turn()
  }
  expect(pages).toBeGreaterThan(steps / 2)
}, 600_000)
