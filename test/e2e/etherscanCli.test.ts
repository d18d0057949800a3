/** Etherscan's own command-line client, pointed here by one variable, works unchanged. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import { type Json, prefix, startService, store, type TestService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/testChain.ts"

const client = createRequire(import.meta.url).resolve("@etherscan-npm/cli-linux-x64/etherscan")
const zero = address(0)
const token = address(0x10)
const holder = (index: number) => address(0x2000 + index)
const chainId = "43114"

/** 350 holders, then one gives some to another. */
const chain = new TestChain()
  .block(Array.from({ length: 350 }, (_, index) => transfer(token, zero, holder(index), BigInt(1000 + index))))
  .block([transfer(token, holder(349), holder(348), 1000n)])
  .block([transfer(token, zero, holder(0), 5n)])

let service: TestService
let server: Server
let home: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "cowry-etherscan-"))
  service = await startService()
  await store(service, chainId, chain, { [token]: { name: "Gold", symbol: "AU", decimals: 18 } })
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1" })
})
afterAll(async () => {
  await server.stop()
  await service.close()
  rmSync(home, { recursive: true })
})

/** Runs the client; gives what it printed, as JSON. */
const etherscan = (...words: ReadonlyArray<string>): Promise<Json> =>
  new Promise((resolve, reject) => {
    const child = spawn(client, [...words, "--chain", chainId, "--output", "json"], {
      env: {
        HOME: home,
        ETHERSCAN_API_KEY: "any",
        ETHERSCAN_BASE_URL: `http://127.0.0.1:${server.port}${prefix(chainId)}/compat/api`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let out = ""
    let complaint = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (complaint += chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`etherscan ${words.join(" ")} ended with ${code}: ${complaint}${out}`))
      else resolve(JSON.parse(out))
    })
  })

const balanceOf = (index: number) => String({ 0: 1005, 348: 2348, 349: 349 }[index] ?? 1000 + index)
const ranking = Array.from({ length: 350 }, (_, index) => index)
  .sort((a, b) => Number(balanceOf(b)) - Number(balanceOf(a)))
  .map((index) => ({ TokenHolderAddress: holder(index), TokenHolderQuantity: balanceOf(index) }))
const supply = ranking.reduce((sum, { TokenHolderQuantity }) => sum + Number(TokenHolderQuantity), 0)

test("stats tokensupply", async () => {
  expect(await etherscan("stats", "tokensupply", token)).toBe(String(supply))
})

test("stats tokensupplyhistory", async () => {
  expect(await etherscan("stats", "tokensupplyhistory", token, "--blockno", "1")).toBe(String(supply - 5))
})

test("account tokenbalance", async () => {
  expect(await etherscan("account", "tokenbalance", holder(0), "--contractaddress", token)).toBe("1005")
  const earliest = ["--contractaddress", token, "--tag", "earliest"]
  expect(await etherscan("account", "tokenbalance", holder(0), ...earliest)).toBe("1000")
})

test("account tokenbalancehistory", async () => {
  const at = (block: string) => ["--contractaddress", token, "--blockno", block]
  expect(await etherscan("account", "tokenbalancehistory", holder(349), ...at("0"))).toBe("1349")
  expect(await etherscan("account", "tokenbalancehistory", holder(349), ...at("1"))).toBe("349")
})

test("token tokenholdercount", async () => {
  expect(await etherscan("token", "tokenholdercount", token)).toBe("350")
})

test("token tokenholderlist", async () => {
  expect(await etherscan("token", "tokenholderlist", token, "--page", "2", "--offset", "3")).toEqual(
    ranking.slice(3, 6),
  )
})

test("token info", async () => {
  const entry = { contractAddress: token, tokenName: "Gold", symbol: "AU", tokenType: "ERC20" }
  expect(await etherscan("token", "info", token)).toMatchObject([{ ...entry, totalSupply: String(supply) }])
})

test("account addresstokenbalance", async () => {
  const holding = {
    TokenAddress: token,
    TokenName: "Gold",
    TokenSymbol: "AU",
    TokenQuantity: "1005",
    TokenDivisor: "18",
  }
  expect(await etherscan("account", "addresstokenbalance", holder(0))).toEqual([holding])
})

test.each(["100", "200"])("--all walks a holder list of 350 by %s and gets all 350", async (offset) => {
  expect(await etherscan("token", "tokenholderlist", token, "--all", "--offset", offset)).toEqual(ranking)
})

test("a fault reaches the user in our words", async () => {
  const failed = etherscan("stats", "tokensupplyhistory", token, "--blockno", "99")
  expect(failed).rejects.toThrow("Invalid block number: expected a block up to the indexed head 2, got 99")
})
