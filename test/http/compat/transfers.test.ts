/** docs/interface.md, "The compatibility endpoint": lists of transfers with the columns of their transactions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainId } from "../../../src/model/primitives.ts"
import type { TransactionFacts } from "../../../src/model/transactions/transaction.ts"
import { AuditStore } from "../../../src/ports/AuditStore.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { TransactionSource } from "../../../src/ports/TransactionSource.ts"
import { hash, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, store } from "../support.ts"
import { ann, apes, avalanche, bob, cid, gold, potions, salt, startWorld, zero } from "../world.ts"

/** More blocks than clients say that there are. */
const high = new TestChain(new Set(), 400_000_000)
  .block([transfer(gold, zero, ann, 7n)])
  .block([transfer(gold, ann, bob, 5n)])
const blockOf = new Map(
  [...avalanche().blocks, ...high.blocks].flatMap((block) =>
    block.logs.map((log) => [log.txHash, { block, index: log.txIndex }] as const),
  ),
)

/** What the node tells; a text = why it cannot. */
let told: (hash: TransactionFacts["hash"]) => Partial<TransactionFacts> | string = () => ({})
let asked = 0
const nonceOf = (text: string) => String(BigInt(text) % 1000n)

const source = Layer.succeed(TransactionSource, {
  read: (_, hashes) =>
    Effect.gen(function* () {
      asked += hashes.length
      const facts: Array<TransactionFacts> = []
      for (const each of hashes) {
        const { block, index } = blockOf.get(each)!
        const patch = told(each)
        if (typeof patch === "string") return yield* new SourceUnavailable({ message: patch })
        facts.push({
          ...{
            hash: each,
            blockNumber: block.header.number,
            blockHash: block.header.hash,
            index: index ?? 0,
            nonce: nonceOf(each),
          },
          ...{ gas: "90000", gasPrice: "25000000000", gasUsed: "51000", cumulativeGasUsed: "151000" },
          ...{ methodId: "0xa9059cbb", ...patch },
        })
      }
      return facts
    }),
})

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ replace: source as Layer.Layer<never> })
  await store(service, "10", high)
})
afterAll(() => service.close())

const call = (query: string) => service.get(`/v2/api?chainid=43114&module=account&${query}`)
const rows = async (query: string): Promise<ReadonlyArray<Json>> => {
  const { status, body } = await call(query)
  expect([status, body.status, body.message]).toEqual([200, "1", "OK"])
  return body.result
}
const values = async (query: string) => (await rows(query)).map(({ blockNumber, value }) => [blockNumber, value])
const notOk = (result: Json) => ({ status: 200, body: { status: "0", message: "NOTOK", result } })
const none = { status: 200, body: { status: "0", message: "No transactions found", result: [] } }

describe("columns", () => {
  const transaction = {
    ...{ gas: "90000", gasPrice: "25000000000", gasUsed: "51000", cumulativeGasUsed: "151000", input: "deprecated" },
    ...{ methodId: "0xa9059cbb", functionName: "transfer(address to, uint256 amount)" },
  }
  const place = (row: Json, block: number) => ({
    ...{ blockNumber: String(block), timeStamp: String(avalanche().blocks[block]!.header.time), hash: row.hash },
    ...{ nonce: nonceOf(row.hash), blockHash: avalanche().blocks[block]!.header.hash },
  })

  test("of tokentx, in Etherscan's order", async () => {
    const [row] = await rows(`action=tokentx&contractaddress=${gold}&address=${bob}`)
    expect(Object.entries(row)).toEqual(
      Object.entries({
        ...place(row, 2),
        ...{ from: ann, contractAddress: gold, to: bob, value: "250" },
        ...{ tokenName: "Gold", tokenSymbol: "AU", tokenDecimal: "18" },
        ...{ transactionIndex: String(blockOf.get(row.hash)!.index ?? 0), ...transaction, confirmations: "3" },
      }),
    )
  })

  test("of tokennfttx: an id and no value", async () => {
    const [row] = await rows(`action=tokennfttx&contractaddress=${apes}&to=${bob}`)
    expect(Object.entries(row)).toEqual(
      Object.entries({
        ...place(row, 2),
        ...{ from: ann, contractAddress: apes, to: bob, tokenID: "2" },
        ...{ tokenName: "Apes", tokenSymbol: "APE", tokenDecimal: "0" },
        ...{ transactionIndex: String(blockOf.get(row.hash)!.index ?? 0), ...transaction, confirmations: "3" },
      }),
    )
  })

  test("of token1155tx: id and amount, a row per id, no decimals", async () => {
    const [first, second] = await rows(`action=token1155tx&contractaddress=${potions}&address=${ann}`)
    expect(Object.entries(first)).toEqual(
      Object.entries({
        ...place(first, 2),
        ...{ from: zero, contractAddress: potions, to: ann, tokenID: "1", tokenValue: "10" },
        ...{ tokenName: "", tokenSymbol: "" },
        ...{ transactionIndex: String(blockOf.get(first.hash)!.index ?? 0), ...transaction, confirmations: "3" },
      }),
    )
    expect([second.tokenID, second.tokenValue]).toEqual(["2", "5"])
  })

  test("unknown decimals are 0, unknown names empty, an unknown function too", async () => {
    told = () => ({ methodId: "0x00000001" })
    const [row] = await rows(`action=tokentx&contractaddress=${salt}`)
    told = () => ({})
    expect([row.tokenDecimal, row.tokenName, row.tokenSymbol, row.functionName]).toEqual(["0", "", "", ""])
  })
})

