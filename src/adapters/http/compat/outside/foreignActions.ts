/** Actions of Etherscan's API that an upstream may answer, each a read; and the parameters that go along. What Cowry answers itself never goes there. */
import { firstValue, type Query } from "../../contract/query.ts"

export interface ForeignAction {
  readonly module: string
  /** As Etherscan spells it. */
  readonly action: string
  /** It changes something, or speaks of the caller: nobody else is asked. */
  readonly isRefused?: true
}

const reads: Readonly<Record<string, ReadonlyArray<string>>> = {
  account: [
    ...["balance", "balancemulti", "balancehistory", "txlist", "txlistinternal", "tokentx", "tokennfttx"],
    ...["token1155tx", "fundedby", "getminedblocks", "txsBeaconWithdrawal", "getdeposittxs", "getwithdrawaltxs"],
    ...[
      "txnbridge",
      "addresstoken1155balance",
      "addresstoken1155inventory",
      "tokenlist",
      "listaccounts",
      "pendingtxlist",
    ],
  ],
  contract: [
    "getabi",
    "getsourcecode",
    "getcontractcreation",
    "checkverifystatus",
    "checkproxyverification",
    "listcontracts",
  ],
  transaction: ["getstatus", "gettxreceiptstatus", "gettxinfo"],
  block: ["getblockreward", "getblockcountdown", "getblocknobytime", "getblocktxnscount"],
  logs: ["getLogs"],
  stats: [
    ...["ethsupply", "ethsupply2", "ethprice", "ethdailyprice", "ethdailymarketcap", "chainsize", "nodecount"],
    ...["dailyavgblocksize", "dailyblkcount", "dailyblockrewards", "dailyavgblocktime", "dailyuncleblkcount"],
    ...[
      "dailyavggaslimit",
      "dailygasused",
      "dailyavggasprice",
      "dailytxnfee",
      "dailynewaddress",
      "dailynetutilization",
    ],
    ...["dailyavghashrate", "dailytx", "dailyavgnetdifficulty", "coinprice", "coinsupply", "totalfees"],
    "ethsupplyexchange",
  ],
  gastracker: ["gasestimate", "gasoracle"],
  token: ["topholders", "getToken", "getTokenHolders"],
  nametag: ["getaddresstag"],
}

const refused: Readonly<Record<string, ReadonlyArray<string>>> = {
  contract: ["verifysourcecode", "verifyproxycontract", "verifyzksyncsourcecode", "verify", "verify_via_sourcify"],
}

const rowsOf = (table: typeof reads, more: Pick<ForeignAction, "isRefused">): ReadonlyArray<ForeignAction> =>
  Object.entries(table).flatMap(([module, actions]) => actions.map((action) => ({ module, action, ...more })))

export const foreignActions: ReadonlyArray<ForeignAction> = [
  ...rowsOf(reads, {}),
  ...rowsOf(refused, { isRefused: true }),
]

const byName = new Map(foreignActions.map((it) => [`${it.module}/${it.action.toLowerCase()}`, it]))

/** `query` with names in lower case. */
export const foreignAction = (query: Query): ForeignAction | undefined =>
  byName.get(`${firstValue(query, "module")?.toLowerCase()}/${firstValue(query, "action")?.toLowerCase()}`)

/** Parameters that may go up, as Etherscan spells them: a key, by whatever name it is sent, is none of them. */
const parameterNames: ReadonlyArray<string> = [
  ...["address", "contractaddress", "contractaddresses", "txhash", "from", "to", "fromto_opr", "blockno", "blocktype"],
  ...["startblock", "endblock", "fromBlock", "toBlock", "page", "offset", "sort", "tag", "timestamp", "closest"],
  ...["topic0", "topic1", "topic2", "topic3", "topic0_1_opr", "topic0_2_opr", "topic0_3_opr"],
  ...["topic1_2_opr", "topic1_3_opr", "topic2_3_opr", "startdate", "enddate", "gasprice", "guid", "codehash"],
  ...["clienttype", "syncmode", "filter_by", "start_timestamp", "end_timestamp", "index", "txnType", "withdrawals"],
]

const spelled = new Map(parameterNames.map((name) => [name.toLowerCase(), name]))

/** Whether the action takes several values of it. */
const isList = (action: string, name: string): boolean =>
  name === "contractaddresses" || (action === "getaddresstag" && name === "address")

/** Each that is given once, in the query's order: the first value; of a list all of them, comma-joined. */
export const parametersUp = (
  { action }: ForeignAction,
  query: Query,
): ReadonlyArray<readonly [name: string, value: string]> => {
  const given = new Map<string, string>()
  for (const { name, value } of query) {
    const upName = spelled.get(name)
    if (upName === undefined) continue
    const before = given.get(upName)
    if (before === undefined) given.set(upName, value)
    else if (isList(action, upName)) given.set(upName, `${before},${value}`)
  }
  return [...given]
}
