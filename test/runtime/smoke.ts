/** The same file on Bun and on Deno: the service boots, answers in both styles, and SIGTERM loses no request. Of the folder and the program that are named, or of this checkout. */
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { get, type IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import postgres from "postgres"
import { findProcess } from "../../src/adapters/embedded/processes.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { fake, startFakeNode } from "./fakeNode.ts"

const [root = fileURLToPath(new URL("../../", import.meta.url)), program = "src/main.ts"] = process.argv.slice(2)
const isDeno = "Deno" in globalThis
const runtime = isDeno ? "Deno" : "Bun"

const until = async <A>(what: string, look: () => Promise<A | undefined>): Promise<A> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(20)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`waited 60 s for ${what}; the service printed:\n${printed}`)
}

const step = async (name: string, work: () => Promise<void>): Promise<void> => {
  await work()
  console.log(`smoke on ${runtime}: ${name}`)
}

/** As they came. */
const bytesOf = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(url, { headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const { statusCode: status, headers } = response
        resolve({ status, headers, body: Buffer.concat(parts) })
      })
      response.on("error", reject)
    }).on("error", reject)
  })

const folder = openTemporaryFolder("cowry-smoke-")
const dataDir = join(folder, "data")
const node = await startFakeNode()
let printed = ""
let service: ChildProcess | undefined
let postmaster = 0

