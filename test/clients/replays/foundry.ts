/** foundry's `block-explorers`: its queries, and the types that its answers must fit, or a call fails whole. */
import { address, digits, hash, type Json, of, quantity, type Replay, type Rule, rows, text } from "./replay.ts"

const ask = (module: string, action: string, more = "") =>
  `chainid=43114&apikey=callers-own-key&module=${module}&action=${action}${more}`
const list = "&startBlock=0&endBlock=99999999&page=0&offset=10000&sort=asc"

/** `StringifiedNumeric`: digits, or hex with 0x. Nothing is an empty text. */
const number: Rule = (value) => (digits(value) === undefined ? undefined : quantity(value))
const common = {
  ...{ blockNumber: number, timeStamp: text, hash, nonce: number, blockHash: hash, from: address },
  ...{ contractAddress: address, to: address, tokenName: text, tokenSymbol: text, transactionIndex: number },
  ...{ gas: number, gasPrice: number, gasUsed: number, cumulativeGasUsed: number, input: text, confirmations: number },
}
const types: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  balancemulti: { account: address, balance: text },
  /** `ERC20TokenTransferEvent`, `ERC721TokenTransferEvent`, `ERC1155TokenTransferEvent` */
  tokentx: { ...common, value: number, tokenDecimal: text },
  tokennfttx: { ...common, tokenID: text, tokenDecimal: text },
  token1155tx: { ...common, tokenID: text, tokenValue: text },
}

/** `ResponseData`: an error has texts, and a result that is a text or null. */
const envelope = ({ status, message, result }: Json): string | undefined => {
  if (typeof status !== "string" || typeof message !== "string") return "status and message must be texts"
  return result === undefined ? "no result" : undefined
}

export const foundry: Replay = {
  client: "foundry (`block-explorers`)",
  set: "`--verifier-url` or `etherscan.url` of `foundry.toml`: `http://your-host/v2/api`",
  queries: [
    ask("account", "balance", "&address={address}&tag=latest"),
    ask("account", "balancemulti", "&address={address},{token}&tag=latest"),
    ask("account", "txlist", `${list}&address={address}`),
    ask("account", "txlistinternal", `${list}&address={address}`),
    ask("account", "txlistinternal", `${list}&txhash={hash}`),
    ...[
      ["tokentx", "{token}"],
      ["tokennfttx", "{nft}"],
      ["token1155tx", "{multi}"],
    ].flatMap(([action, contract]) =>
      ["&address={address}", `&contractaddress=${contract}`, `&address={address}&contractaddress=${contract}`].map(
        (whose) => ask("account", action!, list + whose),
      ),
    ),
    ask("account", "getminedblocks", "&address={address}&blocktype=blocks&page=1&offset=10"),
    ask("contract", "getabi", "&address={token}"),
    ask("contract", "getsourcecode", "&address={token}"),
    ask("contract", "getcontractcreation", "&contractaddresses={token}"),
    ask("contract", "checkverifystatus", "&guid=abc"),
    ask("contract", "checkproxyverification", "&guid=abc"),
    ask("contract", "verifysourcecode", "&contractaddress={token}"),
    ask("contract", "verifyproxycontract", "&address={token}"),
    ask("transaction", "getstatus", "&txhash={hash}"),
    ask("transaction", "gettxreceiptstatus", "&txhash={hash}"),
    ask("block", "getblocknobytime", "&timestamp=1700000100&closest=before"),
    ask("gastracker", "gasoracle"),
    ask("gastracker", "gasestimate", "&gasprice=2000000000"),
  ],
  complaint: (query, body) => {
    const action = of(query, "action")
    const type = types[action]
    return envelope(body) ?? (type === undefined ? undefined : rows(body.result, type))
  },
}
