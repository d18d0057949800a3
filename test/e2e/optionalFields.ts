/** The fields that the interface calls optional, record by record, and which of the demo's records has all of them. */
import { Schema } from "effect"
import { Holder } from "../../src/model/holder.ts"
import { Erc20Swap } from "../../src/model/swap.ts"
import { Erc20Token, Erc721Token, NftContract } from "../../src/model/token.ts"
import { commonWords } from "../../src/model/tokenNote.ts"
import { Erc20Transfer, Erc721Transfer, Erc1155Transfer } from "../../src/model/transfer.ts"

/** The body of a GET; `path` behind the chain's. */
export type Get = (path: string) => Promise<unknown>

interface Fielded {
  readonly fields: Schema.Struct.Fields
}

export interface OptionalFields {
  readonly record: string
  /** Field → what its value looks like; one inside another has a dot. */
  readonly fields: Readonly<Record<string, RegExp>>
  /** Records to look at: one must have all fields. */
  readonly find: (get: Get) => Promise<ReadonlyArray<object>>
  /** What the service says of the record; its optional fields are those above. */
  readonly schema?: Fielded
}

const whole = /^[1-9]\d*$/u
const count = /^\d+$/u
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/u
const hash = /^0x[0-9a-f]{64}$/u
const fraction = /^(0(\.\d{1,6})?|1)$/u
const link = /^\/v2\/network\/mainnet\/evm\/31337\/[^?]+\?/u
const text = /\S/u

const ofContract = {
  "createOperation.timestamp": time,
  "createOperation.txHash": hash,
  "transfers.last24h": count,
  "transfers.last48h": count,
  "transfers.last72h": count,
  holdersCount: whole,
}
const ofErc20 = {
  name: /^Cowry Shell$/u,
  symbol: /^SHELL$/u,
  decimals: /^18$/u,
  totalSupply: whole,
  price: whole,
  marketCap: whole,
  ...ofContract,
}

const itemsOf = async (get: Get, path: string): Promise<ReadonlyArray<{ symbol?: string; address?: string }>> =>
  ((await get(path)) as { items: ReadonlyArray<object> }).items
const among = (path: string) => (get: Get) => itemsOf(get, path)
const named = (standard: string, symbol: string) => async (get: Get) =>
  (await itemsOf(get, `/${standard}?limit=100`)).filter((it) => it.symbol === symbol)
/** `pathOf`: of the contract that calls itself so. */
const byContract =
  (standard: string, symbol: string, pathOf: (address: string) => string) =>
  async (get: Get): Promise<ReadonlyArray<object>> => {
    const [contract] = await named(standard, symbol)(get)
    return contract === undefined ? [] : itemsOf(get, pathOf(contract.address!))
  }

const inLists: ReadonlyArray<OptionalFields> = [
  { record: "erc20", schema: Erc20Token, fields: ofErc20, find: named("erc20", "SHELL") },
  { record: "top-erc20", schema: Erc20Token, fields: ofErc20, find: named("top-erc20", "SHELL") },
  {
    record: "erc721",
    schema: NftContract,
    fields: { name: /^Harbour Postcards$/u, symbol: /^CARD$/u, ...ofContract },
    find: named("erc721", "CARD"),
  },
  {
    record: "erc1155",
    schema: NftContract,
    fields: { name: /^Market Goods$/u, symbol: /^GOODS$/u, ...ofContract },
    find: named("erc1155", "GOODS"),
  },
  {
    record: "erc20-transfers",
    schema: Erc20Transfer,
    fields: {
      amountInUsd: /^\d+(\.\d{1,18})?$/u,
      tokenName: /^Wrapped Ether$/u,
      tokenSymbol: /^WETH$/u,
      tokenDecimals: /^18$/u,
      transactionIndex: count,
      wrap: /^(?:deposit|withdrawal)$/u,
    },
    find: byContract(
      "erc20",
      "WETH",
      (address) => `/erc20-transfers?tokenAddress=${address}&limit=1000&include=transactionIndex,wraps`,
    ),
  },
  {
    record: "erc721-transfers",
    schema: Erc721Transfer,
    fields: { tokenName: text, tokenSymbol: text, transactionIndex: count },
    find: among("/erc721-transfers?limit=100&include=transactionIndex"),
  },
  {
    record: "erc1155-transfers",
    schema: Erc1155Transfer,
    fields: { tokenName: text, tokenSymbol: text, transactionIndex: count, operator: /^0x[0-9a-f]{40}$/u },
    find: among("/erc1155-transfers?limit=100&include=transactionIndex,operator"),
  },
  ...["Uniswap V2", "Uniswap V3"].map((dex) => ({
    record: `erc20-swaps at ${dex}`,
    schema: Erc20Swap,
    fields: { dex: new RegExp(`^${dex}$`, "u"), sourceDeployer: /^Uniswap$/u },
    find: among("/erc20-swaps?limit=1000"),
  })),
  {
    record: "holders of ERC-20",
    schema: Holder,
    fields: { percentage: fraction, rank: whole, isContract: /^(?:true|false)$/u },
    find: byContract("erc20", "SHELL", (address) => `/erc20/${address}/holders?include=rank,isContract`),
  },
  {
    record: "holders of ERC-721",
    schema: Holder,
    fields: { percentage: fraction, rank: whole, isContract: /^(?:true|false)$/u },
    find: byContract("erc721", "CARD", (address) => `/erc721/${address}/holders?include=rank,isContract`),
  },
  {
    record: "ids of ERC-721",
    schema: Erc721Token,
    fields: { tokenUri: /^https:\/\/cards\.example\/\d+$/u, createdAt: time },
    find: byContract("erc721", "CARD", (address) => `/erc721/${address}/tokens?limit=100`),
  },
]

