/** 64 clients ask while blocks arrive: every answer belongs to the one block that its as-of header names. On either store. */
import { expect, test } from "bun:test"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"
import { type Json, prefix, startService } from "../support.ts"

const zero = address(0)
const coin = address(0x20)
const apes = address(0x721)
const potions = address(0x1155)
const person = (index: number) => address(0x2000 + (index % 11))
const clients = 64
const rounds = 2
const answersPerBlock = 40

/** Each block mints 10 coins, one ape and 3 potions of two ids, and moves 2 of the coins minted before. */
const grow = (chain: TestChain): TestChain => {
  const at = chain.nextBlock
  return chain.block([
    transfer(coin, zero, person(at), 10n),
    transfer(coin, person(at), person(at + 3), 2n),
    nftTransfer(apes, zero, person(at), BigInt(at)),
    multiTransfer(potions, zero, person(at + 1), [
      [BigInt(at % 5), 2n],
      [BigInt(10 + (at % 7)), 1n],
    ]),
  ])
}

const sum = (items: ReadonlyArray<Json>): number => items.reduce((total, { balance }) => total + Number(balance), 0)

/** A question, and what its answer must come to when `minted` blocks are in the ledger. */
const questions: ReadonlyArray<
  readonly [path: string, of: (body: Json) => unknown, wanted: (minted: number) => unknown]
> = [
  [`erc20/${coin}/holders?limit=1000`, ({ items }) => sum(items), (minted) => 10 * minted],
  [`erc721/${apes}/holders?limit=1000`, ({ items }) => sum(items), (minted) => minted],
  [`erc1155/${potions}/holders?limit=1000`, ({ items }) => sum(items), (minted) => 3 * minted],
  [
    `erc721/${apes}/tokens?limit=1000&count=true`,
    ({ items, count }) => [items.length, count],
    (minted) => [minted, minted],
  ],
  [
    "erc20",
    ({ items }) => [items[0].totalSupply, items[0].transfers.last24h],
    (minted) => [String(10 * minted), 2 * minted],
  ],
  ["erc721", ({ items }) => items[0].transfers.last72h, (minted) => minted],
  [
    "erc1155-transfers?limit=2&count=true",
    ({ items, count }) => [items[0].blockNumber, count],
    (minted) => [minted - 1, 2 * minted],
  ],
  [
    `compat/api?module=stats&action=tokensupply&contractaddress=${coin}`,
    ({ result }) => result,
    (minted) => String(10 * minted),
  ],
  [
    `compat/api?module=token&action=tokenholderlist&contractaddress=${potions}&offset=1000`,
    ({ result }) => result.reduce((all: number, row: Json) => all + Number(row.TokenHolderQuantity), 0),
    (minted) => 3 * minted,
  ],
]

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer(await testSettings()),
}

test.each(Object.entries(stores))("%s", async (_, makeStore) => {
  const service = await startService({ storeLayer: await makeStore() })
  try {
    const chain = grow(new TestChain())
    const writer = await service.open("43114")
    await service.run(writer.append(chain.segment(0)))
    const seen = new Set<number>()
    let answers = 0
    let appended: Promise<unknown> = Promise.resolve()
    const ask = async (client: number): Promise<void> => {
      for (let turn = client; turn < client + rounds * questions.length; turn++) {
        const [path, of, wanted] = questions[turn % questions.length]!
        const response = await service.fetch(`${prefix("43114")}/${path}`)
        const minted = Number(response.headers.get("x-as-of-block")?.replace("43114:", "")) + 1
        expect([path, response.status, of(await response.json())]).toEqual([path, 200, wanted(minted)])
        seen.add(minted)
        // One client waits for the block, the others go on asking.
        if (++answers % answersPerBlock === 0) {
          const segment = grow(chain).segment(chain.nextBlock - 1)
          appended = appended.then(() => service.run(writer.append(segment)))
          await appended
        }
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => ask(client)))
    expect(answers).toBe(clients * rounds * questions.length)
    // Answers were given in the middle of it, not only before and after.
    expect(seen.size).toBeGreaterThan(5)
  } finally {
    await service.close()
  }
})
