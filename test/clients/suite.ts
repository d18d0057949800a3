/** Unmodified clients, each from its registry, against the whole service on a real chain: what a client returns is what the node says. `bun run test:clients`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Stage, setStage } from "../support/chain/stage.ts"
import { type FakeUpstream, startFakeUpstream } from "../support/fakeUpstream.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"
import { chainUpstream } from "./chainUpstream.ts"
import { type Recorder, startRecorder } from "./recorder.ts"

/** Whatever a client returns. */
type Json = ReturnType<typeof JSON.parse>
/** A client's class, of which nothing is known here. */
type Class = new (...given: ReadonlyArray<unknown>) => Json

const chainId = "31337"
const callsFile = new URL("./calls.json", import.meta.url)
/** A package of this folder: the repository's own type check does not know it. */
const load = (name: string): Promise<Json> => import(name)

let stage: Stage
let upstream: FakeUpstream
let service: Service
let recorder: Recorder
let token: string
let person: string
let receipt: Json
const calls: Record<string, ReadonlyArray<string>> = {}

beforeAll(async () => {
  stage = await setStage(7)
  await stage.play(8)
  upstream = await startFakeUpstream()
  upstream.play(await chainUpstream(stage.node.rpc))
  service = await startService({
    ...stage.env,
    DATABASE_URL: await testDatabase(),
    ETHERSCAN_UPSTREAM_URL: upstream.url,
    ETHERSCAN_UPSTREAM_KEY: "upstreams-own-key",
    ETHERSCAN_UPSTREAM_RATE: "1000",
  })
  await service.indexed(chainId, await stage.headHash())
  recorder = await startRecorder(service.url)
  const truth = await stage.truth()
  const row = truth.rows.erc20.findLast(({ token, from }) => stage.honest.includes(token) && !/^0x0+$/.test(from))!
  token = row.token
  person = row.from
  receipt = await stage.node.rpc("eth_getTransactionReceipt", [row.txHash])
}, 180_000)
afterAll(async () => {
  await recorder?.stop()
  await service?.stop()
  await upstream?.stop()
  await stage?.node.stop()
})

/** Notes under the client's name which calls it made, without what differs from run to run. */
const keep = (client: string) => {
  const made = recorder.take().map(({ query }) => {
    const asked = new URLSearchParams(query)
    return `${asked.get("module")}/${asked.get("action")}`
  })
  calls[client] = [...new Set([...(calls[client] ?? []), ...made])].sort()
}

const hex = (value: number | bigint) => `0x${BigInt(value).toString(16)}`
const pad = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const balanceOf = async (address: string) =>
  BigInt(
    await stage.node.rpc<string>("eth_call", [{ to: token, data: `0x70a08231${pad(address).slice(2)}` }, "latest"]),
  )

/** Rows of a list, each against the node's own transaction, receipt and block. */
const expectTransactions = async (rows: ReadonlyArray<Json>) => {
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const tx = await stage.node.rpc<Json>("eth_getTransactionByHash", [row.hash])
    const own = await stage.node.rpc<Json>("eth_getTransactionReceipt", [row.hash])
    const block = await stage.node.rpc<Json>("eth_getBlockByHash", [tx.blockHash, false])
    expect({
      blockNumber: hex(row.blockNumber),
      timeStamp: hex(row.timeStamp),
      nonce: hex(row.nonce),
      blockHash: row.blockHash,
      transactionIndex: hex(row.transactionIndex),
      gas: hex(row.gas),
      gasPrice: hex(row.gasPrice),
      gasUsed: hex(row.gasUsed),
      cumulativeGasUsed: hex(row.cumulativeGasUsed),
    }).toEqual({
      blockNumber: tx.blockNumber,
      timeStamp: hex(block.timestamp),
      nonce: tx.nonce,
      blockHash: tx.blockHash,
      transactionIndex: tx.transactionIndex,
      gas: tx.gas,
      gasPrice: own.effectiveGasPrice,
      gasUsed: own.gasUsed,
      cumulativeGasUsed: own.cumulativeGasUsed,
    })
  }
}

