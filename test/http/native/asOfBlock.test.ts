/** Lists as of a block over HTTP: both path styles, their refusals, cursors, and what a reorg does to a walk. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { encodeCursor } from "../../../src/model/cursor.ts"
import { QueryTooSlow } from "../../../src/model/errors.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { always } from "../../support/always.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store } from "../support.ts"
import { ann, apes, bob, cats, gems, gold, other, potions, startWorld, zero } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const avax = prefix("43114")
const lists = [
  `${avax}/erc20/${gold}/holders`,
  `${avax}/erc721/${apes}/holders`,
  `${avax}/erc1155/${potions}/holders`,
  `${avax}/erc721/${apes}/tokens`,
]
const items = async (path: string): Promise<ReadonlyArray<Json>> => {
  const { status, body } = await service.get(path)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body.items
}
const refused = async (path: string) => {
  const { status, body } = await service.get(path)
  return [status, body.code, body.message]
}

describe("blockNumber", () => {
  test("gives the holders of that block, with their part of the supply of that block, and how many there were", async () => {
    const at = async (block: number) => {
      const { body } = await service.get(`${avax}/erc20/${gold}/holders?blockNumber=${block}&count=true`)
      return [body.count, body.countType, ...body.items.map((it: Json) => [it.address, it.balance, it.percentage])]
    }
    expect(await at(0)).toEqual([0, "exact"])
    expect(await at(1)).toEqual([1, "exact", [ann, "1000", 1]])
    expect(await at(2)).toEqual([2, "exact", [ann, "750", 0.75], [bob, "250", 0.25]])
    expect(await at(3)).toEqual(await at(4))
    const { body: now } = await service.get(`${avax}/erc20/${gold}/holders`)
    expect(await items(`${avax}/erc20/${gold}/holders?blockNumber=4`)).toEqual(now.items)
  })

  test("of an ERC-721 gives owners by live ids, and the ids that lived, with the time of their mint", async () => {
    const minted = (await items(`${avax}/erc721/${apes}/tokens`))[0].createdAt
    const ids = [1n, 2n, 10n, 2n ** 256n - 1n].map(String)
    expect(await items(`${avax}/erc721/${apes}/tokens?blockNumber=2`)).toEqual(
      ids.map((tokenId) => ({ chainId: "43114", tokenAddress: apes, tokenId, createdAt: minted })),
    )
    expect((await items(`${avax}/erc721/${apes}/tokens?blockNumber=3`)).map((it) => it.tokenId)).toEqual(
      ids.filter((id) => id !== "10"),
    )
    expect(await items(`${avax}/erc721/${apes}/tokens?blockNumber=0`)).toEqual([])
    expect(await items(`${avax}/erc721/${apes}/holders?blockNumber=2`)).toEqual([
      { chainId: "43114", address: ann, balance: "3", percentage: 0.75 },
      { chainId: "43114", address: bob, balance: "1", percentage: 0.25 },
    ])
  })

  test("of an ERC-1155 gives the rows of address and id of that block", async () => {
    expect(await items(`${avax}/erc1155/${potions}/holders?blockNumber=2`)).toEqual([
      { chainId: "43114", address: ann, tokenId: "1", balance: "10" },
      { chainId: "43114", address: ann, tokenId: "2", balance: "5" },
    ])
    expect(await items(`${avax}/erc1155/${potions}/holders?blockNumber=1`)).toEqual([])
  })

  test("that is no block number is a 400, also where nothing stands behind it", async () => {
    for (const path of lists) {
      for (const value of ["", "-1", "0x10", "1e3", "1.5", "latest", "9".repeat(30)]) {
        expect(await refused(`${path}?blockNumber=${value}`)).toEqual([
          400,
          "INVALID_PARAMETER",
          `blockNumber: expected a block number up to the indexed head, got ${value === "" ? "nothing" : value}`,
        ])
      }
    }
  })

  test("beyond the indexed head is a 400, on a chain without blocks too", async () => {
    for (const path of lists) {
      for (const value of ["5", String(2 ** 31), String(Number.MAX_SAFE_INTEGER)]) {
        expect(await refused(`${path}?blockNumber=${value}`)).toEqual([
          400,
          "INVALID_PARAMETER",
          `blockNumber: expected a block up to the indexed head 4, got ${value}`,
        ])
      }
      expect(await refused(`${path.replace("43114", "10")}?blockNumber=0`)).toEqual([
        400,
        "INVALID_PARAMETER",
        "blockNumber: expected a block up to the indexed head (nothing is indexed yet), got 0",
      ])
    }
  })

  test("before the indexed history is `HISTORY_NOT_AVAILABLE`, with where it starts", async () => {
    const paths = [
      `erc20/${other}/holders`,
      `erc721/${cats}/holders`,
      `erc1155/${gems}/holders`,
      `erc721/${cats}/tokens`,
    ]
    for (const path of paths) {
      expect(await refused(`${prefix("1")}/${path}?blockNumber=19`)).toEqual([
        400,
        "HISTORY_NOT_AVAILABLE",
        "block 19 is before the indexed history, which starts at block 20",
      ])
      expect(await items(`${prefix("1")}/${path}?blockNumber=20`)).toEqual([])
    }
  })
})

describe("a walk as of a block", () => {
  const walk = async (path: string) => {
    const pages: Array<Json> = []
    for (let link: string | undefined = `${path}&limit=1`; link !== undefined; link = pages.at(-1).link.next)
      pages.push((await service.get(link)).body)
    return pages
  }

  test("gives each row once, and back again", async () => {
    for (const path of lists) {
      const whole = await items(`${path}?blockNumber=2`)
      const pages = await walk(`${path}?blockNumber=2`)
      expect(pages.flatMap((page) => page.items)).toEqual([...whole])
      const back = [pages.at(-1)]
      while (back[0].link.prev !== undefined) back.unshift((await service.get(back[0].link.prev)).body)
      expect(back.flatMap((page) => page.items)).toEqual([...whole])
    }
  })

  test("goes on at its block only: a cursor of another, or of none, is refused", async () => {
    for (const path of lists) {
      const ofBlock = (await service.get(`${path}?blockNumber=2&limit=1`)).body.link.nextToken
      const ofNow = (await service.get(`${path}?limit=1`)).body.link.nextToken
      for (const query of [`blockNumber=3&next=${ofBlock}`, `next=${ofBlock}`, `blockNumber=2&next=${ofNow}`]) {
        expect((await refused(`${path}?${query}`)).slice(0, 2)).toEqual([400, "INVALID_CURSOR"])
      }
      expect(await items(`${path}?blockNumber=02&limit=1&next=${ofBlock}`)).toHaveLength(1)
    }
  })

  test("cannot be talked into rollbacks that are no number", async () => {
    const binding = (block: number) =>
      JSON.stringify(["erc20/holders", "mainnet", "43114", [["blockNumber", block]], [["address", gold]]])
    const path = `${avax}/erc20/${gold}/holders?blockNumber=2&next=`
    const status = async (...parts: ReadonlyArray<string | number | null>) =>
      (await service.get(path + encodeCursor(binding(2), "next", parts))).status
    expect(await status("750", ann)).toBe(200)
    expect(await status("750", ann, 0)).toBe(200)
    for (const rollbacks of ["0", -1, 0.5, 2 ** 31, null]) expect(await status("750", ann, rollbacks)).toBe(400)
    expect(await status("750", ann, 0, 0)).toBe(400)
  })
})

describe("a reorg during a walk", () => {
  const chain = () => {
    const made = new TestChain()
    for (let block = 0; block < 6; block++)
      made.block(
        [ann, bob].flatMap((to) => [
          transfer(gold, zero, to, 5n),
          nftTransfer(apes, zero, to, BigInt(2 * block) + (to === ann ? 0n : 1n)),
        ]),
      )
    return made
  }
  const message =
    "a reorg, a resync or the audit changed the block since the page that this cursor is from: begin again at the first page"

  test("of its block or an older one refuses its cursors, whatever became final since; one above it does not", async () => {
    const reorged = await startService()
    const made = chain()
    const writer = await reorged.open("43114")
    await reorged.run(writer.append(made.segment(0, 5, { finalizedBlock: 1 })))
    const paths = [`${avax}/erc20/${gold}/holders`, `${avax}/erc721/${apes}/tokens`]
    const links = async (block: number) => {
      const found: Array<string> = []
      for (const path of paths) {
        const first = (await reorged.get(`${path}?blockNumber=${block}&limit=1`)).body
        found.push(first.link.next, (await reorged.get(first.link.next)).body.link.prev)
      }
      return found
    }
    const statuses = async (of: ReadonlyArray<string>) =>
      Promise.all(of.map(async (link) => (await reorged.get(link)).body.code ?? "fine"))
    const [final, low, high] = [await links(1), await links(3), await links(5)]
    await reorged.run(writer.rollback(4))
    // The head is below the block now: the cursor is at fault, not the number.
    expect(await statuses(high)).toEqual(Array(4).fill("INVALID_CURSOR"))
    made
      .truncate(4)
      .block([transfer(gold, zero, address(0xc9), 1n)], { salt: "other" })
      .block()
    await reorged.run(writer.append(made.segment(4, 5, { finalizedBlock: 5 })))
    expect(await statuses(final)).toEqual(Array(4).fill("fine"))
    expect(await statuses(low)).toEqual(Array(4).fill("fine"))
    for (const link of high) expect((await reorged.get(link)).body).toMatchObject({ code: "INVALID_CURSOR", message })
    // Nor does a stream go on from one.
    const streamed = { headers: { accept: "application/x-ndjson" } }
    expect((await reorged.get(high[0]!, streamed)).body).toMatchObject({ code: "INVALID_CURSOR", message })
    expect(await (await reorged.fetch(low[0]!, streamed)).text()).toContain(`"address":"${bob}"`)
    expect(await statuses(await links(5))).toEqual(Array(4).fill("fine"))
    await reorged.close()
  })
})

describe("blockno", () => {
  const compat = `${avax}/compat/api?module=`
  const result = async (query: string, path = compat) => (await service.get(path + query)).body.result

  test("of the lists and counts is a block in both path styles; absent, they are of now", async () => {
    for (const path of [compat, compat.replace("compat", "etherscan")]) {
      const holders = `token&action=tokenholderlist&contractaddress=${gold}`
      expect(await result(`${holders}&blockno=2`, path)).toEqual([
        { TokenHolderAddress: ann, TokenHolderQuantity: "750" },
        { TokenHolderAddress: bob, TokenHolderQuantity: "250" },
      ])
      expect(await result(`${holders}&blockno=2&page=2&offset=1`, path)).toEqual([
        { TokenHolderAddress: bob, TokenHolderQuantity: "250" },
      ])
      expect(await result(holders, path)).toEqual(await result(`${holders}&BLOCKNO=4`, path))
      const count = `token&action=tokenholdercount&contractaddress=${gold}`
      expect([await result(`${count}&blockno=1`, path), await result(count, path)]).toEqual(["1", "3"])
      const held = `account&action=addresstokenbalance&address=${bob}`
      expect(await result(`${held}&blockno=1`, path)).toEqual([])
      expect((await result(`${held}&blockno=2`, path)).map((it: Json) => it.TokenQuantity)).toEqual(["250", "7"])
      const nfts = `account&action=addresstokennftbalance&address=${ann}`
      expect((await result(`${nfts}&blockno=1`, path)).map((it: Json) => it.TokenQuantity)).toEqual(["4"])
      const inventory = `account&action=addresstokennftinventory&address=${ann}&contractaddress=${apes}`
      expect((await result(`${inventory}&blockno=2`, path)).map((it: Json) => it.TokenId)).toEqual([
        "1",
        "10",
        String(2n ** 256n - 1n),
      ])
    }
  })

  test("of an ERC-1155 sums what the ids were then", async () => {
    expect(await result(`token&action=tokenholderlist&contractaddress=${potions}&blockno=2`)).toEqual([
      { TokenHolderAddress: ann, TokenHolderQuantity: "15" },
    ])
  })

  const actions = [
    `token&action=tokenholderlist&contractaddress=${gold}`,
    `token&action=tokenholdercount&contractaddress=${gold}`,
    `account&action=addresstokenbalance&address=${ann}`,
    `account&action=addresstokennftbalance&address=${ann}`,
    `account&action=addresstokennftinventory&address=${ann}&contractaddress=${apes}`,
  ]

  test("that is no decimal number, beyond the head or before the history is an invalid block number, with the reason", async () => {
    const plain = "Error! Invalid block number"
    for (const action of actions) {
      for (const value of ["", "0x2", "-1", "latest", "1.0"])
        expect(await result(`${action}&blockno=${value}`)).toBe(plain)
      expect(await result(`${action}&blockno=5`)).toBe(`${plain}: expected a block up to the indexed head 4, got 5`)
      expect(await result(`${action}&blockno=19`, compat.replace("43114", "1"))).toBe(
        `${plain}: block 19 is before the indexed history, which starts at block 20`,
      )
    }
  })

  test("is judged behind the addresses and before the window", async () => {
    const [list, , , , inventory] = actions
    expect(await result(`token&action=tokenholderlist&contractaddress=0x1&blockno=x&page=9999&offset=9999`)).toBe(
      "Error! Invalid contract address format",
    )
    expect(await result(`${list}&blockno=x&page=9999&offset=9999`)).toBe("Error! Invalid block number")
    expect(await result(`${inventory?.replace(ann, "0x1")}&blockno=x`)).toBe("Error! Invalid address format")
    expect(await result(`${list}&blockno=2&page=9999&offset=9999`)).toBeNull()
  })
})

test("a list that takes too long as of a block is a 504 that says what would not", async () => {
  const fails = Effect.fail(new QueryTooSlow({ message: "ask for less" }))
  const slow = await startService({
    replace: Layer.merge(Layer.succeed(NftStore, always(fails)), Layer.succeed(HolderStore, always(fails))),
  })
  await store(slow, "43114", new TestChain().block([transfer(gold, zero, ann, 1n)]))
  const advice = "this takes too long as of block 0: leave the block out, or ask for one nearer to the head"
  for (const path of lists) {
    expect(await slow.get(`${path}?blockNumber=0`)).toMatchObject({
      status: 504,
      body: { code: "TIMEOUT", message: advice },
    })
    expect(await slow.get(path)).toMatchObject({ status: 504, body: { code: "TIMEOUT", message: "ask for less" } })
  }
  const counted = `${avax}/compat/api?module=token&action=tokenholdercount&contractaddress=${gold}`
  expect(await slow.get(`${counted}&blockno=0`)).toEqual({
    status: 504,
    body: { status: "0", message: "NOTOK", result: advice },
  })
  await slow.close()
})
