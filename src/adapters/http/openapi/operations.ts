/** An endpoint's row as an OpenAPI operation. */
import type { Endpoint } from "../contract/endpoint.ts"
import { nameOf } from "../contract/mediaType.ts"
import { statuses } from "../contract/statuses.ts"
import { ifNoneMatch, minBlock, notModifiedResponse, strict } from "./etags.ts"
import { examples, shown } from "./examples.ts"
import { addressHeaders, contractHeaders, headersOf, validatedHeaders } from "./headers.ts"
import { type Json, mediaOf } from "./json.ts"
import { pathParametersOf, queryParametersOf } from "./parameters.ts"
import { ownExamples, refusalResponses } from "./refusals.ts"
import type { Schemas } from "./schemas.ts"

/** What the table of contents shows of it. */
export const headOf = ({ id, doc: { operationId, tag, summary } }: Endpoint): Json => ({
  operationId: operationId ?? id.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()),
  tags: [tag],
  summary,
})

export const operationOf = (endpoint: Endpoint, schemas: Schemas): Json => {
  const { id, about, open, doc } = endpoint
  const example = examples.answers[id] ?? examples.shapes[id]
  const headers = {
    contract: contractHeaders,
    address: "ofContract" in about ? contractHeaders : addressHeaders,
    chain: validatedHeaders,
    service: validatedHeaders,
  }[about.kind]
  const content = mediaOf(schemas.of(doc.body), example === undefined ? {} : shown({ [id]: example }))
  return {
    ...headOf(endpoint),
    ...(doc.description === undefined ? {} : { description: doc.description }),
    parameters: [
      ...pathParametersOf(endpoint),
      ...queryParametersOf(id, doc.query),
      ...(open === true
        ? []
        : [
            strict,
            ...(endpoint.foreign ? [] : [ifNoneMatch]),
            ...(endpoint.about.kind === "service" ? [] : [minBlock]),
          ]),
    ],
    ...requestOf(endpoint, schemas),
    responses: {
      [statuses.ok]: {
        description: "The answer",
        headers: open === true ? headersOf(false) : headers,
        content: doc.streamed === true ? { ...content, ...streams } : content,
      },
      ...(open === true || endpoint.foreign ? {} : notModifiedResponse(headers)),
      ...otherResponses(endpoint, schemas),
      ...refusalResponses(endpoint, schemas),
    },
    ...(open === true ? { security: [] } : {}),
  }
}

/** What a body must be, where one is sent. */
const requestOf = ({ id, foreign }: Endpoint, schemas: Schemas): Json => {
  if (foreign?.docs.request === undefined) return {}
  const sent = examples.shapes[id]?.sent
  const content = mediaOf(schemas.of(foreign.docs.request), sent === undefined ? {} : { [id]: { value: sent } })
  return { requestBody: { required: true, content } }
}

/** All rows, one after the other. */
const streams: Json = {
  [nameOf("ndjson")]: { schema: { type: "string", description: "All rows, each a JSON object on a line of its own" } },
  [nameOf("csv")]: {
    schema: { type: "string", description: "All rows under a line of names; fields inside a field as `outer.inner`" },
  },
}

/** The same body under another status. */
const otherResponses = ({ id, open, doc }: Endpoint, schemas: Schemas): Json =>
  Object.fromEntries(
    Object.entries(doc.otherStatuses ?? {}).map(([status, description]) => [
      status,
      {
        description,
        headers: headersOf(open !== true),
        content: mediaOf(schemas.of(doc.body), shown(ownExamples(id, Number(status)))),
      },
    ]),
  )