describe("@etherscan-npm CLI", () => {
  const client = createRequire(import.meta.url).resolve("@etherscan-npm/cli-linux-x64/etherscan")
  const run = promisify(execFile)
  let home: string
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "cowry-etherscan-"))
  })
  afterAll(() => {
    keep("@etherscan-npm CLI")
    rmSync(home, { recursive: true })
  })

  const etherscan = async (...words: ReadonlyArray<string>): Promise<Json> => {
    const env = { HOME: home, ETHERSCAN_API_KEY: "callers-own-key", ETHERSCAN_BASE_URL: `${recorder.url}/v2/api` }
    const { stdout } = await run(client, [...words, "--chain", chainId, "--output", "json"], { env })
    return JSON.parse(stdout)
  }

  test("what it prints is the node's", async () => {
    expect(BigInt(await etherscan("account", "tokenbalance", person, "--contractaddress", token))).toBe(
      await balanceOf(person),
    )
    expect(await etherscan("proxy", "eth_getTransactionReceipt", "--txhash", receipt.transactionHash)).toEqual(receipt)
    const data = `0x70a08231${pad(person).slice(2)}`
    const call = await etherscan("proxy", "eth_call", "--to", token, "--data", data, "--tag", "latest")
    expect(BigInt(call)).toBe(await balanceOf(person))
    const own = await stage.node.rpc<Array<Json>>("eth_getLogs", [
      { address: token, fromBlock: "0x0", toBlock: "latest" },
    ])
    const logs = await etherscan("logs", "get", "--address", token, "--from-block", "0", "--to-block", "latest")
    expect(logs.map((log: Json) => [log.blockHash, log.logIndex, log.data])).toEqual(
      own.map((log) => [log.blockHash, log.logIndex, log.data]),
    )
    await expectTransactions(await etherscan("account", "txlist", person))
    await expectTransactions(await etherscan("account", "tokentx", person))
    const balance = BigInt(await stage.node.rpc<string>("eth_getBalance", [person, "latest"]))
    expect(BigInt(await etherscan("account", "balance", person))).toBe(balance)
  }, 60_000)

  test("the chains that it lists are the followed ones", async () => {
    keep("@etherscan-npm CLI")
    expect(JSON.stringify(await etherscan("chains"))).toContain(`"${chainId}"`)
    expect(recorder.take().map(({ path }) => path)).toContain("/v2/chainlist")
  })
})

