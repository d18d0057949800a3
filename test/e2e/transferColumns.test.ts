/** The judge of the lists of transfers: every column of every row of everybody, against the node's own blocks, transactions and receipts. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { callBatch } from "../../demo/chain/rpc.ts"
import { type Stage, setStage } from "../support/chain/stage.ts"
import { nobody } from "../support/judge/truth.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

type Json = ReturnType<typeof JSON.parse>
type Row = Readonly<Record<string, string>>

let stage: Stage
let service: Service

beforeAll(async () => {
  stage = await setStage(3)
  await stage.play(20)
  service = await startService({ ...stage.env, FINALITY_31337: "5", DATABASE_URL: await testDatabase() })
  await service.indexed("31337", await stage.headHash())
})
afterAll(async () => {
  await service?.stop()
  await stage?.node.stop()
})

const actions = { erc20: "tokentx", erc721: "tokennfttx", erc1155: "token1155tx" } as const
type Standard = keyof typeof actions

const ask = async (query: string): Promise<ReadonlyArray<Row>> => {
  const { status, message, result } = await service.get<Json>(`/v2/api?chainid=31337&module=account&${query}`)
  if (status === "1" || message === "No transactions found") return result
  throw new Error(`${query}: ${message}: ${result}`)
}

/** What the node says of a transaction, in the columns' words. */
const nodeColumns = async (hashes: ReadonlyArray<string>) => {
  const of = async (method: string) =>
    callBatch<Json>(
      stage.node.url,
      hashes.map((hash) => ({ method, params: [hash] })),
    )
  const [sent, receipts] = await Promise.all([of("eth_getTransactionByHash"), of("eth_getTransactionReceipt")])
  const decimal = (value: string) => String(BigInt(value))
  return new Map(
    hashes.map((hash, index) => {
      const [transaction, receipt] = [sent[index], receipts[index]]
      return [
        hash,
        {
          blockNumber: decimal(receipt.blockNumber),
          blockHash: receipt.blockHash,
          nonce: decimal(transaction.nonce),
          transactionIndex: decimal(receipt.transactionIndex),
          gas: decimal(transaction.gas),
          gasPrice: decimal(receipt.effectiveGasPrice),
          gasUsed: decimal(receipt.gasUsed),
          cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
          methodId: transaction.input.slice(0, 10),
          input: "deprecated",
        },
      ] as const
    }),
  )
}

const compare = async () => {
  const truth = await stage.truth()
  const head = truth.head.number
  const all = Object.values(truth.rows).flat()
  const everyone = [...new Set(all.flatMap(({ from, to }) => [from, to]))]
  let compared = 0
  const facts = await nodeColumns([...new Set(all.map(hashOf))])
  for (const [standard, action] of Object.entries(actions) as Array<[Standard, string]>) {
    const rows = truth.rows[standard]
    const tokens = [...new Set(rows.map(({ token }) => token))]
    const questions: Array<readonly [string, (row: (typeof rows)[number]) => boolean]> = [
      ...everyone.map((who) => [`address=${who}`, ({ from, to }: Json) => from === who || to === who] as const),
      ...tokens.map((token) => [`contractaddress=${token}`, (row: Json) => row.token === token] as const),
      ...tokens.map((token, index) => {
        const who = everyone[index % everyone.length]!
        return [
          `contractaddress=${token}&address=${who}`,
          (row: Json) => row.token === token && (row.from === who || row.to === who),
        ] as const
      }),
    ]
    for (const [query, isAsked] of questions) {
      const wanted = rows.filter(isAsked)
      for (const direction of ["asc", "desc"]) {
        const given = await ask(`action=${action}&${query}&sort=${direction}`)
        const ordered = direction === "asc" ? wanted : wanted.toReversed()
        expect([query, given.map((row) => row.hash)]).toEqual([query, ordered.map(hashOf)])
        for (const [index, row] of given.entries()) {
          const { token, from, to, tokenId, amount } = ordered[index] as Json
          const moved = {
            erc20: { value: String(amount) },
            erc721: { tokenID: String(tokenId) },
            erc1155: { tokenID: String(tokenId), tokenValue: String(amount) },
          }
          expect(row).toMatchObject({
            ...facts.get(row.hash!),
            ...moved[standard],
            ...{ contractAddress: token, from, to, confirmations: String(head - Number(row.blockNumber) + 1) },
          })
          compared++
        }
      }
    }
  }
  return compared
}

const hashOf = ({ txHash }: { readonly txHash: string }): string => txHash

test("every column is the node's, of final blocks and of those near the head", async () => {
  expect(await compare()).toBeGreaterThan(500)
  // Once more, from what was kept.
  expect(await compare()).toBeGreaterThan(500)
})