try {
  service = spawn(process.execPath, [...(isDeno ? ["run", "-A"] : []), program], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      HOST: "127.0.0.1",
      DATA_DIR: dataDir,
      [`RPC_URL_${fake.chainId}`]: node.url,
      [`NETWORK_${fake.chainId}`]: "mainnet",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const child = service
  const ended = new Promise<number | string | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal)),
  )
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      printed += chunk
    })

  let base = ""
  await step("it boots, and /health and /ready say so", async () => {
    base = await until("its address", async () => {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${printed}`)
      return printed.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
    })
    assert.equal((await fetch(`${base}/health`)).status, 200)
    await until("/ready", async () => ((await fetch(`${base}/ready`)).status === 200 ? true : undefined))
  })

  const path = `/v2/network/mainnet/evm/${fake.chainId}`
  const transfers = `${base}${path}/erc20-transfers?sort=asc&count=true`
  const expected = {
    items: [
      { block: 1, from: `0x${"0".repeat(40)}`, to: fake.alice, amount: "1000" },
      { block: 2, from: fake.alice, to: fake.bob, amount: "400" },
    ].map(({ block, from, to, amount }) => ({
      chainId: fake.chainId,
      blockNumber: block,
      txHash: fake.txOf(block),
      logIndex: 0,
      from,
      to,
      createdAt: new Date(fake.timeOf(block) * 1000).toISOString(),
      timestamp: new Date(fake.timeOf(block) * 1000).toISOString(),
      amount,
      tokenAddress: fake.token,
      tokenName: "Smoke",
      tokenSymbol: "SMK",
      tokenDecimals: 6,
    })),
    count: 2,
    countType: "exact",
    link: {},
  }

  await step("a native call answers", async () => {
    // The token's name is asked for in the background.
    await until("the token's name", async () =>
      (await (await fetch(transfers)).text()).includes("SMK") ? true : undefined,
    )
    const response = await fetch(transfers)
    assert.deepEqual(await response.json(), expected)
    assert.equal(response.headers.get("x-as-of-block"), `${fake.chainId}:2`)
  })

  await step("ERC-721 and ERC-1155 answer", async () => {
    const body = async (path: string): Promise<ReturnType<typeof JSON.parse>> => (await fetch(`${base}${path}`)).json()
    const held = await body(`${path}/erc721/${fake.nft}/holders`)
    assert.deepEqual(held, {
      items: [{ chainId: fake.chainId, address: fake.alice, balance: "1", percentage: 1 }],
      link: {},
    })
    const units = await body(`${path}/erc1155/${fake.multi}/holders`)
    assert.deepEqual(units, {
      items: [{ chainId: fake.chainId, address: fake.alice, tokenId: "9", balance: "3" }],
      link: {},
    })
    const { items } = await body(`${path}/erc721-transfers?tokenAddress=${fake.nft}&tokenId=07`)
    assert.deepEqual(
      items.map(({ blockNumber, logIndex, tokenId }: Record<string, unknown>) => [blockNumber, logIndex, tokenId]),
      [[2, 1, "7"]],
    )
    // Asked for in the background, as the name was.
    await until("the id's tokenUri", async () =>
      JSON.stringify(await body(`${path}/erc721/${fake.nft}/tokens`)).includes('"tokenUri":"ipfs://smoke"')
        ? true
        : undefined,
    )
  })

  await step("swaps answer", async () => {
    const response = await fetch(`${base}${path}/erc20-swaps?tokenIn=${fake.token}&count=true`)
    assert.deepEqual(await response.json(), {
      items: [
        {
          chainId: fake.chainId,
          txHash: fake.txOf(2),
          timestamp: new Date(fake.timeOf(2) * 1000).toISOString(),
          price: 0.25,
          tokenIn: fake.token,
          tokenOut: fake.coin,
          tokenInQty: "200",
          tokenOutQty: "50",
          tokenInDecimals: 6,
          tokenOutDecimals: 6,
        },
      ],
      count: 1,
      countType: "exact",
      link: {},
    })
  })

  await step("a compatibility call answers", async () => {
    const query = `module=stats&action=tokensupply&contractaddress=${fake.token}`
    const response = await fetch(`${base}${path}/compat/api?${query}`)
    assert.deepEqual(await response.json(), { status: "1", message: "OK", result: "1000" })
  })

  await step("an answer that the caller has is not sent again", async () => {
    // What is found in the background may come in between.
    const known = await until("a 304", async () => {
      const etag = (await fetch(transfers)).headers.get("etag") ?? ""
      const answer = await fetch(transfers, { headers: { "if-none-match": etag } })
      return answer.status === 304 ? answer : undefined
    })
    assert.deepEqual([await known.text(), known.headers.get("x-as-of-block")], ["", `${fake.chainId}:2`])
  })

  await step("bodies and streams come in the coding that is asked for", async () => {
    const openapi = await (await fetch(`${base}/openapi.json`)).text()
    const lines = await (await fetch(transfers, { headers: { accept: "application/x-ndjson" } })).text()
    for (const [coding, decode] of [["gzip", gunzipSync] as const, ["zstd", zstdDecompressSync] as const]) {
      const own = { "accept-encoding": coding }
      const whole = await bytesOf(`${base}/openapi.json`, own)
      assert.equal(decode(whole.body).toString(), openapi)
      assert.equal(whole.headers["content-encoding"], coding)
      assert.match(whole.headers.etag ?? "", new RegExp(`^"[^"]+-${coding}"$`))
      const again = await bytesOf(`${base}/openapi.json`, { ...own, "if-none-match": whole.headers.etag! })
      assert.deepEqual([again.status, again.body.length], [304, 0])
      const stream = await bytesOf(transfers, { ...own, accept: "application/x-ndjson" })
      assert.equal(decode(stream.body).toString(), lines)
    }
    const plain = await bytesOf(`${base}/openapi.json`, { "accept-encoding": "gzip;q=0" })
    assert.equal(plain.body.toString(), openapi)
    const head = await fetch(transfers, { method: "HEAD", headers: { accept: "application/x-ndjson" } })
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, null])
  })

  await step("metrics are served", async () => {
    const response = await fetch(`${base}/metrics`)
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    const lines = (await response.text()).split("\n")
    for (const name of ["cowry_chain_ready", "cowry_chain_indexed_block"]) {
      const value = lines.find((line) => line.startsWith(`${name}{chain="${fake.chainId}"} `))?.split(" ")[1]
      assert.equal(value, name === "cowry_chain_ready" ? "1" : "2")
    }
    assert.ok(Number(lines.find((line) => line.startsWith("process_resident_memory_bytes "))?.split(" ")[1]) > 1e6)
  })

  await step("the documentation is served, with all that its page names", async () => {
    const page = await (await fetch(`${base}/docs`)).text()
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file)
    assert.equal(files.length, 6)
    const answers = await Promise.all(files.map(async (file) => (await fetch(base + file)).status))
    assert.deepEqual(
      answers,
      files.map(() => 200),
    )
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as { openapi: string; paths: object }
    assert.equal(document.openapi, "3.1.0")
    assert.ok(Object.keys(document.paths).some((known) => known.endsWith("/erc20-transfers")))
  })

  await step(
    "a command joins the service's database, builds the chain anew and leaves the service answering",
    async () => {
      const settings = { DATA_DIR: dataDir, [`RPC_URL_${fake.chainId}`]: node.url, NETWORK_5: "mainnet" }
      const words = [...(isDeno ? ["run", "-A"] : []), program, "resync", fake.chainId]
      const command = spawn(process.execPath, words, {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
        stdio: ["ignore", "pipe", "pipe"],
      })
      let said = ""
      for (const stream of [command.stdout!, command.stderr!])
        stream.on("data", (chunk) => {
          said += chunk
        })
      const code = await new Promise((resolve) => command.once("close", (status) => resolve(status)))
      assert.equal(code, 0, said)
      assert.ok(said.includes("done. The new ledger stands at block 2"), said)
      assert.deepEqual(await (await fetch(transfers)).json(), expected)
    },
  )

  await step("SIGTERM finishes the request in flight, exits with 0 and takes its PostgreSQL along", async () => {
    const pidFile = readFileSync(join(dataDir, "pgdata/postmaster.pid"), "utf8").split("\n")
    postmaster = Number(pidFile[0])
    const password = readFileSync(join(dataDir, "password"), "utf8")
    const sql = postgres(`postgres://cowry:${password}@127.0.0.1:${pidFile[3]}/cowry`, { max: 2, onnotice: () => {} })

    // The request is held inside its query by a lock on the table it reads.
    const held = await sql.reserve()
    await held`begin`
    await held.unsafe(`lock table cowry_${fake.chainId}.erc20_transfer in access exclusive mode`)
    // A page that nobody has asked for: a kept answer would wait for nothing.
    const inFlight = fetch(`${transfers}&limit=17`)
    await until("the request to reach its query", async () => {
      const [row] = await sql`select count(*)::int as waiting from pg_locks where not granted`
      return row?.waiting > 0 ? true : undefined
    })
    // Not child.kill: after that Deno 2.9 reports the signal as the child's end, whatever its exit code.
    process.kill(child.pid!, "SIGTERM")
    await until("the service to stop listening", async () => {
      const refused = await fetch(`${base}/health`).then(
        () => false,
        () => true,
      )
      return refused ? true : undefined
    })
    assert.equal(child.exitCode, null, "the service ended before its request")
    await held`rollback`
    held.release()
    await sql.end()

    const response = await inFlight
    assert.deepEqual([response.status, await response.json()], [200, expected])
    assert.equal(await ended, 0, `the exit code; it printed:\n${printed}`)
    assert.equal(findProcess(postmaster), undefined, "PostgreSQL still runs")
  })
} finally {
  service?.kill("SIGKILL")
  if (postmaster > 0 && findProcess(postmaster) !== undefined) process.kill(postmaster, "SIGQUIT")
  node.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
