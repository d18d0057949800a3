/** docs/interface.md, "Lists": a feed of one chain gives each row exactly once, also while blocks arrive; so does a list as of a block. On either store. */
import { describe, expect, test } from "bun:test"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import type { Standard } from "../../../src/model/token.ts"
import { factsOf } from "../../contracts/worlds/bazaar.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"
import { type Json, prefix, startService, type TestService } from "../support.ts"

const zero = address(0)
const token = address(0x10)
const person = (index: number) => address(0x2000 + (index % 9))
const apes = address(0x721)
const potions = address(0x1155)
const feed = `${prefix("43114")}/erc20-transfers`

/** Three transfers of each standard a block, those of ERC-1155 as one batch. */
const grow = (chain: TestChain, blocks: number): TestChain => {
  for (let block = 0; block < blocks; block++) {
    const at = chain.nextBlock
    const numbers = [0, 1, 2].map((index) => BigInt(at * 3 + index))
    chain.block([
      ...numbers.map((number, index) => transfer(token, zero, person(at + index), number)),
      ...numbers.map((number, index) => nftTransfer(apes, zero, person(at + index), number)),
      multiTransfer(
        potions,
        zero,
        person(at),
        numbers.map((number) => [number, 1n] as const),
      ),
    ])
  }
  return chain
}
const places = (items: ReadonlyArray<Json>): ReadonlyArray<number> =>
  items.map((item) => Number(item.tokenId ?? item.amount))

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer(await testSettings()),
}

describe.each(Object.entries(stores))("a walk on %s while blocks arrive", (_, makeStore) => {
  /** Walks some paths side by side, a page of each in turn; the chain grows by a block after each of the first twelve turns. */
  const walkWhileGrowing = async (paths: ReadonlyArray<string>) => {
    const service: TestService = await startService({ storeLayer: await makeStore() })
    try {
      const chain = grow(new TestChain(), 30)
      const writer = await service.open("43114")
      await service.run(writer.append(chain.segment(0)))
      const walks = paths.map((path) => ({ items: [] as Array<Json>, link: { next: path } as Json }))
      for (let turn = 0; walks.some(({ link }) => link.next !== undefined); turn++) {
        for (const walk of walks) {
          if (walk.link.next === undefined) continue
          const { status, body } = await service.get(walk.link.next)
          expect(status).toBe(200)
          walk.items.push(...body.items)
          walk.link = body.link
        }
        if (turn < 12) {
          grow(chain, 1)
          await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
        }
      }
      return { items: walks.map(({ items }) => items), rows: 3 * chain.nextBlock }
    } finally {
      await service.close()
    }
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

  test("newest first, by 1 and by 7: every row that was there at the start, once", async () => {
    const { items } = await walkWhileGrowing([`${feed}?limit=1`, `${feed}?limit=7`])
    for (const seen of items) expect(places(seen)).toEqual(range(0, 90).toReversed())
  })

  test("oldest first, by 1 and by 7: every row, those that came meanwhile too, once", async () => {
    const { items, rows } = await walkWhileGrowing([`${feed}?limit=1&sort=asc`, `${feed}?limit=7&sort=asc`])
    for (const seen of items) expect(places(seen)).toEqual(range(0, rows))
    expect(rows).toBe(126)
  })

  test("a page before another that a reorg emptied leads on to the first page", async () => {
    const service: TestService = await startService({ storeLayer: await makeStore() })
    try {
      const chain = grow(new TestChain(), 4)
      const writer = await service.open("43114")
      await service.run(writer.append(chain.segment(0)))
      const read = async (path: string) => (await service.get(path)).body
      const second = await read((await read(`${feed}?limit=3`)).link.next)
      expect(places(second.items)).toEqual([8, 7, 6])
      await service.run(writer.rollback(3))
      const { items, link } = await read(second.link.prev)
      expect([items, link.prev, link.prevToken]).toEqual([[], undefined, undefined])
      const { link: ways, ...first } = await read(link.next)
      expect(places(first.items)).toEqual([8, 7, 6])
      expect([ways.prev, ways.next]).toEqual([undefined, (await read(`${feed}?limit=3`)).link.next])
      expect(link.next).toEndWith(`?limit=3&next=${link.nextToken}`)
      // Rows that came meanwhile are on it too, and it may be of another size.
      chain.truncate(3)
      await service.run(writer.append(grow(chain, 1).segment(3)))
      expect(places((await read(`${feed}?limit=4&nextToken=${link.nextToken}`)).items)).toEqual([11, 10, 9, 8])
      expect(await read(`${feed}?limit=3&sort=asc&next=${link.nextToken}`)).toMatchObject({ code: "INVALID_CURSOR" })
    } finally {
      await service.close()
    }
  })

  // By sevens a page of ERC-1155 ends inside a batch.
  for (const standard of ["erc721", "erc1155"]) {
    test(`${standard}, newest and oldest first: every row once`, async () => {
      const path = `${prefix("43114")}/${standard}-transfers?limit=7`
      const { items, rows } = await walkWhileGrowing([path, `${path}&sort=asc`])
      expect(items.map(places)).toEqual([range(0, 90).toReversed(), range(0, rows)])
    })
  }

  test("holders and ids as of a block: those of the block, each once", async () => {
    const then = factsOf(grow(new TestChain(), 30).blocks)
    const of = (standard: Standard) => then.find((facts) => facts.standard === standard)!
    const lists: Readonly<Record<string, ReadonlyArray<Json>>> = {
      [`erc20/${token}/holders`]: of("erc20").holders,
      [`erc721/${apes}/holders`]: of("erc721").holders,
      [`erc1155/${potions}/holders`]: of("erc1155").units,
      [`erc721/${apes}/tokens`]: of("erc721").ids.map(({ tokenId }) => ({ tokenId })),
    }
    const paths = Object.entries(lists).map(([list, wanted]) => {
      const limit = Math.ceil(wanted.length / 9)
      return `${prefix("43114")}/${list}?blockNumber=29&limit=${limit}`
    })
    const { items } = await walkWhileGrowing(paths)
    for (const [at, wanted] of Object.values(lists).entries()) {
      expect(items[at]).toHaveLength(wanted.length)
      expect(items[at]).toMatchObject(wanted as Array<Json>)
    }
  })

  test("back from anywhere leads to the newest row of now, each row once", async () => {
    const service = await startService({ storeLayer: await makeStore() })
    try {
      const chain = grow(new TestChain(), 10)
      const writer = await service.open("43114")
      await service.run(writer.append(chain.segment(0)))
      const { body } = await service.get(`${feed}?limit=5`)
      const second = await service.get(body.link.next)
      grow(chain, 4)
      await service.run(writer.append(chain.segment(10)))
      let back: ReadonlyArray<Json> = second.body.items
      let prev: string | undefined = second.body.link.prev
      while (prev !== undefined) {
        const page = await service.get(prev)
        back = [...page.body.items, ...back]
        prev = page.body.link.prev
      }
      expect(places(back)).toEqual(range(20, 42).toReversed())
    } finally {
      await service.close()
    }
  })
})
