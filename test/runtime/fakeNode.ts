/** A JSON-RPC node with three blocks and a token of each standard and a pair, small enough to be started inside a test. */
import { createServer } from "node:http"

/** Chain 5: block 1 mints 1000 to `alice`, in block 2 she gives `bob` 400, gets id 7 of an ERC-721 and 3 of id 9 of an ERC-1155, and swaps 200 at a pair. */
export const fake = {
  chainId: "5",
  token: `0x${"70".repeat(20)}`,
  nft: `0x${"72".repeat(20)}`,
  multi: `0x${"11".repeat(20)}`,
  coin: `0x${"71".repeat(20)}`,
  pair: `0x${"51".repeat(20)}`,
  alice: `0x${"a1".repeat(20)}`,
  bob: `0x${"b0".repeat(20)}`,
  hashOf: (block: number): string => `0x${"0".repeat(62)}${(block + 0x10).toString(16)}`,
  timeOf: (block: number): number => 1_700_000_000 + 12 * block,
  txOf: (block: number): string => `0x${"e".repeat(62)}${(block + 0x10).toString(16)}`,
}

const hex = (value: number): string => `0x${value.toString(16)}`
const word = (value: number | string): string =>
  (typeof value === "number" ? value.toString(16) : value.replace("0x", "")).padStart(64, "0")
const string = (value: string): string =>
  `0x${word(32)}${word(value.length)}${Buffer.from(value).toString("hex").padEnd(64, "0")}`

const header = (number: number) => ({
  number: hex(number),
  hash: fake.hashOf(number),
  parentHash: number === 0 ? `0x${"0".repeat(64)}` : fake.hashOf(number - 1),
  timestamp: hex(fake.timeOf(number)),
})

const transfer = (block: number, from: string, to: string, amount: number) => ({
  address: fake.token,
  topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", `0x${word(from)}`, `0x${word(to)}`],
  data: `0x${word(amount)}`,
  blockNumber: hex(block),
  blockHash: fake.hashOf(block),
  blockTimestamp: hex(fake.timeOf(block)),
  transactionHash: fake.txOf(block),
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed: false,
})

const HEAD = 2
const zero = `0x${word("0x0")}`
const logs = [
  transfer(1, "0x0", fake.alice, 1000),
  transfer(2, fake.alice, fake.bob, 400),
  {
    ...transfer(2, "0x0", fake.alice, 0),
    address: fake.nft,
    topics: [...transfer(2, "0x0", fake.alice, 0).topics, `0x${word(7)}`],
    data: "0x",
    logIndex: "0x1",
  },
  {
    ...transfer(2, "0x0", fake.alice, 0),
    address: fake.multi,
    // TransferSingle(operator, from, to, id, value)
    topics: ["0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62", zero, zero, `0x${word(fake.alice)}`],
    data: `0x${word(9)}${word(3)}`,
    logIndex: "0x2",
  },
  {
    ...transfer(2, "0x0", fake.alice, 0),
    address: fake.pair,
    // Swap(sender, amount0In, amount1In, amount0Out, amount1Out, to)
    topics: ["0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822", `0x${word(fake.alice)}`, zero],
    data: `0x${word(200)}${word(0)}${word(0)}${word(50)}`,
    logIndex: "0x3",
  },
]
const calls: Readonly<Record<string, string>> = {
  "0x06fdde03": string("Smoke"),
  "0x95d89b41": string("SMK"),
  "0x313ce567": `0x${word(6)}`,
  "0xc87b56dd": string("ipfs://smoke"),
  // token0() and token1() of the pair, which has no factory
  "0x0dfe1681": `0x${word(fake.token)}`,
  "0xd21220a7": `0x${word(fake.coin)}`,
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const answer = ({ method, params }: Call): unknown => {
  const [first] = params as ReadonlyArray<Record<string, string> & string>
  const numberOf = (tag: string | undefined): number => (tag?.startsWith("0x") ? Number(tag) : HEAD)
  switch (method) {
    case "eth_chainId":
      return hex(Number(fake.chainId))
    case "eth_blockNumber":
      return hex(HEAD)
    case "eth_getBlockByNumber":
      return numberOf(first) <= HEAD ? header(numberOf(first)) : null
    case "eth_getBlockByHash":
      return [0, 1, 2].map(header).find(({ hash }) => hash === (first as string)) ?? null
    case "eth_getLogs": {
      const { fromBlock, toBlock, blockHash } = first!
      return logs.filter((log) =>
        blockHash === undefined
          ? Number(log.blockNumber) >= numberOf(fromBlock) && Number(log.blockNumber) <= numberOf(toBlock)
          : log.blockHash === blockHash,
      )
    }
    case "eth_call":
      return calls[(first?.data ?? first?.input ?? "").slice(0, 10)]
  }
}

const respond = (call: Call) => {
  const result = answer(call)
  return result === undefined
    ? { jsonrpc: "2.0", id: call.id, error: { code: 3, message: `execution reverted (${call.method})` } }
    : { jsonrpc: "2.0", id: call.id, result }
}

/** Starts it on a free port of 127.0.0.1. */
export const startFakeNode = async (): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      const asked = JSON.parse(body) as Call | ReadonlyArray<Call>
      const answered = Array.isArray(asked) ? asked.map(respond) : respond(asked as Call)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(answered))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
