/** What the documentation says of a list: of its own, of where it stands, and of every list. */
import { Schema } from "effect"
import type { EndpointDoc } from "../contract/documentation.ts"
import { defined, docsOf, faultsOf, type Parameters } from "../contract/parameter.ts"
import { cursorDocs, Link } from "./link.ts"
import { countDoc } from "./selectors.ts"

export interface ShownList {
  readonly summary: string
  readonly description?: string
  readonly record: Schema.Top
  /** In the order of the contract's table. */
  readonly parameters: Parameters<unknown>
}

/** What the place of a list adds: its heading, further parameters and refusals, whether its rows come as NDJSON and CSV. */
type PlaceDoc = Pick<EndpointDoc, "tag" | "streamed"> & Partial<Pick<EndpointDoc, "query" | "faults">>

export const listDoc = (
  { summary, description, record, parameters }: ShownList,
  { query = {}, faults = [], ...place }: PlaceDoc,
): EndpointDoc => ({
  ...place,
  summary,
  ...defined({ description }),
  query: { ...docsOf(parameters), ...query, ...countDoc, ...cursorDocs },
  body: envelopeOf(record),
  faults: [...faults, "InvalidParameter", "InvalidCursor", ...faultsOf(parameters)],
})

/** The list envelope around records. */
const envelopeOf = (record: Schema.Top) =>
  Schema.Struct({
    items: Schema.Array(record).annotateKey({ description: "The rows of the page, in their order" }),
    count: Schema.optionalKey(
      Schema.Finite.annotate({ description: "Total over all pages; present if and only if `count=true`" }),
    ),
    countType: Schema.optionalKey(Schema.Literals(["exact", "lowerBound", "approx"])).annotateKey({
      description:
        "`lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is",
    }),
    link: Link,
  })
