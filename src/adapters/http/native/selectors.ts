/** What every list takes beside its own parameters: which chains, and whether the total is wanted. */
import { Result } from "effect"
import { selectedOf } from "../../../domain/reads/chains.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { decodeParameters, defined, type ParameterDocs } from "../contract/parameter.ts"
import { firstValue, listValues, type Query } from "../contract/query.ts"
import type { NativeParameter } from "./parameters.ts"

/** Whether the total is asked for: only `count=true` asks. No cursor is bound to it. */
export const wantsCount = (query: Query): boolean => firstValue(query, "count") === "true"

export const countDoc: ParameterDocs = {
  count: {
    description: "`true` adds `count` and `countType`: the total over all pages",
    schema: { type: "boolean", default: false },
    example: true,
  },
}

const ecosystem: NativeParameter<string | undefined> = {
  bound: true,
  doc: {
    description: "Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing",
    schema: { type: "string" },
    example: "avalanche",
  },
  decode: (query, name) => Result.succeed(firstValue(query, name) || undefined),
}

const chainIds = (description: string, example: string): NativeParameter<ReadonlyArray<string> | undefined> => ({
  bound: true,
  doc: { description, schema: { type: "array", items: { type: "string" } }, example: [example] },
  decode: (query, name) => {
    const values = listValues(query, name).filter((value) => value !== "")
    return Result.succeed(values.length === 0 ? undefined : [...new Set(values)].sort())
  },
})

/** What narrows the chains of the lists marked (F). */
export const chainSelectors = {
  ecosystem,
  includedChainIds: chainIds("Only these chains; unknown ids are ignored", "43114"),
  excludedChainIds: chainIds("None of these chains; unknown ids are ignored", "1"),
}

/** Those that are left by them. What they refuse is of all. */
export const narrowed: NonNullable<Endpoint["narrowed"]> = ({ query }, followed) => {
  const selectors = decodeParameters<InvalidParameter, typeof chainSelectors>(chainSelectors, query)
  return selectedOf(followed, Result.isSuccess(selectors) ? defined(selectors.success) : {})
}
