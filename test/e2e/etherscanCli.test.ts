/** Etherscan's own command-line client, pointed here by one variable, works unchanged. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import { type Json, prefix, sha256, startService, store, type TestService } from "../http/support.ts"
import { address, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { problemOf } from "../support/failure.ts"

const client = createRequire(import.meta.url).resolve("@etherscan-npm/cli-linux-x64/etherscan")
const zero = address(0)
const token = address(0x10)
const apes = address(0x721)
const holder = (index: number) => address(0x2000 + index)
const chainId = "43114"

/** 350 holders, then one gives some to another. */
const chain = new TestChain()
  .block(Array.from({ length: 350 }, (_, index) => transfer(token, zero, holder(index), BigInt(1000 + index))))
  .block([transfer(token, holder(349), holder(348), 1000n)])
  .block([transfer(token, zero, holder(0), 5n)])
  .block([3n, 20n, 100n].map((id) => nftTransfer(apes, zero, holder(0), id)))

let service: TestService
let server: Server
let home: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "cowry-etherscan-"))
  service = await startService()
  await store(service, chainId, chain, {
    [token]: { name: "Gold", symbol: "AU", decimals: 18 },
    [apes]: { name: "Apes", symbol: "APE" },
  })
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1" })
})
afterAll(async () => {
  await server.stop()
  await service.close()
  rmSync(home, { recursive: true })
})

interface Run {
  /** Its home, where it keeps what `login` was given. */
  readonly home: string
  readonly port: number
  readonly key?: string
  /** What it reads. */
  readonly input?: string
}

/** Runs the client; gives what it printed. */
const run = (words: ReadonlyArray<string>, { home, port, key, input = "" }: Run): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(client, words, {
      env: {
        HOME: home,
        ...(key === undefined ? {} : { ETHERSCAN_API_KEY: key }),
        ETHERSCAN_BASE_URL: `http://127.0.0.1:${port}${prefix(chainId)}/compat/api`,
      },
      stdio: ["pipe", "pipe", "pipe"],
    })
    child.stdin.end(input)
    let out = ""
    let complaint = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (complaint += chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`etherscan ${words.join(" ")} ended with ${code}: ${complaint}${out}`))
      else resolve(out)
    })
  })

/** What it printed, as JSON. */
const etherscan = async (...words: ReadonlyArray<string>): Promise<Json> =>
  JSON.parse(await run([...words, "--chain", chainId, "--output", "json"], { home, port: server.port, key: "any" }))

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

test("token info of an ERC-721", async () => {
  const entry = { contractAddress: apes, tokenName: "Apes", symbol: "APE", tokenType: "ERC721", totalSupply: "3" }
  expect(await etherscan("token", "info", apes)).toMatchObject([entry])
})

test("account addresstokennftbalance", async () => {
  expect(await etherscan("account", "addresstokennftbalance", holder(0))).toEqual([
    { TokenAddress: apes, TokenQuantity: "3", TokenName: "Apes", TokenSymbol: "APE" },
  ])
})

test("account addresstokennftinventory", async () => {
  const inventory = ["account", "addresstokennftinventory", holder(0), "--contractaddress", apes]
  const entries = ["3", "20", "100"].map((id) => ({ TokenAddress: apes, TokenId: id }))
  expect(await etherscan(...inventory)).toEqual(entries)
  expect(await etherscan(...inventory, "--page", "2", "--offset", "2")).toEqual(entries.slice(2))
  expect(await etherscan(...inventory, "--all", "--offset", "1")).toEqual(entries)
})

test("apilimit", async () => {
  expect(await etherscan("apilimit")).toEqual({
    creditsUsed: 0,
    creditsAvailable: 1_000_000_000,
    creditLimit: 1_000_000_000,
    limitInterval: "daily",
  })
})

test("login keeps a key that the service takes, and refuses another", async () => {
  const strict = await startService({ strictKeys: true, apiKeysSha256: [sha256("right")], rateLimitRpd: 100 })
  const listening = await serve(strict.app, { port: 0, hostname: "127.0.0.1" })
  const own = mkdtempSync(join(tmpdir(), "cowry-etherscan-login-"))
  const at = { home: own, port: listening.port }
  try {
    expect(await problemOf(run(["login"], { ...at, input: "wrong\n" }))).toContain("Invalid API Key")
    expect(await run(["login"], { ...at, input: "right\n" })).toContain("API Key saved")
    expect(readFileSync(join(own, ".etherscan", "config.toml"), "utf8")).toContain("right")
    // From now on it sends that key by itself. `login` was one of the two calls.
    expect(JSON.parse(await run(["apilimit", "--chain", chainId], at))).toEqual({
      creditsUsed: 2,
      creditsAvailable: 98,
      creditLimit: 100,
      limitInterval: "daily",
    })
  } finally {
    await listening.stop()
    await strict.close()
    rmSync(own, { recursive: true })
  }
})

test.each(["100", "200"])("--all walks a holder list of 350 by %s and gets all 350", async (offset) => {
  expect(await etherscan("token", "tokenholderlist", token, "--all", "--offset", offset)).toEqual(ranking)
})

test("a fault reaches the user in our words", async () => {
  const failed = etherscan("stats", "tokensupplyhistory", token, "--blockno", "99")
  expect(await problemOf(failed)).toContain("Invalid block number: expected a block up to the indexed head 3, got 99")
})
