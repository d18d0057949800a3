/** Queries that clients send which are not run here, replayed literally, and what each client needs of an answer. */

type Json = ReturnType<typeof JSON.parse>

export interface Replay {
  readonly client: string
  /** What its user changes. */
  readonly set: string
  /** Behind the path's `?`; `{address}`, `{token}` and `{hash}` are filled in. */
  readonly queries: ReadonlyArray<string>
  /** What the client refuses of an answer; undefined = it reads it. */
  readonly complaint: (query: string, body: Json) => string | undefined
}

const of = (query: string, name: string): string => new URLSearchParams(query).get(name) ?? ""

/** Rust's types of block-explorers: a text in each field of the envelope, and a result that is no refusal. */
const envelope = ({ status, message, result, jsonrpc }: Json): string | undefined => {
  if (jsonrpc === "2.0") return undefined
  if (typeof status !== "string" || typeof message !== "string") return "status and message must be texts"
  return result === undefined ? "no result" : undefined
}

const emptyWords = ["No transactions found", "No internal transactions found", "No token transfers found"]

const edge: Replay = {
  client: "Edge (`EvmScanAdapter`)",
  set: "a server of `evmscan` whose name has `etherscan` in it, answering at `/v2/api` or `/api`",
  queries: [
    "module=proxy&action=eth_blockNumber",
    "module=proxy&action=eth_getTransactionCount&address={address}&tag=latest",
    "module=account&action=balance&address={address}&tag=latest",
    "module=account&action=tokenbalance&contractaddress={token}&address={address}&tag=latest",
    "action=txlist&module=account&address={address}&startblock=0&endblock=999999999&sort=asc&page=1&offset=50",
    "action=txlistinternal&module=account&address={address}&startblock=0&endblock=999999999&sort=asc&page=1&offset=50",
    "action=tokentx&contractaddress={token}&module=account&address={address}&startblock=0&endblock=999999999&sort=asc&page=1&offset=50",
    "module=proxy&action=eth_getTransactionReceipt&txhash={hash}",
    "module=proxy&action=eth_sendRawTransaction&hex=0x02f8",
  ],
  complaint: (query, body) => {
    const { status, message, result, error } = body
    if (of(query, "action") === "eth_sendRawTransaction") return error === undefined ? "no error" : undefined
    if (status === "0" && !emptyWords.includes(message)) return `${message}: ${JSON.stringify(result)}`
    if (/balance$/.test(of(query, "action")) && !/^\d+$/.test(String(result))) return "no whole number"
    if (of(query, "action").startsWith("tx") && !Array.isArray(result)) return "no list"
    return undefined
  },
}

const rotkiQuery = (module: string, action: string, more: string) =>
  `module=${module}&action=${action}&chainid=43114${more}`

const rotki: Replay = {
  client: "rotki",
  set: "the host of Etherscan's API, by DNS or a proxy: it is no setting",
  queries: [
    rotkiQuery("account", "balance", "&address={address}"),
    rotkiQuery("account", "balancemulti", "&address={address}"),
    rotkiQuery("account", "txlist", "&sort=asc&address={address}&startBlock=0&endBlock=4"),
    rotkiQuery("account", "txlistinternal", "&sort=asc&address={address}&startBlock=0&endBlock=4"),
    rotkiQuery("account", "tokentx", "&sort=asc&address={address}&startBlock=0&endBlock=4"),
    rotkiQuery("account", "txsBeaconWithdrawal", "&address={address}&startBlock=0&endBlock=4"),
    rotkiQuery("logs", "getLogs", "&fromBlock=0&toBlock=4&address={token}"),
    rotkiQuery("proxy", "eth_getTransactionReceipt", "&txhash={hash}"),
    rotkiQuery("proxy", "eth_getTransactionByHash", "&txhash={hash}"),
    rotkiQuery("proxy", "eth_getBlockByNumber", "&tag=0x1&boolean=true"),
    rotkiQuery("proxy", "eth_blockNumber", ""),
    rotkiQuery("proxy", "eth_getCode", "&address={token}"),
    rotkiQuery("proxy", "eth_call", "&to={token}&data=0x18160ddd"),
    rotkiQuery("contract", "getcontractcreation", "&contractaddresses={token}"),
    rotkiQuery("contract", "getabi", "&address={token}"),
    rotkiQuery("block", "getblocknobytime", "&timestamp=1700000100&closest=before"),
  ],
  complaint: (query, { result, status = "1", message }) => {
    if (result === undefined || result === null) return "no result"
    if (Number.isNaN(Number.parseInt(status, 10))) return "a status that is no number"
    const isNone = of(query, "action") === "getLogs" ? "No records found" : "No transactions found"
    return Number(status) === 1 || message === isNone ? undefined : `${message}: ${JSON.stringify(result)}`
  },
}

