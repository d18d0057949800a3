/** Filters of holders and transfers over HTTP: what they refuse, what they cost, how their cursors are bound. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import type { Address, ChainId } from "../../../src/model/primitives.ts"
import { ChainNode, type NodeAnswer } from "../../../src/ports/ChainNode.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { CodeStore } from "../../../src/ports/CodeStore.ts"
import { WantedCodes } from "../../../src/ports/WantedCodes.ts"
import { hash } from "../../support/chain/testChain.ts"
import { prefix } from "../support.ts"
import { ann, avalanche, bob, cid, ethereum, gold, potions, startWorld } from "../world.ts"

/** Nodes of both chains, which know their own transactions. */
interface Told {
  readonly number: number
  readonly hash: string
}
const receipts = new Map<string, Told>(
  [["43114", avalanche()] as const, ["1", ethereum()] as const].flatMap(([chainId, chain]) =>
    chain.blocks.flatMap(({ logs, header }) => logs.map((log) => [`${chainId} ${log.txHash}`, header] as const)),
  ),
)
const node = { down: false, asked: 0 }
const nodeLayer = Layer.succeed(ChainNode, {
  sends: false,
  call: (chainId, method, [of]) => {
    node.asked++
    if (node.down || method !== "eth_getTransactionReceipt")
      return Effect.fail(new SourceUnavailable({ message: "down" }))
    const block = receipts.get(`${chainId} ${of}`)
    const answer: NodeAnswer =
      block === undefined
        ? { result: null }
        : { result: { transactionHash: of, blockNumber: `0x${block.number.toString(16)}`, blockHash: block.hash } }
    return Effect.succeed(answer)
  },
})

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ replace: nodeLayer as Layer.Layer<never> })
})
afterAll(() => service.close())

const avax = prefix("43114")
const holders = `${avax}/erc20/${gold}/holders`
const refused = async (path: string) => {
  const { status, body } = await service.get(path)
  return [status, body.code, body.message]
}

describe("contracts among holders", () => {
  const potionsOf = `${avax}/erc1155/${potions}/holders`
  const chainId = "43114" as ChainId
  const codes = [
    { address: ann, isContract: true, blockNumber: 3 },
    { address: bob, isContract: false, blockNumber: 3 },
  ]

  test("are shown and left out as far as they are known; nobody is called an account who was not asked about", async () => {
    expect((await service.get(`${holders}?include=isContract`)).body.items).toMatchObject(
      [ann, bob, cid].map((address) => ({ address, isContract: null })),
    )
    expect((await service.get(`${holders}?excludeContracts=true&count=true`)).body.count).toBe(3)
    await service.run(CodeStore.use((store) => store.record(chainId, codes, 1)))
    const shown = [
      [ann, true],
      [bob, false],
      [cid, null],
    ]
    const rowsOf = async (path: string) =>
      (await service.get(path)).body.items.map((it: Record<string, unknown>) => [it.address, it.isContract])
    expect(await rowsOf(`${holders}?include=isContract`)).toEqual(shown)
    expect(await rowsOf(`${holders}?excludeContracts=true`)).toEqual(shown.slice(1))
    expect(await rowsOf(`${holders}?excludeContracts=true&blockNumber=2`)).toEqual([[bob, false]])
    expect(await rowsOf(`${holders}?excludeContracts=false`)).toEqual(shown.map(([address]) => [address, undefined]))
    expect(await rowsOf(`${potionsOf}?include=isContract`)).toContainEqual([bob, false])
    expect(await rowsOf(`${potionsOf}?excludeContracts=true`)).toEqual([[bob, false]])
    const ranked = (await service.get(`${holders}?excludeContracts=true&include=rank`)).body.items
    expect(ranked.map((it: { rank: number }) => it.rank)).toEqual([2, 3])
    const first = (await service.get(`${holders}?excludeContracts=true&limit=1&count=true`)).body
    expect([first.count, first.items[0].address]).toEqual([2, bob])
    expect((await service.get(first.link.next)).body.items).toMatchObject([{ address: cid, isContract: null }])
    const csv = await (
      await service.fetch(`${holders}?excludeContracts=true`, { headers: { accept: "text/csv" } })
    ).text()
    expect(csv.split("\r\n").slice(0, 3)).toEqual([
      "chainId,address,balance,percentage,isContract",
      `43114,${bob},200,0.222222,false`,
      `43114,${cid},50,0.055556,`,
    ])
    const top = (await service.get(`/43114/api?module=token&action=topholders&contractaddress=${gold}`)).body.result
    expect(top.map((it: Record<string, unknown>) => it.TokenHolderAddressType)).toEqual(["C", "E", undefined])
  })

  test("whom a list shows and nobody knows is wanted: of holders, of ids and of the largest holders", async () => {
    // Whom the tests before have met may be written at any moment: this one has a store of its own.
    const own = await startWorld({ replace: nodeLayer as Layer.Layer<never> })
    await own.run(CodeStore.use((store) => store.record(chainId, codes, 1)))
    const waiting = () => own.run(WantedCodes.use((wanted) => wanted.list(chainId, 1000)))
    const asked = async (path: string, wanted: ReadonlyArray<string>) => {
      await own.run(WantedCodes.use((it) => Effect.flatMap(it.list(chainId, 1000), (all) => it.remove(chainId, all))))
      expect((await own.fetch(path)).status).toBe(200)
      // They are gathered for a moment: who is not wanted would have come.
      if (wanted.length === 0) await Bun.sleep(400)
      for (let tries = 0; tries < 200 && (await waiting()).length < wanted.length; tries++) await Bun.sleep(25)
      expect(new Set(await waiting())).toEqual(new Set(wanted as ReadonlyArray<Address>))
    }
    await asked(`${holders}?limit=1000&minBalance=1`, [])
    await asked(`${holders}?excludeContracts=true&minBalance=2`, [cid])
    await asked(`${holders}?include=isContract&minBalance=3`, [cid])
    await asked(`/43114/api?module=token&action=topholders&offset=77&contractaddress=${gold}`, [cid])
    await own.close()
  })

  test("are asked for by true or false", async () => {
    expect(await refused(`${holders}?excludeContracts=yes`)).toEqual([
      400,
      "INVALID_PARAMETER",
      "excludeContracts: expected true or false, got yes",
    ])
  })
})

