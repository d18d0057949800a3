/** The query parameters of the lists of transfers: whose, of which contract, of which blocks, in which order. */
import { Result } from "effect"
import { type Address, addressOf } from "../../../model/primitives.ts"
import type { TransferFilter } from "../../../model/transfer.ts"
import { costlyWhenGiven } from "../contract/cost.ts"
import type { Decoded } from "../contract/parameter.ts"
import { firstValue } from "../contract/query.ts"
import { sampleContracts, sampleHolder } from "../contract/samples.ts"
import {
  type CompatParameter,
  choice,
  compatParameter,
  invalidBlock,
  isOpenEnd,
  refusal,
  sampleEnd,
  window,
} from "./parameters.ts"

const addressOrNone = (description: string, example: string, text: string): CompatParameter<Address | undefined> =>
  compatParameter(
    { description, schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }, example },
    (query, name) => {
      const given = firstValue(query, name) ?? ""
      const found = addressOf(given)
      return given === "" || found !== undefined ? Result.succeed(found) : Result.fail(refusal(text))
    },
  )

/** No index has the rows of an address in order. */
const party = (description: string) => ({
  ...addressOrNone(description, sampleHolder, "Error! Invalid address format"),
  isCostly: costlyWhenGiven,
})

/** An end of a range. `isOpen`: what names no block. A number that no chain reaches is as good as the largest that is one. */
const block = (description: string, isOpen: (text: string) => boolean, example: number | string) =>
  compatParameter<number | undefined>(
    { description, schema: { type: "string" }, example: String(example) },
    (query, name) => {
      const text = (firstValue(query, name) ?? "").toLowerCase()
      if (text === "" || isOpen(text)) return Result.succeed(undefined)
      const isNumber = /^(?:\d+|0x[0-9a-f]+)$/.test(text)
      return isNumber ? Result.succeed(Math.min(Number(text), Number.MAX_SAFE_INTEGER)) : Result.fail(invalidBlock())
    },
  )

const sort = compatParameter<"asc" | "desc">(
  {
    description: "`asc` = oldest first, `desc` = newest first; anything else is the default",
    schema: { type: "string", default: "asc" },
    example: "desc",
  },
  (query, name) => Result.succeed(firstValue(query, name)?.toLowerCase() === "desc" ? "desc" : "asc"),
)

const operator = choice({
  description: "Whether `from` and `to` must both hold, or one of them",
  words: ["and", "or"],
  example: "and",
  refused: "Error! Invalid fromto_opr: expected and, or",
})

const allRows = 10_000

/** Of rows: exactly so many as long as there are. */
const rowWindow = window(allRows)

export const transferParameters = (contract: string) => ({
  address: party("Sends or receives"),
  contractaddress: addressOrNone("The token contract", contract, "Error! Invalid contract address format"),
  from: party("Sends"),
  to: party("Receives"),
  fromto_opr: operator,
  startblock: block(
    "From this block, inclusive; absent or `earliest` = from the first",
    (text) => text === "earliest",
    0,
  ),
  endblock: block(
    "To this block, inclusive; absent, `latest`, 100000000 or eight nines and more = to the newest",
    isOpenEnd,
    sampleEnd,
  ),
  sort,
  window: rowWindow,
})

export const erc20Parameters = transferParameters(sampleContracts.erc20)
export const erc721Parameters = transferParameters(sampleContracts.erc721)
export const erc1155Parameters = transferParameters(sampleContracts.erc1155)

type TransferParameters = Decoded<typeof erc20Parameters>

/** Refused where nobody and nothing is named: that would be everybody's transfers. */
export const filterOf = (asked: TransferParameters): Result.Result<TransferFilter, ReturnType<typeof refusal>> => {
  const { address, contractaddress, from, to, fromto_opr, startblock, endblock } = asked
  if (address === undefined && contractaddress === undefined && from === undefined && to === undefined) {
    return Result.fail(refusal("Error! Invalid address format"))
  }
  const isEither = fromto_opr === "or" && from !== undefined && to !== undefined
  return Result.succeed({
    ...(contractaddress && { tokenAddress: [contractaddress] }),
    ...(address && { address: [address] }),
    ...(isEither ? { either: { from: [from], to: [to] } } : { ...(from && { from: [from] }), ...(to && { to: [to] }) }),
    ...(startblock !== undefined && { blockNumberFrom: startblock }),
    ...(endblock !== undefined && { blockNumberTo: endblock }),
  })
}