const foundryQuery = (module: string, action: string, more: string) =>
  `chainid=43114&apikey=callers-own-key&module=${module}&action=${action}${more}`
const foundryList = "&startBlock=0&endBlock=99999999&page=0&offset=10000&sort=asc&address={address}"

const foundry: Replay = {
  client: "foundry (`block-explorers`)",
  set: "`--verifier-url` or `etherscan.url` of `foundry.toml`: `http://your-host/v2/api`",
  queries: [
    foundryQuery("account", "balance", "&address={address}&tag=latest"),
    foundryQuery("account", "balancemulti", "&address={address}&tag=latest"),
    ...["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx"].map((action) =>
      foundryQuery("account", action, foundryList),
    ),
    foundryQuery("account", "getminedblocks", "&address={address}&blocktype=blocks&page=1&offset=10"),
    foundryQuery("contract", "getabi", "&address={token}"),
    foundryQuery("contract", "getsourcecode", "&address={token}"),
    foundryQuery("contract", "getcontractcreation", "&contractaddresses={token}"),
    foundryQuery("contract", "verifysourcecode", ""),
    foundryQuery("transaction", "getstatus", "&txhash={hash}"),
    foundryQuery("transaction", "gettxreceiptstatus", "&txhash={hash}"),
    foundryQuery("block", "getblocknobytime", "&timestamp=1700000100&closest=before"),
    foundryQuery("gastracker", "gasoracle", ""),
    foundryQuery("gastracker", "gasestimate", "&gasprice=2000000000"),
    foundryQuery("stats", "ethsupply", ""),
    foundryQuery("stats", "ethprice", ""),
  ],
  complaint: (_, body) => envelope(body),
}

const chifra: Replay = {
  client: "TrueBlocks (`chifra slurp`)",
  set: "the host of Etherscan's API, by DNS or a proxy: it is no setting",
  queries: ["txlist", "txlistinternal", "tokennfttx", "tokentx", "getminedblocks&blocktype=uncles"].map(
    (action) => `module=account&sort=asc&action=${action}&address={address}&page=1&offset=5000&apikey=callers-own-key`,
  ),
  complaint: (_, { status, message, result }) => {
    if (status === "0" && message === "NOTOK") return JSON.stringify(result)
    return Array.isArray(result) ? undefined : "no list"
  },
}

export const replays: ReadonlyArray<Replay> = [edge, rotki, foundry, chifra]

/** Clients that are run, by their name in calls.json; and what is set of each. */
export const ran: Readonly<Record<string, string>> = {
  "@etherscan-npm CLI": "`ETHERSCAN_BASE_URL=http://your-host/v2/api`",
  "etherscan-api 12": "the fourth argument of `init`, a transport that puts your host for `https://api.etherscan.io`",
  "ethers 5": 'a subclass of `EtherscanProvider` with `getBaseUrl() { return "http://your-host/<chain id>" }`',
  "ethers 6": "the same",
  "@ledgerhq/coin-evm 2.20":
    '`explorer: { type: "etherscan", uri: "http://your-host/<chain id>/api" }` of its configuration',
}
