/** The methods of `module=proxy`: harmless reads of the chain's own node, and their parameters as Etherscan names them. */
import { Result } from "effect"
import type { ParameterDoc, ParameterDocs } from "../../contract/parameter.ts"
import { firstValue, type Query } from "../../contract/query.ts"
import { sampleContracts, sampleHolder } from "../../contract/samples.ts"
import { accessList, address, bytes, flag, hash, quantity, type Read, tag } from "./values.ts"

interface Named {
  readonly read: Read
  readonly doc: ParameterDoc
  /** Where it is not given; absent = it must be. */
  readonly otherwise?: string
  /** Another name that it goes by, in lower case; where both are given they must say the same. */
  readonly alias?: string
}

export interface ProxyMethod {
  readonly method: string
  readonly summary: string
  /** In the order of the node's parameters; `call` is an object of several. */
  readonly parameters: Readonly<Record<string, Named>>
  /** An object of these, those that are given, before the others. */
  readonly call?: Readonly<Record<string, Named & { readonly field: string }>>
  /** Its result is a block up to which a client will read. */
  readonly isHeight?: true
}

const named = (read: Read, description: string, example: unknown, otherwise?: string): Named => ({
  read,
  doc: {
    description,
    schema: { type: "string", ...(otherwise !== undefined && { default: otherwise }) },
    example,
    required: otherwise === undefined,
  },
  ...(otherwise !== undefined && { otherwise }),
})

const ofBlock = named(tag, "Block by number or name, as the node takes it", "latest", "latest")
const ofTransaction = named(hash, "Transaction hash", `0x${"ab".repeat(32)}`)
const ofAddress = named(address, "Address", sampleHolder)
const ofIndex = named(quantity, "Place in the block, from 0", "0x0")

const optional = (field: string, read: Read, description: string, example: string) => ({
  ...named(read, description, example, ""),
  field,
})

const callFields = {
  from: optional("from", address, "Who calls", sampleHolder),
  to: optional("to", address, "The contract that is called", sampleContracts.erc20),
  data: optional("data", bytes, "What it is called with", "0x18160ddd"),
  value: optional("value", quantity, "Wei that are sent along", "0x0"),
  gas: { ...optional("gas", quantity, "Most gas; `gasLimit` is the same", "0x5f5e0ff"), alias: "gaslimit" },
  gasprice: optional("gasPrice", quantity, "Price of gas", "0x0"),
  maxfeepergas: optional("maxFeePerGas", quantity, "Highest fee", "0x0"),
  maxpriorityfeepergas: optional("maxPriorityFeePerGas", quantity, "Highest tip", "0x0"),
  accesslist: optional("accessList", accessList, "What the call reads, as nodes take it: JSON", "[]"),
}

const method = (name: string, summary: string, parameters: ProxyMethod["parameters"] = {}): ProxyMethod => ({
  method: name,
  summary,
  parameters,
})

/** The only one that is no read. */
export const sendMethod = method("eth_sendRawTransaction", "Sends a signed transaction, where PROXY_SEND is on", {
  hex: named(bytes, "The signed transaction", "0x"),
})

export const proxyMethods: ReadonlyArray<ProxyMethod> = [
  { ...method("eth_blockNumber", "The newest block, up to which the ledger is there too"), isHeight: true },
  method("eth_getBlockByNumber", "A block, with its transactions where `boolean` is true", {
    tag: ofBlock,
    boolean: named(flag, "`true` = whole transactions, else their hashes", "false", "false"),
  }),
  method("eth_getUncleByBlockNumberAndIndex", "An uncle", { tag: ofBlock, index: ofIndex }),
  method("eth_getBlockTransactionCountByNumber", "How many transactions a block has", { tag: ofBlock }),
  method("eth_getTransactionByHash", "A transaction", { txhash: ofTransaction }),
  method("eth_getTransactionByBlockNumberAndIndex", "A transaction by its place", { tag: ofBlock, index: ofIndex }),
  method("eth_getTransactionCount", "An account's nonce", { address: ofAddress, tag: ofBlock }),
  method("eth_getTransactionReceipt", "A transaction's receipt", { txhash: ofTransaction }),
  { ...method("eth_call", "What a contract answers", { tag: ofBlock }), call: callFields },
  method("eth_getCode", "A contract's code", { address: ofAddress, tag: ofBlock }),
  method("eth_getStorageAt", "A word of a contract's storage", {
    address: ofAddress,
    position: named(quantity, "Place in the storage", "0x0"),
    tag: ofBlock,
  }),
  method("eth_gasPrice", "The node's price of gas"),
  { ...method("eth_estimateGas", "Gas that a call needs"), call: callFields },
  method("eth_getBalance", "Balance of the native currency", { address: ofAddress, tag: ofBlock }),
  sendMethod,
]

/** The names of the query, in the order in which they are read. */
export const docsOfMethod = ({ parameters, call = {} }: ProxyMethod): ParameterDocs =>
  Object.fromEntries(Object.entries({ ...call, ...parameters }).map(([name, { doc }]) => [name, doc]))

/** The node's parameters; or what is wrong with the query's. */
export const paramsOf = (
  { parameters, call }: ProxyMethod,
  query: Query,
): Result.Result<ReadonlyArray<unknown>, string> => {
  const params: Array<unknown> = []
  const read = (name: string, { read, otherwise, alias }: Named): Result.Result<unknown, string> => {
    const other = alias === undefined ? undefined : givenValue(query, alias)
    const own = givenValue(query, name)
    if (own !== undefined && other !== undefined && own !== other) return Result.fail(`${name}, ${alias}: two values`)
    const given = own ?? other ?? otherwise
    if (given === undefined) return Result.fail(`${name}: missing`)
    return Result.mapError(read(given), (wanted) => `${name}: expected ${wanted}, got ${quoted(given)}`)
  }
  if (call !== undefined) {
    const fields: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(call)) {
      if (![name, field.alias ?? name].some((it) => givenValue(query, it) !== undefined)) continue
      const value = read(name, field)
      if (Result.isFailure(value)) return Result.fail(value.failure)
      fields[field.field] = value.success
    }
    params.push(fields)
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = read(name, parameter)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    params.push(value.success)
  }
  return Result.succeed(params)
}

const givenValue = (query: Query, name: string): string | undefined => firstValue(query, name)?.trim() || undefined

/** Only a plain word is quoted. */
const quoted = (text: string): string => (/^\w{1,64}$/.test(text) ? text : `${text.length} characters`)
