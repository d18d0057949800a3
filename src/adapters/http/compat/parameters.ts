/** The query parameters of the compatibility actions, and the exact words in which they are refused. */
import { Result } from "effect"
import type { AsOf } from "../../../model/block.ts"
import { type Address, addressOf } from "../../../model/primitives.ts"
import type { Window } from "../../../ports/HolderStore.ts"
import { costlyWhenGiven, isManyRows } from "../contract/cost.ts"
import { CompatFault } from "../contract/faults.ts"
import type { Parameter, ParameterDoc } from "../contract/parameter.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { sampleContracts, sampleHolder } from "../contract/samples.ts"

export type CompatParameter<A> = Parameter<A, CompatFault>

/** A refusal with `NOTOK` and these words. */
export const refusal = (result: string, asOf?: ReadonlyArray<AsOf>): CompatFault =>
  new CompatFault({ message: "NOTOK", result, ...(asOf && { asOf }) })

export const invalidBlock = (reason?: string, asOf?: ReadonlyArray<AsOf>): CompatFault =>
  refusal(`Error! Invalid block number${reason === undefined ? "" : `: ${reason}`}`, asOf)

export const compatParameter = <A>(
  doc: NonNullable<CompatParameter<A>["doc"]>,
  decode: CompatParameter<A>["decode"],
): CompatParameter<A> => ({ bound: false, doc, decode })

/** One of some words, in any letter case; the first is the default. */
export const choice = <W extends string>({
  description,
  words,
  example,
  refused,
}: {
  readonly description: string
  readonly words: readonly [W, ...ReadonlyArray<W>]
  readonly example: W
  readonly refused: string
}): CompatParameter<W> =>
  compatParameter(
    { description, schema: { type: "string", enum: words, default: words[0] }, example },
    (query, name) => {
      const text = (firstValue(query, name) ?? "").toLowerCase()
      const found = text === "" ? words[0] : words.find((word) => word === text)
      return found === undefined ? Result.fail(refusal(refused)) : Result.succeed(found)
    },
  )

const addressNamed = (description: string, example: string, text: string): CompatParameter<Address> =>
  compatParameter(
    { description, schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }, example, required: true },
    (query, name) => {
      const address = addressOf(firstValue(query, name) ?? "")
      return address === undefined ? Result.fail(refusal(text)) : Result.succeed(address)
    },
  )

export const address = addressNamed("The holder", sampleHolder, "Error! Invalid address format")
export const contractaddress = addressNamed(
  "The token contract",
  sampleContracts.erc20,
  "Error! Invalid contract address format",
)

const decimal = /^\d+$/

/** A decimal block number; it must be given. */
export const blockno = compatParameter(
  {
    description: "Block number, decimal, up to the indexed head",
    schema: { type: "integer", minimum: 0 },
    example: 1000000,
    required: true,
  },
  (query, name) => blockOf(firstValue(query, name) ?? "", decimal),
)

/** The same, undefined where it is not given. */
export const blocknoOrNewest: CompatParameter<number | undefined> = {
  ...compatParameter(
    {
      description: "As of this block, decimal, up to the indexed head; absent = as of now",
      schema: { type: "integer", minimum: 0 },
      example: 1000000,
    },
    (query, name) => {
      const text = firstValue(query, name)
      return text === undefined ? Result.succeed(undefined) : blockOf(text, decimal)
    },
  ),
  isCostly: costlyWhenGiven,
}

/** A block by name or number; undefined = the newest. */
export const tag: CompatParameter<number | undefined> = compatParameter(
  {
    description: "`latest`, `pending` (= latest), `earliest` (= block 0) or a block number, decimal or in 0x-hex",
    schema: { type: "string", default: "latest" },
    example: "latest",
  },
  (query, name) => {
    const text = (firstValue(query, name) ?? "").toLowerCase()
    if (text === "" || isNewest(text)) return Result.succeed(undefined)
    if (text === "earliest") return Result.succeed(0)
    return blockOf(text, /^(?:\d+|0x[0-9a-f]+)$/)
  },
)

/** A number that no chain reaches is told so; what is no number needs no reason. */
export const blockOf = (text: string, pattern: RegExp): Result.Result<number, CompatFault> => {
  if (!pattern.test(text)) return Result.fail(invalidBlock())
  const most = Number.MAX_SAFE_INTEGER
  return Number(text) <= most
    ? Result.succeed(Number(text))
    : Result.fail(invalidBlock(`expected a block up to ${most}, got a larger number`))
}

/** How clients of Etherscan's API say that a range has no end; there are chains with more blocks than each of these. */
export const sampleEnd = "99999999"

/** The newest block by a word, or by one of those numbers. */
export const isOpenEnd = (text: string): boolean => isNewest(text) || /^(?:9{8,}|100000000)$/.test(text)

export const isNewest = (text: string): boolean => /^(?:latest|pending)$/i.test(text)

const maxWindow = 10_000

/** `page` and `offset` (the page's size); what is no number above 0 is the default. */
export const window = (defaultOffset: number): CompatParameter<Window> => {
  const windowOf = (query: Query): Window => ({
    page: positiveOr(1, query, "page"),
    offset: positiveOr(defaultOffset, query, "offset"),
  })
  return {
    ...compatParameter({ names: windowDocs(defaultOffset) }, (query) => {
      const { page, offset } = windowOf(query)
      return page * offset > maxWindow ? Result.fail(windowTooLarge) : Result.succeed({ page, offset })
    }),
    // The rows before a page are read too.
    isCostly: (query) => {
      const { page, offset } = windowOf(query)
      return isManyRows(page * offset)
    },
  }
}

const windowDocs = (defaultOffset: number) => ({
  page: pageDoc("Which page, from 1; anything else is the default", 1),
  offset: pageDoc(
    `Rows of a page; page times offset is at most ${maxWindow}; anything but a number above 0 is the default`,
    defaultOffset,
  ),
})

const pageDoc = (description: string, otherwise: number): ParameterDoc => ({
  description,
  schema: { type: "integer", minimum: 1, maximum: maxWindow, default: otherwise },
  example: otherwise,
})

/** Clients look for these words in `message`, and ask for fewer blocks. */
export const windowTooLarge = new CompatFault({
  message: `Result window is too large, PageNo x Offset size must be less than or equal to ${maxWindow}`,
  result: null,
})

const positiveOr = (otherwise: number, query: Query, name: string): number => {
  const text = firstValue(query, name) ?? ""
  return /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : otherwise
}