test("what the audit says of the contract is in the header, of the action's own standard; without a contract there is none", async () => {
  // What is known of a contract is remembered for two seconds.
  const own = await startWorld({ replace: source as Layer.Layer<never> })
  const chainId = ChainId.make("43114")
  const breadth = { top: 0, recent: 0, places: [] }
  const { value } = await own.run(AuditStore.use((it) => it.sample(chainId, { tokens: [gold] }, breadth)))
  const record = { state: "drift" as const, blockNumber: 0, time: 1_700_000_012, compared: 1, watched: [] }
  await own.run(AuditStore.use((it) => it.record(chainId, [{ token: value[0]!.token, record }])))
  const stateOf = async (query: string) => {
    const response = await own.fetch(`/v2/api?chainid=43114&module=account&action=${query}`)
    await response.text()
    return response.headers.get("x-audit-state")
  }
  const states = [
    [`tokentx&contractaddress=${gold}`, "43114:drift"],
    [`tokentx&contractaddress=${gold}&address=${bob}`, "43114:drift"],
    // Of nothing too.
    [`tokentx&contractaddress=${gold}&startblock=4`, "43114:drift"],
    [`tokennfttx&contractaddress=${apes}`, "43114:unverified"],
    [`token1155tx&contractaddress=${potions}`, "43114:unverified"],
    [`tokennfttx&contractaddress=${gold}`, null],
    [`tokentx&address=${bob}`, null],
    [`tokentx&contractaddress=${gold}&page=11&offset=1000`, null],
  ] as const
  for (const [query, state] of states) expect([query, await stateOf(query)]).toEqual([query, state])
  await own.close()
})