/** The first page says how many there are and leads on, the second one leads back. */
const envelopeOf = (pathOf: (address: string) => string, standard: string, symbol: string): OptionalFields => ({
  record: `list of ${pathOf("…")}`,
  fields: {
    count: whole,
    countType: /^(exact|lowerBound|approx)$/u,
    "link.next": link,
    "link.nextToken": text,
    "link.prev": link,
    "link.prevToken": text,
  },
  find: async (get) => {
    const [contract] = await named(standard, symbol)(get)
    // Its name is found beside the ledger.
    if (contract?.address === undefined) return []
    const path = `${pathOf(contract.address)}?limit=1&count=true`
    type Page = { readonly link: { readonly nextToken?: string } }
    const first = (await get(path)) as Page
    const { nextToken } = first.link
    const second = nextToken === undefined ? undefined : ((await get(`${path}&next=${nextToken}`)) as Page)
    return [{ ...first, link: { ...second?.link, ...first.link } }]
  },
})

const plainLists = [
  ...["erc20", "erc721", "erc1155"].flatMap((it) => [it, `${it}-transfers`]),
  "erc20-swaps",
  "top-erc20",
]
const envelopes = [
  ...plainLists.map((path) => envelopeOf(() => `/${path}`, "erc20", "SHELL")),
  envelopeOf((address) => `/erc20/${address}/holders`, "erc20", "SHELL"),
  envelopeOf((address) => `/erc721/${address}/holders`, "erc721", "CARD"),
  envelopeOf((address) => `/erc721/${address}/tokens`, "erc721", "CARD"),
  envelopeOf((address) => `/erc1155/${address}/holders`, "erc1155", "GOODS"),
]

const tokenInfo: OptionalFields = {
  record: "tokeninfo",
  fields: { blueCheckmark: /^true$/u, ...Object.fromEntries(commonWords.map((word) => [word, text])) },
  find: async (get) => {
    const [contract] = await named("erc20", "SHELL")(get)
    const path = `/compat/api?module=token&action=tokeninfo&contractaddress=${contract?.address}`
    const { result } = (await get(path)) as { result: unknown }
    return Array.isArray(result) ? result : []
  },
}

export const optionalFields: ReadonlyArray<OptionalFields> = [...inLists, ...envelopes, tokenInfo]

/** Those that a schema lets be absent, named as in the table. */
export const optionalIn = ({ fields }: Fielded): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) => {
    if (field.ast.context?.isOptional !== true) return []
    const inner = "schema" in field ? field.schema : undefined
    const nested = Schema.isSchema(inner) && "fields" in inner ? optionalIn(inner as Fielded) : []
    return nested.length === 0 ? [name] : nested.map((it) => `${name}.${it}`)
  })

/** Fields that the record which has most of them lacks. */
export const lacking = ({ fields }: OptionalFields, records: ReadonlyArray<object>): ReadonlyArray<string> => {
  const lacks = (record: object) =>
    Object.entries(fields).flatMap(([name, pattern]) => {
      const value = name.split(".").reduce<unknown>((it, part) => (it as Record<string, unknown>)?.[part], record)
      return ["string", "number", "boolean"].includes(typeof value) && pattern.test(String(value)) ? [] : [name]
    })
  return records.map(lacks).reduce((least, it) => (it.length < least.length ? it : least), Object.keys(fields))
}