describe("holders", () => {
  test("from a balance on, of some, and with their ranks", async () => {
    const whole = (await service.get(`${holders}?include=rank`)).body.items
    expect(whole.map((it: { rank: number }) => it.rank)).toEqual([1, 2, 3])
    expect((await service.get(holders)).body.items[0]).not.toHaveProperty("rank")
    const [, second] = whole
    expect((await service.get(`${holders}?include=rank&address=${bob}`)).body.items).toEqual([second])
    expect((await service.get(`${holders}?address=${bob},${cid}&limit=1&count=true`)).body).toMatchObject({ count: 2 })
    expect((await service.get(`${holders}?minBalance=0200`)).body.items).toHaveLength(2)
    const csv = await (await service.fetch(`${holders}?include=rank`, { headers: { accept: "text/csv" } })).text()
    expect(csv.split("\r\n").slice(0, 2)).toEqual([
      "chainId,address,balance,percentage,rank",
      `43114,${ann},650,0.722222,1`,
    ])
    const plain = await (await service.fetch(holders, { headers: { accept: "text/csv" } })).text()
    expect(plain.split("\r\n")[0]).toBe("chainId,address,balance,percentage")
  })

  test("refuse what is no balance, a rank of the past, and a cursor of another filter", async () => {
    for (const value of ["", "-1", "1.5", "0x10", "1e3", "9".repeat(79)]) {
      expect((await refused(`${holders}?minBalance=${value}`)).slice(0, 2)).toEqual([400, "INVALID_PARAMETER"])
    }
    expect(await refused(`${holders}?include=rank&blockNumber=2`)).toEqual([
      400,
      "INVALID_PARAMETER",
      "include: expected no rank beside a block: it is that of now, got rank",
    ])
    expect(await refused(`${avax}/erc1155/${potions}/holders?include=rank&limit=1`)).toEqual([
      400,
      "INVALID_PARAMETER",
      "include: expected isContract, got rank",
    ])
    const { nextToken } = (await service.get(`${holders}?limit=1&minBalance=2`)).body.link
    for (const query of ["", "&minBalance=3", `&minBalance=2&address=${bob}`]) {
      expect((await refused(`${holders}?limit=1${query}&next=${nextToken}`))[1]).toBe("INVALID_CURSOR")
    }
    expect((await refused(`${holders}?limit=1&minBalance=2&next=${nextToken}`))[0]).toBe(200)
  })
})