describe("which rows", () => {
  const all = [
    ["1", "1000"],
    ["2", "250"],
    ["3", "50"],
    ["3", "100"],
  ]
  test.each<[string, ReadonlyArray<Json>]>([
    [`contractaddress=${gold}`, all],
    [`contractaddress=${gold}&sort=desc`, all.toReversed()],
    [`contractaddress=${gold}&sort=DESC`, all.toReversed()],
    [`contractaddress=${gold}&sort=odd`, all],
    [`contractaddress=${gold}&address=`, all],
    [`address=${cid}`, [["3", "50"]]],
    [
      `address=${bob}`,
      [
        ["2", "250"],
        ["2", "7"],
        ["3", "50"],
      ],
    ],
    [`address=${bob}&contractaddress=${salt}`, [["2", "7"]]],
    [
      `address=${bob}&contractaddress=`,
      [
        ["2", "250"],
        ["2", "7"],
        ["3", "50"],
      ],
    ],
    [
      `from=${ann}`,
      [
        ["2", "250"],
        ["3", "100"],
      ],
    ],
    [`from=${ann}&to=${bob}`, [["2", "250"]]],
    [`from=${ann}&to=${bob}&fromto_opr=and`, [["2", "250"]]],
    [
      `from=${ann}&to=${bob}&fromto_opr=or&contractaddress=${gold}`,
      [
        ["2", "250"],
        ["3", "100"],
      ],
    ],
    [
      `from=${ann}&to=${cid}&fromto_opr=OR`,
      [
        ["2", "250"],
        ["3", "50"],
        ["3", "100"],
      ],
    ],
    [
      `address=${bob}&from=${ann}&to=${cid}&fromto_opr=or`,
      [
        ["2", "250"],
        ["3", "50"],
      ],
    ],
    [
      `from=${ann}&fromto_opr=or`,
      [
        ["2", "250"],
        ["3", "100"],
      ],
    ],
    [`address=${bob}&from=${ann}`, [["2", "250"]]],
    [`contractaddress=${gold}&startblock=2&endblock=2`, [["2", "250"]]],
    [
      `contractaddress=${gold}&startBlock=3&endBlock=99999999`,
      [
        ["3", "50"],
        ["3", "100"],
      ],
    ],
    [`contractaddress=${gold}&startblock=earliest&endblock=latest`, all],
    [
      `contractaddress=${gold}&startblock=0x3`,
      [
        ["3", "50"],
        ["3", "100"],
      ],
    ],
    [`contractaddress=${gold}&endblock=18446744073709551615`, all],
    [`contractaddress=${gold}&page=1&offset=3`, all.slice(0, 3)],
    [`contractaddress=${gold}&page=2&offset=3`, all.slice(3)],
    [`contractaddress=${gold}&page=0&offset=3`, all.slice(0, 3)],
    [`contractaddress=${gold}&page=x&offset=x`, all],
    [`contractaddress=${gold}&page=2&offset=1&sort=desc`, [["3", "50"]]],
  ])("%s", async (query, wanted) => {
    expect(await values(`action=tokentx&${query}`)).toEqual(wanted as Array<Json>)
  })

  test("no end is above every block, also where a chain has more blocks than clients say there are", async () => {
    const rows = async (query: string) =>
      (await service.get(`/v2/api?chainid=10&module=account&action=tokentx&address=${ann}&${query}`)).body.result
    for (const query of [
      "startblock=0&endblock=99999999&sort=desc",
      "startblock=399999999&endblock=99999999",
      "startblock=0&endblock=100000000",
      "startblock=0&endblock=999999999",
    ])
      expect((await rows(query)).map(({ value }: Json) => value).toSorted()).toEqual(["5", "7"])
    for (const end of ["99999998", "100000001", "200000000"])
      expect(await rows(`startblock=0&endblock=${end}`)).toEqual([])
  })

  test("none is said in the words of the family", async () => {
    for (const query of [
      `contractaddress=${cid}`,
      `contractaddress=${gold}&page=5&offset=10`,
      `contractaddress=${gold}&startblock=4`,
      `contractaddress=${gold}&startblock=3&endblock=2`,
      `contractaddress=${gold}&startblock=99999999999`,
      `contractaddress=${gold}&startblock=18446744073709551615`,
      `contractaddress=${apes}`,
    ]) {
      expect(await call(`action=tokentx&${query}`)).toEqual(none)
      expect(await service.get(`${prefix("43114")}/etherscan/api?module=account&action=tokentx&${query}`)).toEqual({
        status: 200,
        body: { status: "1", message: "OK", result: [] },
      })
    }
  })

  test.each([
    ["", "Error! Invalid address format"],
    ["address=0x12", "Error! Invalid address format"],
    [`from=0x12&address=${ann}`, "Error! Invalid address format"],
    ["contractaddress=0x12", "Error! Invalid contract address format"],
    [`address=${ann}&startblock=x`, "Error! Invalid block number"],
    [`address=${ann}&endblock=-1`, "Error! Invalid block number"],
    [`address=${ann}&fromto_opr=xor`, "Error! Invalid fromto_opr: expected and, or"],
  ])("refused: %s", async (query, result) => {
    expect(await call(`action=tokentx&${query}`)).toEqual(notOk(result))
  })

  test("a window beyond 10,000 rows is refused", async () => {
    expect((await call(`action=tokentx&address=${ann}&page=2`)).body.message).toStartWith("Result window is too large")
  })
})

describe("columns are of the ledger's own blocks, or nothing is answered", () => {
  const query = `action=tokentx&contractaddress=${gold}`
  const unknown = (why: string) =>
    notOk(
      `Error! the transactions' own columns (nonce, gas, gasPrice and the like) are not known: ${why}. Try again shortly`,
    )

  test.each<[string, typeof told, string]>([
    ["a node that fails", () => "http://node.test: rate limit exceeded", "the chain's node could not be asked"],
    [
      "a block of another number",
      () => ({ blockNumber: 9 }),
      "the chain's node tells other blocks than the ledger has",
    ],
    [
      "a block of another fork",
      () => ({ blockHash: hash("fork") }),
      "the chain's node tells other blocks than the ledger has",
    ],
  ])("%s", async (_, answer, why) => {
    const anew = await startWorld({ replace: source as Layer.Layer<never> })
    told = answer
    const { body } = await anew.get(`/43114/api?module=account&${query}`)
    told = () => ({})
    expect(body).toEqual(unknown(why).body)
    expect(body.result).not.toContain("rate limit")
    expect((await anew.get(`/43114/api?module=account&${query}`)).body.status).toBe("1")
    await anew.close()
  })

  test("they are asked for anew while a reorg may take the block, and their answers are nobody else's", async () => {
    await rows(query)
    const before = asked
    await rows(query)
    expect(asked).toBeGreaterThan(before)
  })
})