test("pages of any size, and loops by startblock, give each row once", async () => {
  const whole = await ask(`action=tokentx&address=${nobody}`)
  expect(whole.length).toBeGreaterThan(20)
  for (const offset of [1, 7, 100]) {
    const pages: Array<Row> = []
    for (let page = 1; ; page++) {
      const rows = await ask(`action=tokentx&address=${nobody}&page=${page}&offset=${offset}`)
      pages.push(...rows)
      if (rows.length < offset) break
    }
    expect(pages).toEqual([...whole])
  }
  const most = Math.max(...[...Map.groupBy(whole, (row) => row.blockNumber).values()].map((rows) => rows.length))
  const key = (row: Row) => JSON.stringify(row)
  const seen = new Set<string>()
  const offset = most + 1
  for (let start = "0"; ; ) {
    const rows = await ask(`action=tokentx&address=${nobody}&startblock=${start}&offset=${offset}&page=1`)
    for (const row of rows) seen.add(key(row))
    if (rows.length < offset) break
    start = rows.at(-1)!.blockNumber!
  }
  expect(seen).toEqual(new Set(whole.map(key)))
})

test("native balances are the node's, and blocks by time the chain's own", async () => {
  const truth = await stage.truth()
  const head = truth.head.number
  const people = [...new Set(truth.rows.erc20.flatMap(({ from, to }) => [from, to]))].slice(0, 20)
  const given = await ask(`action=balancemulti&address=${people.join(",")}`)
  const node = await callBatch<string>(
    stage.node.url,
    people.map((who) => ({ method: "eth_getBalance", params: [who, `0x${head.toString(16)}`] })),
  )
  expect(given).toEqual(people.map((account, index) => ({ account, balance: String(BigInt(node[index]!)) })))
  const headers = await callBatch<Json>(
    stage.node.url,
    Array.from({ length: head + 1 }, (_, block) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${block.toString(16)}`, false],
    })),
  )
  const times = headers.map(({ timestamp }) => Number(timestamp))
  const asked = times
    .flatMap((time) => [time - 1, time, time + 1])
    .filter((time) => time >= times[0]! && time <= times.at(-1)!)
  for (const time of asked) {
    const at = (closest: string) =>
      service.get<Json>(`/31337/api?module=block&action=getblocknobytime&timestamp=${time}&closest=${closest}`)
    const [before, after] = [await at("before"), await at("after")]
    expect([time, before.result, after.result]).toEqual([
      time,
      String(times.findLastIndex((it) => it <= time)),
      String(times.findIndex((it) => it >= time)),
    ])
  }
})

test("native balances by time are those of the very block, where no token moved as well", async () => {
  const who = "0x00000000000000000000000000000000000ec0de"
  const call = async (method: string, ...params: ReadonlyArray<unknown>) =>
    (await callBatch<Json>(stage.node.url, [{ method, params }]))[0]
  const [from] = await call("eth_accounts")
  const begin = Number(await call("eth_blockNumber"))
  for (let round = 0; round < 4; round++) {
    await call("evm_increaseTime", 100)
    await call("eth_sendTransaction", { from, to: who, value: "0x64" })
    await call("evm_mine")
  }
  await call("evm_increaseTime", 100)
  await call("anvil_mine", "0xa")
  const end = Number(await call("eth_blockNumber"))
  await service.reached("31337", end)
  const answered: Array<readonly [block: number, held: string]> = []
  const wanted: typeof answered = []
  for (let block = begin; block <= end; block++) {
    const { timestamp } = await call("eth_getBlockByNumber", `0x${block.toString(16)}`, false)
    const { items } = await service.get<Json>(
      `/v2/network/mainnet/evm/31337/address/${who}/tokens?standard=native&timestamp=${Number(timestamp)}`,
    )
    answered.push([block, items[0]?.balance ?? "0"])
    wanted.push([block, String(BigInt(await call("eth_getBalance", who, `0x${block.toString(16)}`)))])
  }
  expect(answered).toEqual(wanted)
  expect(wanted.at(-1)?.[1]).toBe("400")
})

test("what everybody holds, of every standard, is what the logs come to", async () => {
  const { goods, tokens, rows } = await stage.truth()
  const people = [...new Set(Object.values(rows).flatMap((all) => all.flatMap(({ from, to }) => [from, to])))]
  for (const who of people.filter((it) => it !== nobody)) {
    const held = await ask(`action=tokenlist&address=${who}`)
    const unitsOf = (contract: string) =>
      [...goods.get(contract)!].flatMap(([id, holders]) => {
        const amount = holders.get(who) ?? 0n
        return amount > 0n ? [[id, amount] as const] : []
      })
    for (const contract of stage.goods) {
      const units = unitsOf(contract).sort(([a], [b]) => (a < b ? -1 : 1))
      const inventory = await ask(`action=addresstoken1155inventory&contractaddress=${contract}&address=${who}`)
      expect(inventory).toEqual(
        units.map(([id, amount]) => ({ TokenAddress: contract, TokenId: String(id), TokenQuantity: String(amount) })),
      )
      const sum = units.reduce((all, [, amount]) => all + amount, 0n)
      const listed = held.find((it) => it.contractAddress === contract && it.type === "ERC-1155")
      expect(listed?.balance).toBe(sum === 0n ? undefined : String(sum))
    }
    for (const token of stage.honest) {
      const balance = tokens.get(token)?.balances.get(who) ?? 0n
      const listed = held.find((it) => it.contractAddress === token && it.type === "ERC-20")
      expect(listed?.balance).toBe(balance === 0n ? undefined : String(balance))
    }
  }
})

test("after a reorg every column is the new fork's", async () => {
  await stage.node.reorg(3, stage.next())
  await service.indexed("31337", await stage.headHash())
  expect(await compare()).toBeGreaterThan(500)
})