describe("txHash", () => {
  const [, block] = avalanche().blocks
  const txHash = block!.logs[0]!.txHash
  const of = async (chain: string, query: string) =>
    (await service.get(`${prefix(chain)}/erc20-transfers?${query}`)).body

  test("gives the transaction's rows, on whichever chain it is, in any letter case", async () => {
    const wanted = (await of("43114", "blockNumberFrom=1&blockNumberTo=1")).items
    expect((await of("43114", `txHash=${txHash}`)).items).toEqual(wanted)
    expect((await of("43114", `txHash=0x${txHash.slice(2).toUpperCase()}`)).items).toEqual(wanted)
    expect((await of("all", `txHash=${txHash}&ecosystem=avalanche`)).items).toEqual(wanted)
    expect((await of("43114", `txHash=${hash("nobody's")}`)).items).toEqual([])
    expect((await of("1", `txHash=${txHash}`)).items).toEqual([])
    expect((await of("43114", `txHash=${txHash}&address=${bob}`)).items).toEqual([])
  })

  test("asks nobody where the block is named, and is a 503 where the node cannot be asked: never an empty list", async () => {
    node.down = true
    const asked = node.asked
    expect((await of("43114", `txHash=${txHash}&blockNumberFrom=1&blockNumberTo=1`)).items).toHaveLength(1)
    expect(node.asked).toBe(asked)
    expect(await of("43114", `txHash=${txHash}&limit=9`)).toMatchObject({ statusCode: 503, code: "UNAVAILABLE" })
    expect(await of("all", `txHash=${txHash}&limit=9`)).toMatchObject({ statusCode: 503 })
    node.down = false
    for (const value of ["", "0x", txHash.slice(0, 65), `${txHash}0`, "0xzz"]) {
      expect(await of("43114", `txHash=${value}`)).toMatchObject({ statusCode: 400, code: "INVALID_PARAMETER" })
    }
  })
})

test("what is refused for its filters asks no node where the transaction is", async () => {
  const [transaction, asked] = [hash("a transaction that nobody kept"), node.asked]
  node.down = true
  for (const [path, query, name] of [
    ["erc20-transfers", "blockNumberFrom=2&blockNumberTo=1", "blockNumberFrom"],
    ["erc20-swaps", "blockNumberFrom=2&blockNumberTo=1", "blockNumberFrom"],
    ["erc1155-transfers", "tokenId=1", "tokenId"],
  ] as const) {
    const [status, code, message] = await refused(`${avax}/${path}?txHash=${transaction}&${query}`)
    expect([path, status, code, message.startsWith(name)]).toEqual([path, 400, "INVALID_PARAMETER", true])
  }
  node.down = false
  expect(node.asked).toBe(asked)
})

describe("txHash, while node and ledger differ", () => {
  const { blocks } = avalanche()
  const own = blocks[1]!.logs[0]!.txHash
  /** The answer while the node tells of the transaction; undefined = that it knows none. */
  const answerWhile = async (transaction: string, told: Told | undefined, query = "") => {
    const key = `43114 ${transaction}`
    const before = receipts.get(key)
    if (told === undefined) receipts.delete(key)
    else receipts.set(key, told)
    const { body } = await service.get(`${avax}/erc20-transfers?txHash=${transaction}${query}`)
    if (before === undefined) receipts.delete(key)
    else receipts.set(key, before)
    return body
  }
  const elsewhere = hash("a block of another fork")
  const stranger = hash("a transaction of another fork")

  test("the ledger's rows of a transaction are given, wherever a node on another fork has it", async () => {
    const { items } = (await service.get(`${avax}/erc20-transfers?blockNumberFrom=1&blockNumberTo=1`)).body
    expect(items).toHaveLength(1)
    const tolds = [undefined, ...[0, 1, 2, 5, 2 ** 32 - 1].map((number) => ({ number, hash: elsewhere }))]
    for (const told of tolds) {
      expect([told, (await answerWhile(own, told)).items]).toEqual([told, items])
      expect([told, (await answerWhile(own, told, `&address=${ann}&limit=7`)).items]).toEqual([told, items])
      expect([told, (await answerWhile(own, told, `&tokenAddress=${gold}&count=true`)).count]).toEqual([told, 1])
    }
  })

  test("a transaction in a block that the ledger does not have is no empty list", async () => {
    const inBlock = (number: number) => ({
      statusCode: 503,
      code: "UNAVAILABLE",
      message: `the node of chain 43114 has the transaction in block ${number}, which the ledger does not have: it is at block 4. Try again shortly`,
    })
    for (const number of [2, 4, 5, 5000])
      expect(await answerWhile(stranger, { number, hash: elsewhere })).toMatchObject(inBlock(number))
    const swaps = async () => (await service.get(`${avax}/erc20-swaps?txHash=${stranger}`)).body
    expect(await swaps()).toMatchObject({ items: [] })
    receipts.set(`43114 ${stranger}`, { number: 5, hash: elsewhere })
    expect(await swaps()).toMatchObject(inBlock(5))
    receipts.delete(`43114 ${stranger}`)
  })

  test("one in a block of the ledger, or that nobody knows, has no rows", async () => {
    for (const told of [undefined, blocks[2]!.header, blocks[4]!.header])
      expect((await answerWhile(stranger, told)).items).toEqual([])
  })
})

