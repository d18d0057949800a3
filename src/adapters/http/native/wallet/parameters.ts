/** The parameters of what addresses hold. */
import { Result } from "effect"
import { oneDollar } from "../../../../model/price.ts"
import type { Address } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import type { HeldSort } from "../../../../model/wallet/heldOrder.ts"
import { type HeldStandard, heldStandards } from "../../../../model/wallet/holdings.ts"
import type { ParameterDoc } from "../../contract/parameter.ts"
import { firstValue, listValues } from "../../contract/query.ts"
import { sampleContracts, sampleHolder } from "../../contract/samples.ts"
import { invalidParameter } from "../../contract/statuses.ts"
import { addresses } from "../filters.ts"
import { limit, type NativeParameter, tokenSort } from "../parameters.ts"

const standard: NativeParameter<ReadonlyArray<HeldStandard>> = {
  bound: true,
  doc: {
    description:
      "What is listed; `native` is what gas is paid in, which the node tells. Default: tokens of all standards, without `native`",
    schema: { type: "array", items: { type: "string", enum: heldStandards }, default: standards },
    example: ["native", "erc20"],
  },
  decode: (query, name) => {
    const texts = listValues(query, name)
    if (texts.length === 0) return Result.succeed(standards)
    const unknown = texts.find((text) => !heldStandards.some((known) => known === text))
    return unknown === undefined
      ? Result.succeed(heldStandards.filter((known) => texts.includes(known)))
      : Result.fail(invalidParameter(name, unknown, `one or more of ${heldStandards.join(", ")}`))
  },
}

export const trusted: NativeParameter<boolean> = {
  bound: true,
  doc: {
    description: "`true` = only contracts that stand on a configured token list, and the native currency",
    schema: { type: "boolean", default: false },
    example: true,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "false") return Result.succeed(false)
    return text === "true" ? Result.succeed(true) : Result.fail(invalidParameter(name, text, "true or false"))
  },
}

/** With 18 decimals, as a text: cursors are bound to it, and a bigint is none in JSON. */
const minValueUsd: NativeParameter<string | undefined> = {
  bound: true,
  doc: {
    description:
      "Only what is worth at least so many US dollars; what has no value is left out then. A native balance that the node does not tell stays where its price is known",
    schema: { type: "string", pattern: "^\\d{1,40}(\\.\\d{1,18})?$" },
    example: "1.5",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const [, whole, fraction = ""] = /^(\d{1,40})(?:\.(\d{1,18}))?$/u.exec(text) ?? []
    return whole === undefined
      ? Result.fail(invalidParameter(name, text, "US dollars: up to 40 digits, and up to 18 behind a point"))
      : Result.succeed(String(BigInt(whole) * oneDollar + BigInt(fraction.padEnd(18, "0"))))
  },
}

const detail: NativeParameter<boolean> = {
  bound: true,
  doc: {
    description: "`ids` = a row for each id of an ERC-721, instead of one for each collection",
    schema: { type: "string", enum: ["ids"] },
    example: "ids",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    return text === undefined || text === "ids"
      ? Result.succeed(text === "ids")
      : Result.fail(invalidParameter(name, text, "ids"))
  },
}

const sort: NativeParameter<HeldSort> = tokenSort(["valueUsd", "tokenAddress"])
const sortDoc =
  "`<field>` or `<field>,<asc|desc>`. `valueUsd`: rows without a value come last in both directions; ties go by chain id, holder, standard, contract and id. `tokenAddress`: by chain id, holder, standard, contract and id."

const tokenAddress: NativeParameter<ReadonlyArray<Address> | undefined> = {
  ...addresses("Only of these contracts; without the native currency, which has none", sampleContracts.erc20),
  bound: "given",
}

/** Which holdings. */
export const which = { standard, trusted, minValueUsd }
export const listed = {
  ...which,
  tokenAddress,
  sort: { ...sort, doc: { ...(sort.doc as ParameterDoc), description: sortDoc } } as NativeParameter<HeldSort>,
  detail,
  limit,
}

/** Up to 50 addresses, of which there must be one. */
const some = addresses("Who holds", sampleHolder)
export const holders: NativeParameter<ReadonlyArray<Address>> = {
  ...some,
  doc: { ...(some.doc as ParameterDoc), required: true },
  decode: (query, name) => {
    const decoded = some.decode(query, name)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    return decoded.success === undefined
      ? Result.fail(invalidParameter(name, "", "1 to 50 addresses, comma-joined"))
      : Result.succeed(decoded.success)
  },
  isCostly: (query, name) => listValues(query, name).length > 5,
}
