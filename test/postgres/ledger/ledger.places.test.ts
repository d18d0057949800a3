/** What a log says beside what moves balances: columns of rows, also in a ledger that began without them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { canonical, digestOf, ledgerVersion } from "../../../src/adapters/postgres/database/ledgerSettings.ts"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { topics } from "../../../src/domain/ingest/decode/topics.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { freshChainId, settingsOf } from "../../contracts/store.ts"
import {
  address,
  deposit,
  hash,
  multiTransfer,
  nftTransfer,
  operatorOf,
  swap,
  TestChain,
  transfer,
  withdrawal,
} from "../../support/chain/testChain.ts"
import { type LedgerDatabase, openLedgers } from "./ledger.support.ts"

const [token, weth, pool] = [address(0x70), address(0x71), address(0x72)]
const [alice, bob] = [address(0xa), address(0xb)]

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

const busy = () => {
  const chain = new TestChain(new Set([weth]))
  chain.pools.set(pool, { pool, token0: token, token1: weth, decimals0: 18, decimals1: 18 })
  const events = [
    transfer(token, zeroAddress, alice, 5n),
    deposit(weth, alice, 0n),
    withdrawal(weth, alice, 0n),
    nftTransfer(token, zeroAddress, alice, 1n),
    multiTransfer(token, zeroAddress, alice, [
      [1n, 2n],
      [2n, 2n],
    ]),
    swap(pool, { paid0: true, paid: 1n, got: 2n }),
  ]
  return chain
    .block(events)
    .block(events)
    .block([transfer(token, alice, bob, 1n)])
}

const placesOf = async (chainId: string) => {
  const { sql } = ledgers
  const rows = (table: string, columns: string) =>
    sql.unsafe(`select (pos >> 24)::int4 as block, ${columns} from cowry_${chainId}.${table} order by 1, pos`)
  return {
    erc20: await rows("erc20_transfer", "tx_index"),
    erc721: await rows("erc721_transfer", "tx_index"),
    erc1155: await rows("erc1155_transfer", "tx_index, '0x' || encode(operator, 'hex') as operator"),
    wraps: await rows("wrap", "tx_index, is_deposit, '0x' || encode(tx_hash, 'hex') as tx_hash"),
    swaps: await rows("swap", "tx_index"),
  }
}

test("every table of rows has them; a Deposit of nothing is not a Withdrawal", async () => {
  const chainId = freshChainId()
  const chain = busy()
  const { writer } = await ledgers.open({ chainId, wrappedNative: [weth] })
  await ledgers.run(writer.append(chain.segment(0)))
  const found = await placesOf(chainId)
  const tx = (block: number, place: number) => String(chain.blocks[block]!.logs[place]!.txHash)
  expect(found.erc20.map(({ tx_index }) => tx_index)).toEqual([0, 0, 0])
  expect(found.erc721.map(({ tx_index }) => tx_index)).toEqual([3, 3])
  const unit = { tx_index: 4, operator: operatorOf(zeroAddress) }
  expect<unknown>(found.erc1155.map(({ block: _, ...row }) => row)).toEqual([unit, unit, unit, unit])
  expect(found.swaps.map(({ tx_index }) => tx_index)).toEqual([5, 5])
  expect<unknown>([...found.wraps]).toEqual(
    [0, 1].flatMap((block) => [
      { block, tx_index: 1, is_deposit: true, tx_hash: tx(block, 1) },
      { block, tx_index: 2, is_deposit: false, tx_hash: tx(block, 2) },
    ]),
  )
})

test("a ledger that an older version began goes on: its rows lack them, those from there on do not, a rollback included", async () => {
  const chainId = freshChainId()
  const chain = busy()
  const schema = `cowry_${chainId}`
  const { sql } = ledgers
  // As it was left by the version before: its tables, its state and two blocks.
  await migrate(sql, schema, ledgerMigrations.slice(0, ledgerMigrations.indexOf("012_log_places.sql")))
  const wanted = canonical(settingsOf({ chainId, wrappedNative: [weth] }))
  const head = chain.blocks[0]!.header
  const [zeros, bytes] = ["0".repeat(64), (hex: string) => `'\\x${hex.slice(2)}'`]
  await sql.unsafe(`
    set search_path = ${schema};
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent, head_time,
                       token_seq, erc20_tokens, erc20_transfers)
    values (${ledgerVersion}, '${digestOf(wanted)}', '${JSON.stringify(wanted)}', 0, 1, ${bytes(head.hash)},
            ${bytes(head.parentHash)}, ${head.time}, 1, 1, 1);
    insert into block values (0, ${bytes(head.hash)}, ${bytes(head.parentHash)}, ${head.time});
    insert into clock values (0, ${head.time});
    insert into token (token_id, standard, address, first_pos, sort_time, first_tx)
    values (1, 20, ${bytes(token)}, 0, ${head.time}, '\\x${zeros}');
    insert into token_stat (token_id, standard, address, transfers, holders, holder_seq) values (1, 20, ${bytes(token)}, 1, 1, 2);
    insert into erc20_transfer values (0, ${head.time}, 1, '\\x${zeros}', ${bytes(zeroAddress)}, ${bytes(alice)}, 5);
    insert into balance values (1, 0, 0, '', -5), (1, 2, 0, ${bytes(alice)}, 5);
    reset search_path`)
  const { writer } = await ledgers.open({ chainId, wrappedNative: [weth] })
  await ledgers.run(writer.append(chain.segment(1, 1)))
  await ledgers.run(writer.rollback(1))
  await ledgers.run(writer.append(chain.segment(1, 2, { finalizedBlock: 2 })))
  const found = await placesOf(chainId)
  expect(found.erc20.map(({ block, tx_index }) => [block, tx_index])).toEqual([
    [0, null],
    [1, 0],
    [2, 0],
  ])
  expect(found.erc1155.map(({ tx_index, operator }) => [tx_index, operator])).toEqual([
    [4, operatorOf(zeroAddress)],
    [4, operatorOf(zeroAddress)],
  ])
  expect(found.wraps.map(({ is_deposit }) => is_deposit)).toEqual([true, false])
  // Of the first group the time alone is known.
  expect(await ledgers.run(writer.landmarks(9))).toEqual([])
  const [state] = await sql.unsafe(`select full_from, odd_from from ${schema}.state`)
  expect<unknown>({ ...state }).toEqual({ full_from: 1, odd_from: 1 })
})

test("a ledger for which an older version took a block that never came for final can be taken back again after its next append", async () => {
  const chainId = freshChainId()
  const chain = busy().block().block()
  const first = await ledgers.open({ chainId })
  await ledgers.run(first.writer.append(chain.segment(0, 2)))
  await first.close()
  await ledgers.sql.unsafe(`update cowry_${chainId}.state set finalized_block = 19999936`)
  const { writer, close } = await ledgers.open({ chainId })
  expect((await ledgers.run(writer.checkpoint)).finalizedBlock).toBe(2)
  await ledgers.run(writer.append(chain.segment(3, 4)))
  const [state] = await ledgers.sql.unsafe(`select finalized_block from cowry_${chainId}.state`)
  expect(state!.finalized_block).toBe(2)
  expect((await ledgers.run(writer.rollback(3))).nextBlock).toBe(3)
  await close()
})

test.each([false, true])(
  "a log that rows do not give back is kept to its last byte, however long; in bulk: %p",
  async (isBulk) => {
    const chainId = freshChainId()
    const chain = new TestChain()
    // Of one topic and of four; around the 256 KB that are sent at a time, and beyond all that is.
    const lengths = [0, 1, 31, 262_000, 262_143, 262_144, 262_145, 3_000_001]
    const odd = lengths.flatMap((length, place) => {
      const topic = `0x${String(place).padStart(64, "0")}`
      const data = `0x${Buffer.alloc(length, 1 + place).toString("hex")}`
      return [0, 3].map((more) => ({
        token: address(0x70 + place),
        event: { kind: "malformed" } as const,
        written: { topics: [topics.transfer, ...new Array<string>(more).fill(topic)], data: `${data}${more}0` },
      }))
    })
    chain
      .block([transfer(token, zeroAddress, alice, 5n)])
      .block(odd)
      .block(odd.slice(0, 2))
    const { writer } = await ledgers.open({ chainId })
    if (isBulk) await ledgers.run(writer.bulk!.begin)
    await ledgers.run(writer.append(chain.segment(0, 2, { finalizedBlock: 0 })))
    while (isBulk && (await ledgers.run(writer.bulk!.derive)));
    await ledgers.run(writer.rollback(2))
    const rows = await ledgers.sql.unsafe(`select * from cowry_${chainId}.odd_log order by pos`)
    const hex = (bytes: Uint8Array | null) => (bytes === null ? [] : [`0x${Buffer.from(bytes).toString("hex")}`])
    const digest = (text: string) => hash(text)
    expect(
      rows.map(({ topic0, topic1, topic2, topic3, data, contract, has_rows }) => [
        ...hex(contract),
        [topic0, topic1, topic2, topic3].flatMap(hex),
        digest(hex(data)[0]!),
        has_rows,
      ]),
    ).toEqual(odd.map(({ token, written }) => [token, written.topics, digest(written.data), false]))
    const [state] = await ledgers.sql.unsafe(`select odd_from from cowry_${chainId}.state`)
    expect(state!.odd_from).toBe(0)
  },
)
