/** TrueBlocks' `chifra slurp`: the requests of its Etherscan provider, and what it takes from a row. */
import { digits, hash, of, type Replay, rows } from "./replay.ts"

const ask = (module: string, action: string, whose: string) =>
  `module=${module}&sort=asc&action=${action}&${whose}&page=1&offset=3000&apikey=callers-own-key`

/** What cannot be read counts as 0, and would be shown as such: so it must be there. */
const slurp = {
  ...{ hash, blockHash: hash, blockNumber: digits, transactionIndex: digits, timeStamp: digits },
  ...{ gas: digits, gasPrice: digits, gasUsed: digits },
}

export const chifra: Replay = {
  client: "TrueBlocks (`chifra slurp`)",
  set: "the host of Etherscan's API, by DNS or a proxy: it is no setting",
  queries: [
    ...[
      ...["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx", "getminedblocks&blocktype=blocks"],
      ...["getminedblocks&blocktype=uncles", "txsBeaconWithdrawal&startblock=0&endblock=999999999"],
    ].map((action) => ask("account", action, "address={address}")),
    ask("proxy", "eth_getTransactionByHash", "txhash={hash}"),
  ],
  complaint: (query, { message, result }) => {
    const action = of(query, "action")
    // It takes that for nothing, and goes on.
    if (message === "NOTOK") return JSON.stringify(result)
    if (action === "eth_getTransactionByHash") return result === undefined ? "no result" : undefined
    return action.startsWith("token") ? rows(result, slurp) : rows(result, {})
  },
}
