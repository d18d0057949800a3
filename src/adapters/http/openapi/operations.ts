/** An endpoint's row as an OpenAPI operation. */
import type { Endpoint } from "../contract/endpoint.ts"
import { nameOf } from "../contract/mediaType.ts"
import { statuses } from "../contract/problem.ts"
import { examples, shown } from "./examples.ts"
import { contractHeaders, headersOf, validatedHeaders } from "./headers.ts"
import { type Json, mediaOf } from "./json.ts"
import { pathParametersOf, queryParametersOf } from "./parameters.ts"
import { refusalResponses } from "./refusals.ts"
import type { Schemas } from "./schemas.ts"
import { ifNoneMatch, notModifiedResponse } from "./validation.ts"

export const operationOf = (endpoint: Endpoint, schemas: Schemas): Json => {
  const { id, path, open, doc } = endpoint
  const example = examples.answers[id]
  const headers = path.includes("{address}") ? contractHeaders : validatedHeaders
  const content = mediaOf(schemas.of(doc.body), example === undefined ? {} : shown({ [id]: example }))
  return {
    operationId: id.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tagOf(endpoint)],
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    parameters: [
      ...pathParametersOf(path),
      ...queryParametersOf(id, doc.query),
      ...(open === true ? [] : [ifNoneMatch]),
    ],
    responses: {
      [statuses.ok]: {
        description: "The answer",
        headers: open === true ? headersOf(false) : headers,
        content: doc.streamed === true ? { ...content, ...streams } : content,
      },
      ...(open === true ? {} : notModifiedResponse(headers)),
      ...(id === "ready"
        ? {
            [statuses.notReady]: {
              description: "Not yet",
              headers: headersOf(false),
              content: mediaOf(schemas.of(doc.body), shown(examples.refusals.ready ?? {})),
            },
          }
        : {}),
      ...refusalResponses(endpoint),
    },
    ...(open === true ? { security: [] } : {}),
  }
}

/** All rows, one after the other. */
const streams: Json = {
  [nameOf("ndjson")]: { schema: { type: "string", description: "All rows, each a JSON object on a line of its own" } },
  [nameOf("csv")]: {
    schema: { type: "string", description: "All rows under a line of names; fields inside a field as `outer.inner`" },
  },
}

export const tagOf = ({ path, open, style }: Endpoint): string => {
  if (open === true) return "Health"
  if (style === "compat") return "Compatibility"
  if (path.startsWith("/v2/status")) return "Audit"
  return /\/(?:top-)?erc20/.test(path)
    ? "ERC-20"
    : path.includes("/erc721")
      ? "ERC-721"
      : path.includes("/erc1155")
        ? "ERC-1155"
        : "Native currency"
}
