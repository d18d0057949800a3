/** An upstream that tells the truth of a node's chain: transactions of an address and its token transfers, as Etherscan words them. */
import type { ServerResponse } from "node:http"
import type { Rpc } from "../../demo/chain/rpc.ts"
import { envelope, type SeenQuestion } from "../support/fakeUpstream.ts"

/** Whatever the node says. */
type Json = ReturnType<typeof JSON.parse>

const number = (hex: string): string => BigInt(hex).toString()
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const addressIn = (topic: string): string => `0x${topic.slice(26)}`

/** Every transaction of the chain with its receipt, by the node. */
const readChain = async (rpc: Rpc) => {
  const head = Number(await rpc<string>("eth_blockNumber"))
  const rows: Array<{ block: Json; tx: Json; receipt: Json }> = []
  for (let block = 0; block <= head; block++) {
    const found = await rpc<Json>("eth_getBlockByNumber", [`0x${block.toString(16)}`, true])
    for (const tx of found.transactions)
      rows.push({ block: found, tx, receipt: await rpc<Json>("eth_getTransactionReceipt", [tx.hash]) })
  }
  return rows
}

/** What both lists have of a transaction. */
const columnsOf = ({ block, tx, receipt }: { readonly block: Json; readonly tx: Json; readonly receipt: Json }) => ({
  blockNumber: number(block.number),
  timeStamp: number(block.timestamp),
  hash: tx.hash,
  nonce: number(tx.nonce),
  blockHash: block.hash,
  transactionIndex: number(tx.transactionIndex),
  gas: number(tx.gas),
  gasPrice: number(receipt.effectiveGasPrice),
  gasUsed: number(receipt.gasUsed),
  cumulativeGasUsed: number(receipt.cumulativeGasUsed),
  confirmations: "1",
})

/** Plays it for a `FakeUpstream`. */
export const chainUpstream = async (rpc: Rpc) => {
  const rows = await readChain(rpc)
  const transactions = (address: string) =>
    rows
      .filter(({ tx }) => [tx.from, tx.to].some((it) => it?.toLowerCase() === address))
      .map((row) => ({
        ...columnsOf(row),
        from: row.tx.from,
        to: row.tx.to ?? "",
        value: number(row.tx.value),
        isError: row.receipt.status === "0x1" ? "0" : "1",
        txreceipt_status: number(row.receipt.status),
        input: row.tx.input,
        contractAddress: row.receipt.contractAddress ?? "",
      }))
  const transfers = (address: string) =>
    rows.flatMap((row) =>
      row.receipt.logs
        .filter(({ topics }: Json) => topics.length === 3 && topics[0] === transferTopic)
        .filter(({ topics }: Json) => topics.slice(1).map(addressIn).includes(address))
        .map((log: Json) => ({
          ...columnsOf(row),
          from: addressIn(log.topics[1]),
          contractAddress: log.address,
          to: addressIn(log.topics[2]),
          value: number(log.data),
          tokenName: "Token",
          tokenSymbol: "T",
          tokenDecimal: "18",
          input: "deprecated",
        })),
    )
  return ({ query }: SeenQuestion, response: ServerResponse): void => {
    const address = query.get("address")?.toLowerCase() ?? ""
    const action = query.get("action")
    const found = action === "txlist" ? transactions(address) : action === "tokentx" ? transfers(address) : undefined
    response.setHeader("content-type", "application/json")
    if (found !== undefined && found.length > 0) response.end(envelope(found))
    else if (found !== undefined || action?.endsWith("tx") || action === "txlistinternal")
      response.end(envelope([], "0", "No transactions found"))
    else if (action === "balance")
      void rpc<string>("eth_getBalance", [address, "latest"]).then((it) => response.end(envelope(number(it))))
    else if (action === "balancemulti") response.end(envelope([{ account: address.split(",")[0], balance: "1" }]))
    else response.end(envelope([]))
  }
}