describe("etherscan-api 12", () => {
  let api: Json
  beforeAll(async () => {
    const { init } = await load("etherscan-api")
    const transport = async (url: string) => (await fetch(url.replace("https://api.etherscan.io", recorder.url))).json()
    api = init("callers-own-key", Number(chainId), 10_000, transport)
  })
  afterAll(() => keep("etherscan-api 12"))

  test("token figures are the contract's", async () => {
    expect(BigInt((await api.account.tokenbalance(person, "", token)).result)).toBe(await balanceOf(person))
    const supply = await stage.node.rpc<string>("eth_call", [{ to: token, data: "0x18160ddd" }, "latest"])
    expect(BigInt((await api.stats.tokensupply(null, token)).result)).toBe(BigInt(supply))
  })

  test("the node's answers are passed on", async () => {
    expect((await api.proxy.eth_getTransactionReceipt(receipt.transactionHash)).result).toEqual(receipt)
    expect(Number((await api.proxy.eth_blockNumber()).result)).toBe(await stage.node.head())
    const called = (await api.proxy.eth_call(token, `0x70a08231${pad(person).slice(2)}`, "latest")).result
    expect(BigInt(called)).toBe(await balanceOf(person))
    const code = await stage.node.rpc<string>("eth_getCode", [token, "latest"])
    expect((await api.proxy.eth_getCode(token, "latest")).result).toBe(code)
  })

  test("logs are the node's, each with its receipt's gas", async () => {
    const own = await stage.node.rpc<Array<Json>>("eth_getLogs", [
      { address: token, fromBlock: "0x0", toBlock: "latest" },
    ])
    const { result } = await api.log.getLogs(token, 0, "latest")
    expect(result).toHaveLength(own.length)
    for (const [index, log] of result.entries()) {
      const { address, topics, data, blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = own[index]
      const { gasUsed, effectiveGasPrice } = await stage.node.rpc<Json>("eth_getTransactionReceipt", [transactionHash])
      expect(log).toMatchObject({
        address,
        topics,
        data,
        blockNumber,
        blockHash,
        transactionHash,
        transactionIndex,
        logIndex,
      })
      expect([log.gasUsed, log.gasPrice]).toEqual([gasUsed, effectiveGasPrice])
    }
    const none = await api.log.getLogs(token, 0, "latest", `0x${"12".repeat(32)}`)
    expect(none.result).toEqual([])
  })

  test("transactions and token transfers fit the node's receipts", async () => {
    await expectTransactions((await api.account.txlist(person, 0, "latest", 1, 50, "asc")).result)
    await expectTransactions((await api.account.tokentx(person, null, 0, "latest", 1, 50, "asc")).result)
    expect((await api.account.txlistinternal(null, person, 0, "latest", 1, 50, "asc")).result).toEqual([])
  })

  test("the native balance is the node's", async () => {
    const own = BigInt(await stage.node.rpc<string>("eth_getBalance", [person, "latest"]))
    expect(BigInt((await api.account.balance(person)).result)).toBe(own)
  })
})

describe("ethers 5", () => {
  let provider: Json
  beforeAll(async () => {
    const { ethers } = await load("ethers-5")
    const Base: Class = ethers.providers.EtherscanProvider
    provider = new (class extends Base {
      getBaseUrl() {
        return `${recorder.url}/${chainId}`
      }
    })({ name: "local", chainId: Number(chainId) }, "callers-own-key")
  })
  afterAll(() => keep("ethers 5"))

  test("blocks, receipts, code, storage and calls are the node's", async () => {
    expect(await provider.getBlockNumber()).toBe(await stage.node.head())
    const found = await provider.getTransactionReceipt(receipt.transactionHash)
    expect([found.blockHash, found.gasUsed.toHexString(), found.logs.length]).toEqual([
      receipt.blockHash,
      expect.any(String),
      receipt.logs.length,
    ])
    expect(found.gasUsed.toBigInt()).toBe(BigInt(receipt.gasUsed))
    expect((await provider.getBlock("latest")).hash).toBe(await stage.headHash())
    expect((await provider.getTransaction(receipt.transactionHash)).blockHash).toBe(receipt.blockHash)
    const data = `0x70a08231${pad(person).slice(2)}`
    expect(BigInt(await provider.call({ to: token, data }))).toBe(await balanceOf(person))
    expect((await provider.estimateGas({ to: token, data })).toNumber()).toBeGreaterThan(21_000)
    expect(await provider.getStorageAt(token, 0)).toBe(
      await stage.node.rpc("eth_getStorageAt", [token, "0x0", "latest"]),
    )
    expect((await provider.getGasPrice()).toBigInt()).toBe(BigInt(await stage.node.rpc<string>("eth_gasPrice")))
    expect(await provider.getTransactionCount(person)).toBe(
      Number(await stage.node.rpc("eth_getTransactionCount", [person, "latest"])),
    )
  })

  test("a revert reaches the user with its data", async () => {
    // The owner of an id that nobody has.
    const data = `0x6352211e${"f".repeat(64)}`
    const asked = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ to: stage.collections[0], data }, "latest"] }
    const headers = { "content-type": "application/json" }
    const own: Json = await (
      await fetch(stage.node.url, { method: "POST", headers, body: JSON.stringify(asked) })
    ).json()
    expect(own.error.data).toMatch(/^0x[0-9a-f]{8}/)
    // This client gives a revert's data as the call's answer: who decodes it throws.
    expect(await provider.call({ to: stage.collections[0], data })).toBe(own.error.data)
  })

  test("history and logs fit the node's", async () => {
    const history = await provider.getHistory(person)
    expect(history.length).toBeGreaterThan(0)
    for (const { hash, blockNumber, nonce } of history) {
      const tx = await stage.node.rpc<Json>("eth_getTransactionByHash", [hash])
      expect([hex(blockNumber), hex(nonce)]).toEqual([tx.blockNumber, tx.nonce])
    }
    const own = await stage.node.rpc<Array<Json>>("eth_getLogs", [
      { address: token, fromBlock: "0x0", toBlock: "latest" },
    ])
    const logs = await provider.getLogs({ address: token, fromBlock: 0, toBlock: "latest" })
    expect(logs.map(({ transactionHash, logIndex }: Json) => [transactionHash, hex(logIndex)])).toEqual(
      own.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]),
    )
  })

  test("the native balance is the node's", async () => {
    const own = BigInt(await stage.node.rpc<string>("eth_getBalance", [person, "latest"]))
    expect((await provider.getBalance(person)).toBigInt()).toBe(own)
  })
})

