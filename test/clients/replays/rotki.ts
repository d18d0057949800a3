/** rotki's `etherscan.py` and `etherscan_like.py`: the parameters in their order, and how answers are told from errors. */
import { address, digits, hash, of, quantity, type Replay, rows } from "./replay.ts"

const ask = (module: string, action: string, more = "") =>
  `module=${module}&action=${action}&apikey=callers-own-key&chainid=43114${more}`
const paged = "&address={address}&sort=asc&page=1&offset=1000"
const activity = "&address={address}&page=1&offset=1"
const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const nobody = `0x${"0".repeat(64)}`

/** `get_token_transaction_data`; `_maybe_paginate` begins again at the last row's block. */
const tokenRow = { timeStamp: digits, hash, blockNumber: digits }
const log = {
  ...{ blockNumber: quantity, logIndex: quantity, address, transactionHash: hash, timeStamp: quantity },
  ...{ gasPrice: quantity, gasUsed: quantity, transactionIndex: quantity },
}
const noneOf: Readonly<Record<string, string>> = { getLogs: "No records found", getminedblocks: "No blocks found" }
const mayBeNothing = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt", "getcontractcreation"])

export const rotki: Replay = {
  client: "rotki",
  set: "the host of Etherscan's API, by DNS or a proxy: it is no setting",
  queries: [
    ask("getapilimit", "getapilimit"),
    ask("account", "balance", "&address={address}"),
    ...["txlist", "txlistinternal", "tokentx"].map((action) => ask("account", action, activity)),
    ...["txlist", "txlistinternal", "tokentx"].map((action) =>
      ask("account", action, `${paged}&startblock=0&endblock=4`),
    ),
    ask("account", "txlistinternal", "&sort=asc&txhash={hash}&page=1&offset=1000"),
    ask("account", "txsBeaconWithdrawal", `${paged}&startblock=0&endblock=4`),
    ask("account", "getminedblocks", `${paged}&blocktype=blocks&startblock=0&endblock=4`),
    ask("block", "getblocknobytime", "&timestamp=1700000100&closest=before"),
    ask("block", "getblockreward", "&blockno=2"),
    ask("logs", "getLogs", `&fromBlock=0&toBlock=latest&address={token}&topic0=${topic}`),
    ask(
      "logs",
      "getLogs",
      `&fromBlock=0&toBlock=4&address={token}&topic0=${topic}&topic2=${nobody}&topic0_2_opr=and&topic1_2_opr=and`,
    ),
    ask("proxy", "eth_getTransactionReceipt", "&txhash={hash}"),
    ask("proxy", "eth_getTransactionByHash", "&txhash={hash}"),
    ask("proxy", "eth_getBlockByNumber", "&tag=0x1&boolean=true"),
    ask("proxy", "eth_blockNumber"),
    ask("proxy", "eth_getCode", "&address={token}"),
    ask("proxy", "eth_call", "&to={token}&data=0x18160ddd"),
    ask("contract", "getcontractcreation", "&contractaddresses={token}"),
    ask("contract", "getabi", "&address={token}"),
  ],
  complaint: (query, { result, status = "1", message }) => {
    const action = of(query, "action")
    if (result === undefined || result === null) return mayBeNothing.has(action) ? undefined : "no result"
    if (Number.isNaN(Number.parseInt(status, 10))) return "a status that is no number"
    if (Number(status) !== 1) {
      const isNone = message === (noneOf[action] ?? "No transactions found")
      return isNone ? undefined : `${message}: ${JSON.stringify(result)}`
    }
    if (action === "getapilimit") return typeof result.creditLimit === "number" ? undefined : "no creditLimit"
    if (action === "balance" || action === "getblocknobytime") return digits(result)
    if (action === "eth_blockNumber") return quantity(result)
    if (action === "getLogs") return rows(result, log)
    return action === "tokentx" ? rows(result, tokenRow) : undefined
  },
}
