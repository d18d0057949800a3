/** Edge's `EvmScanAdapter`, of edge-currency-accountbased: its queries, and its cleaners. */
import { digits, matching, of, quantity, type Replay, rows, text } from "./replay.ts"

const emptyWords = ["No transactions found", "No internal transactions found", "No token transfers found"]
const list = (more: string) =>
  `?${more}&module=account&address={address}&startblock=0&endblock=999999999&sort=asc&page=1&offset=50`.slice(1)

/** `asEvmScanTokenTransaction`; the fee is gasPrice × gasUsed. */
const tokenTransaction = {
  ...{ blockNumber: digits, timeStamp: digits, hash: text, to: text, from: text, value: digits, nonce: digits },
  ...{ gasPrice: digits, gas: digits, gasUsed: digits, confirmations: text, contractAddress: text },
  ...{ tokenName: text, tokenSymbol: text, tokenDecimal: text },
}

export const edge: Replay = {
  client: "Edge (`EvmScanAdapter`)",
  set: "a server of `evmscan` whose name has `etherscan` in it, answering at `/v2/api` or `/api`",
  queries: [
    "module=proxy&action=eth_blockNumber",
    // Of a server whose name has `blockscout` in it.
    "module=block&action=eth_block_number",
    "module=proxy&action=eth_getTransactionCount&address={address}&tag=latest",
    "module=account&action=balance&address={address}&tag=latest",
    "module=account&action=tokenbalance&contractaddress={token}&address={address}&tag=latest",
    list("action=txlist"),
    list("action=txlistinternal"),
    list("action=tokentx&contractaddress={token}"),
    // It reads on until a page is empty.
    list("action=tokentx&contractaddress={token}").replace("page=1", "page=2"),
    "module=proxy&action=eth_getTransactionReceipt&txhash={hash}",
    "chainid=43114&module=gastracker&action=gasoracle",
    "module=proxy&action=eth_sendRawTransaction&hex=0x02f8",
  ],
  complaint: (query, body) => {
    const { status, message, result, error } = body
    const action = of(query, "action")
    if (action === "eth_sendRawTransaction") return error === undefined ? "no error" : undefined
    if (status === "0" && !emptyWords.includes(message)) return `${message}: ${JSON.stringify(result)}`
    if (action.endsWith("balance")) return digits(result)
    if (action === "eth_blockNumber" || action === "eth_block_number") return quantity(result)
    if (action === "eth_getTransactionCount") return matching(/^0x/, "hex digits")(result)
    if (action === "tokentx") return rows(result, tokenTransaction)
    return action.startsWith("tx") && !Array.isArray(result) ? "no list" : undefined
  },
}
