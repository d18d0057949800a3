/** What a stream of events is asked for. */
import { Result } from "effect"
import { eventKinds } from "../../../model/events/event.ts"
import type { EventFilter } from "../../../model/events/filter.ts"
import { standards } from "../../../model/token.ts"
import { defined } from "../contract/parameter.ts"
import { firstValue, listValues } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { parties, tokenAddress } from "../native/filters.ts"
import type { NativeParameter } from "../native/parameters.ts"

const words = <Word extends string>(
  description: string,
  known: readonly [Word, ...ReadonlyArray<Word>],
): NativeParameter<ReadonlyArray<Word> | undefined> => ({
  bound: true,
  doc: { description, schema: { type: "array", items: { type: "string", enum: known } }, example: [known[0]] },
  decode: (query, name) => {
    const texts = listValues(query, name)
    if (texts.length === 0) return Result.succeed(undefined)
    const wrong = texts.find((text) => !known.some((word) => word === text))
    return wrong === undefined
      ? Result.succeed(known.filter((word) => texts.includes(word)))
      : Result.fail(invalidParameter(name, wrong, known.join(", ")))
  },
})

export const deliveries = ["instant", "finalized"] as const

const delivery: NativeParameter<boolean> = {
  bound: true,
  doc: {
    description: "`finalized`: rows of final blocks alone, which nothing takes back",
    schema: { type: "string", enum: deliveries, default: "instant" },
    example: "finalized",
  },
  decode: (query, name) => {
    const text = firstValue(query, name) ?? "instant"
    return deliveries.some((word) => word === text)
      ? Result.succeed(text === "finalized")
      : Result.fail(invalidParameter(name, text, deliveries.join(" or ")))
  },
}

const after: NativeParameter<string | undefined> = {
  bound: false,
  doc: {
    description:
      "The `id` of the last event that was had, or `beginning`; absent = from now on. The header `Last-Event-ID` comes before it",
    schema: { type: "string" },
    example: "beginning",
  },
  decode: (query, name) => Result.succeed(firstValue(query, name)),
}

const { from, to, address } = parties
export const eventParameters = {
  kinds: words("Rows of these kinds", eventKinds),
  standard: words("Rows of these standards; swaps are of `erc20`", standards),
  tokenAddress: tokenAddress("erc20"),
  address,
  from,
  to,
  delivery,
  after,
}

/** The filter as the parameters say it. */
export const filterOf = ({
  kinds,
  standard,
  ...rest
}: {
  readonly [Name in "kinds" | "standard" | "tokenAddress" | "address" | "from" | "to"]: EventFilter[Name] | undefined
}): EventFilter => defined({ kinds, standard, ...rest }) as EventFilter