describe("ethers 6", () => {
  let provider: Json
  beforeAll(async () => {
    const { ethers } = await load("ethers-6")
    const Base: Class = ethers.EtherscanProvider
    provider = new (class extends Base {
      getBaseUrl() {
        return `${recorder.url}/${chainId}`
      }
    })(new ethers.Network("local", Number(chainId)), "callers-own-key")
  })
  afterAll(() => {
    keep("ethers 6")
    provider.destroy()
  })

  test("blocks, receipts, code, storage and calls are the node's", async () => {
    expect(await provider.getBlockNumber()).toBe(await stage.node.head())
    const found = await provider.getTransactionReceipt(receipt.transactionHash)
    expect([found.blockHash, found.gasUsed, found.gasPrice, found.index, found.logs.length]).toEqual([
      receipt.blockHash,
      BigInt(receipt.gasUsed),
      BigInt(receipt.effectiveGasPrice),
      Number(receipt.transactionIndex),
      receipt.logs.length,
    ])
    expect((await provider.getBlock("latest")).hash).toBe(await stage.headHash())
    const data = `0x70a08231${pad(person).slice(2)}`
    expect(BigInt(await provider.call({ to: token, data }))).toBe(await balanceOf(person))
    expect(await provider.estimateGas({ to: token, data })).toBeGreaterThan(21_000n)
    expect(await provider.getCode(token)).toBe(await stage.node.rpc("eth_getCode", [token, "latest"]))
    expect(await provider.getTransactionCount(person)).toBe(
      Number(await stage.node.rpc("eth_getTransactionCount", [person, "latest"])),
    )
    const own = BigInt(await stage.node.rpc<string>("eth_getBalance", [person, "latest"]))
    expect(await provider.getBalance(person)).toBe(own)
  })
})

describe("@ledgerhq/coin-evm 2.20", () => {
  let explorer: Json
  const currency = { id: "ethereum", type: "CryptoCurrency", ethereumLikeInfo: { chainId: Number(chainId) } }
  beforeAll(async () => {
    const { setCoinConfig } = await load("@ledgerhq/coin-evm/lib/config.js")
    setCoinConfig(() => ({ info: { explorer: { type: "etherscan", uri: `${recorder.url}/${chainId}/api` } } }))
    explorer = await load("@ledgerhq/coin-evm/lib/api/explorer/etherscan.js")
  })
  afterAll(() => keep("@ledgerhq/coin-evm 2.20"))

  test("operations have the node's fees, blocks and nonces", async () => {
    const account = `js:2:ethereum:${person}:`
    const operations = await explorer.getLastCoinOperations(currency, person, account, 0, 1000)
    expect(operations.length).toBeGreaterThan(0)
    for (const { hash, blockHash, blockHeight, fee } of operations) {
      const own = await stage.node.rpc<Json>("eth_getTransactionReceipt", [hash])
      expect([blockHash, hex(blockHeight)]).toEqual([own.blockHash, own.blockNumber])
      expect(BigInt(fee.toFixed())).toBe(BigInt(own.gasUsed) * BigInt(own.effectiveGasPrice))
    }
    // It leaves out tokens that its own list does not have: only that it reads them can be seen.
    expect(await explorer.getLastTokenOperations(currency, person, account, 0, 1000)).toEqual([])
    expect(Array.isArray(await explorer.getLastERC721Operations(currency, person, account, 0, 1000))).toBe(true)
    expect(Array.isArray(await explorer.getLastERC1155Operations(currency, person, account, 0, 1000))).toBe(true)
    expect(await explorer.getLastInternalOperations(currency, person, account, 0, 1000)).toEqual([])
  }, 60_000)
})

test("nobody's key went where it does not belong", () => {
  expect(upstream.seen.length).toBeGreaterThan(0)
  for (const { whole } of upstream.seen) expect(whole).not.toContain("callers-own-key")
})

test("the calls that the clients made are those of calls.json", () => {
  const text = `${JSON.stringify(calls, null, 2)}\n`
  if (process.env.WRITE_CALLS !== undefined) writeFileSync(callsFile, text)
  // Not so any more? `WRITE_CALLS=1 bun run test:clients` writes them down anew.
  expect(calls).toEqual(JSON.parse(readFileSync(callsFile, "utf8")))
})