describe("search", () => {
  test("a text has up to 64 characters, and a longer one is shown without half a character", async () => {
    const search = (text: string) => service.get(`${avax}/erc20?search=${encodeURIComponent(text)}`)
    expect((await search("🦄".repeat(64))).status).toBe(200)
    const { status, body } = await search(`a${"🦄".repeat(64)}`)
    expect([status, body.message]).toEqual([
      400,
      `search: expected a text of 1 to 64 characters, got a${"🦄".repeat(31)}…`,
    ])
  })

  test("takes odd texts as texts, and refuses what is none", async () => {
    const odd = ["%", "_", "a", "%25%25", "🦄", "'--", "\\", "À", "x".repeat(64), "0x1", "*", "gold%20%20"]
    for (const text of odd) {
      expect([text, (await service.get(`${avax}/erc20?search=${encodeURIComponent(text)}`)).status]).toEqual([
        text,
        200,
      ])
    }
    for (const query of [
      "search=",
      `search=${"x".repeat(65)}`,
      `search=${encodeURIComponent("🦄".repeat(65))}`,
      "search=%00",
      "search=au&sort=name,asc",
      `search=au&tokenAddress=${gold}`,
    ]) {
      expect([query, ...(await refused(`${avax}/erc20?${query}`)).slice(0, 2)]).toEqual([
        query,
        400,
        "INVALID_PARAMETER",
      ])
    }
    // The caller's own words; the usual order may be named.
    for (const sort of ["name", "name,asc", "createdAt,asc"])
      expect((await refused(`${avax}/erc20?search=au&sort=${sort}`))[2]).toBe(
        `sort: expected no value beside search, got ${sort}`,
      )
    expect((await service.get(`${avax}/erc20?search=au&sort=createdAt`)).status).toBe(200)
    for (const text of ["GO", "au", gold.slice(0, 12), gold.toUpperCase().replace("0X", "0x")]) {
      expect((await service.get(`${avax}/erc20?search=${text}`)).body.items[0]).toMatchObject({ address: gold })
    }
    expect((await refused(`${avax}/erc721?trusted=true`))[1]).toBe("INVALID_PARAMETER")
    expect((await service.get(`${avax}/erc20?trusted=true`)).body.items).toEqual([])
    expect((await service.get(`${prefix("all")}/erc20?tokenAddress=${gold}`)).body.items).toHaveLength(1)
  })
})

describe("one token", () => {
  test("is a 404 of its own where the ledger has none, of that standard", async () => {
    const { status, body } = await service.get(`${avax}/erc20/${gold}`)
    expect([status, body.symbol, body.blueCheckmark, body.transfersCount]).toEqual([200, "AU", false, 4])
    expect([body.firstTransfer.blockNumber, body.lastTransfer.blockNumber]).toEqual([1, 3])
    for (const path of [`erc721/${gold}`, `erc20/0x${"0".repeat(39)}9`]) {
      expect((await refused(`${avax}/${path}`)).slice(0, 2)).toEqual([404, "TOKEN_NOT_FOUND"])
    }
    expect((await refused(`${prefix("all")}/erc20/${gold}`))[1]).toBe("INVALID_PARAMETER")
    expect((await refused(`${avax}/erc20/0x12`))[1]).toBe("INVALID_PARAMETER")
  })
})
