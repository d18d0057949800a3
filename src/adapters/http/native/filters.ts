/** The filters of feeds: up to 50 values each, in whichever spelling, resolved to one. */
import { Effect, Result } from "effect"
import { findTransaction } from "../../../domain/reads/transactionBlocks.ts"
import { type Address, addressOf, type BigIntString, type ChainId, type Hash } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import type { PlacedTransaction } from "../../../model/transfer.ts"
import { costlyWhenCounted, costlyWhenGiven } from "../contract/cost.ts"
import { firstValue, listValues, type Query } from "../contract/query.ts"
import { sampleContracts, sampleHolder, sampleTransactions } from "../contract/samples.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { decodeHash, type NativeParameter, wholeNumber } from "./parameters.ts"

const maxValues = 50

/** Values of a filter, sorted, each once; undefined when it is not given. `valueOf` is undefined for what is none. */
const listOf = <A>(spec: {
  readonly description: string
  readonly items: Readonly<Record<string, unknown>>
  readonly example: string
  /** What one value is, and what many are called. */
  readonly one: string
  readonly many: string
  readonly valueOf: (text: string) => A | undefined
  readonly compare?: (a: A, b: A) => number
}): NativeParameter<ReadonlyArray<A> | undefined> => ({
  bound: true,
  isCostly: costlyWhenCounted,
  doc: {
    description: `${spec.description}; up to ${maxValues} values, joined by OR`,
    schema: { type: "array", maxItems: maxValues, items: spec.items },
    example: [spec.example],
  },
  decode: (query, name) => {
    const texts = listValues(query, name)
    if (texts.length === 0) return Result.succeed(undefined)
    const values = texts.map(spec.valueOf)
    const wrong = values.indexOf(undefined)
    if (wrong !== -1) return Result.fail(invalidParameter(name, texts[wrong] ?? "", spec.one))
    return texts.length > maxValues
      ? Result.fail(invalidParameter(name, `${texts.length}`, `up to ${maxValues} ${spec.many}`))
      : Result.succeed([...new Set(values as ReadonlyArray<A>)].sort(spec.compare))
  },
})

/** Addresses in lower case. `what` the filter keeps, and an example of one. */
export const addresses = (
  what: string,
  example: Address = sampleContracts.erc20,
): NativeParameter<ReadonlyArray<Address> | undefined> =>
  listOf({
    description: what,
    items: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
    example,
    one: "an address: 0x and 40 hex digits",
    many: "addresses",
    valueOf: addressOf,
  })

const mostId = 2n ** 256n - 1n

/** Without leading zeros; undefined for what is no id. */
export const tokenIdOf = (text: string): BigIntString | undefined => {
  if (!/^\d+$/.test(text)) return undefined
  const id = text.replace(/^0+(?=\d)/, "")
  return id.length <= 78 && BigInt(id) <= mostId ? id : undefined
}

/** Ids of the contract that `tokenAddress` names. */
export const tokenIds: NativeParameter<ReadonlyArray<BigIntString> | undefined> = listOf({
  description: "Transfers of these ids; needs exactly one `tokenAddress` beside it",
  items: { type: "string", pattern: "^[0-9]+$", description: "0 to 2^256-1 in decimal" },
  example: "42",
  one: "a token id: 0 to 2^256-1 in decimal",
  many: "token ids",
  valueOf: tokenIdOf,
  compare: (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0),
})

/** Where there are no ids. */
export const noTokenId: NativeParameter<undefined> = {
  bound: false,
  decode: (query, name) => {
    const text = firstValue(query, name)
    return text === undefined
      ? Result.succeed(undefined)
      : Result.fail(invalidParameter(name, text, "no value (ERC-20 transfers have no ids)"))
  },
}

/** 0 to 2⁵³−1; undefined when it is not given. */
const blockNumber = (description: string, example = 1_000_000): NativeParameter<number | undefined> => ({
  bound: true,
  isCostly: costlyWhenCounted,
  doc: {
    description: `${description}, inclusive; under \`all\` each chain's own numbers`,
    schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    example,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const value = wholeNumber(text, Number.MAX_SAFE_INTEGER)
    return value === undefined
      ? Result.fail(invalidParameter(name, text, `a block number from 0 to ${Number.MAX_SAFE_INTEGER}`))
      : Result.succeed(value)
  },
})

/** No index has the rows of an address in order. */
const party = (what: string) => ({ ...addresses(what, sampleHolder), isCostly: costlyWhenGiven })

/** Who takes part. */
export const parties = {
  from: party("Transfers sent by these addresses (the zero address: mints)"),
  to: party("Transfers received by these addresses (the zero address: burns)"),
  address: party("Transfers sent or received by these addresses"),
}

/** In which blocks. */
export const blockRange = {
  blockNumberFrom: blockNumber("First block"),
  blockNumberTo: blockNumber("Last block", 1_000_002),
}

/** Fields that rows have on request only. The rows are the same ones, but with those of `withRows`. */
export const included = <Field extends string>(
  fields: readonly [Field, ...ReadonlyArray<Field>],
  withRows: ReadonlyArray<Field> = [],
): NativeParameter<ReadonlyArray<Field>> => ({
  bound: withRows,
  doc: {
    description: "Fields that rows have on request only",
    schema: { type: "array", items: { type: "string", enum: fields } },
    example: [fields[0]],
  },
  decode: (query, name) => {
    const texts = listValues(query, name)
    const unknown = texts.find((text) => !fields.some((field) => field === text))
    return unknown === undefined
      ? Result.succeed(fields.filter((field) => texts.includes(field)))
      : Result.fail(invalidParameter(name, unknown, fields.join(" or ")))
  },
})

/** Of which contracts. */
export const tokenAddress = (standard: Standard) =>
  addresses("Transfers of these token contracts", sampleContracts[standard])

/** One transaction; undefined when it is not given. */
export const txHash = (of: keyof typeof sampleTransactions): NativeParameter<Hash | undefined> => ({
  bound: "given",
  faults: ["BlockUnknown"],
  doc: {
    description:
      "Only of this transaction. The chain's node says in which block it is, unless `blockNumberFrom` and `blockNumberTo` name one block",
    schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
    example: sampleTransactions[of],
  },
  decode: decodeHash("a transaction's hash"),
})

/** Whether a node may have to be asked where a transaction is. */
export const namesTransaction = (query: Query): boolean => firstValue(query, "txHash") !== undefined

interface OfTransaction {
  readonly txHash: Hash | undefined
  readonly blockNumberFrom: number | undefined
  readonly blockNumberTo: number | undefined
}

/** Whether a node has to say where the transaction is. */
export const asksForTransaction = ({ txHash, blockNumberFrom, blockNumberTo }: OfTransaction): boolean =>
  txHash !== undefined && (blockNumberFrom === undefined || blockNumberFrom !== blockNumberTo)

/** The transaction with its blocks, for a filter. */
export const placeTransaction = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>, given: OfTransaction) {
  const { txHash } = given
  if (txHash === undefined) return undefined
  const named: PlacedTransaction = { hash: txHash }
  return asksForTransaction(given) ? yield* findTransaction(chains, txHash) : named
})
