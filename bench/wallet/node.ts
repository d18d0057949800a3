/** The chain's node with the transactions of some wallets: what the chain server does not tell of them is made of their places. */
import { createHash } from "node:crypto"

/** Where a transaction lies. `blockHash`: while a reorg may take the block back. */
export interface Place {
  readonly block: number
  readonly index: number
  readonly blockHash?: string
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<string>
}

const hex = (value: number): string => `0x${value.toString(16)}`
const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`

/** `asked`: transactions that were asked for so far. */
export const startWalletNode = (chainUrl: string, places: ReadonlyMap<string, Place>) => {
  let asked = 0
  const answer = ({ id, method, params: [hash = ""] }: Call) => {
    const place = places.get(hash)
    if (place === undefined) return undefined
    const { block, index, blockHash = hashOf(`${block}`) } = place
    const common = { blockNumber: hex(block), blockHash, transactionIndex: hex(index) }
    if (method === "eth_getTransactionByHash") {
      asked++
      const input = `0xa9059cbb${"00".repeat(64)}`
      return { id, jsonrpc: "2.0", result: { ...common, hash, nonce: "0x5", gas: "0xea60", gasPrice: "0x9", input } }
    }
    const costs = { gasUsed: "0xc350", cumulativeGasUsed: "0xf4240", effectiveGasPrice: "0x9", status: "0x1" }
    return { id, jsonrpc: "2.0", result: { ...common, ...costs, transactionHash: hash, logs: [] } }
  }
  const own = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt"])
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const text = await request.text()
      const calls = JSON.parse(text) as Call | ReadonlyArray<Call>
      const answers = [calls].flat().map((call) => (own.has((call as Call).method) ? answer(call as Call) : undefined))
      if (answers.every((it) => it !== undefined)) return Response.json(Array.isArray(calls) ? answers : answers[0])
      return fetch(chainUrl, { method: "POST", body: text, headers: { "content-type": "application/json" } })
    },
  })
  return { url: server.url.href, asked: () => asked, stop: () => server.stop(true) }
}
