/** Operations of paths whose methods do different things, or whose answers are nothing that is kept. */
import type { MethodDoc } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { statuses } from "../contract/statuses.ts"
import { strict } from "./etags.ts"
import { examples, shown } from "./examples.ts"
import { fleetingHeaders } from "./headers.ts"
import { type Json, mediaOf } from "./json.ts"
import { headOf } from "./operations.ts"
import { pathParametersOf, queryParametersOf } from "./parameters.ts"
import { refusalResponses } from "./refusals.ts"
import type { Schemas } from "./schemas.ts"

type Methods = Readonly<Record<string, MethodDoc>>

/** What they are sent, what they answer, and what stands in that. */
export const methodSchemas = (methods: Methods) =>
  Object.values(methods).flatMap(({ request, body, parts = {} }) => [
    ...(request === undefined ? [] : [request]),
    body,
    ...Object.values(parts).map(({ schema }) => schema),
  ])

/** By the method's name. */
export const methodOperations = (endpoint: Endpoint, methods: Methods, schemas: Schemas): Json =>
  Object.fromEntries(
    Object.entries(methods).map(([method, doc]) => {
      const own: Endpoint = {
        ...endpoint,
        id: doc.operationId,
        doc: { ...endpoint.doc, ...doc, query: doc.query ?? {} },
      }
      return [method, operationOf(own, doc, schemas)]
    }),
  )

const operationOf = (endpoint: Endpoint, doc: MethodDoc, schemas: Schemas): Json => {
  const example = examples.methods[doc.operationId]?.answer
  return {
    ...headOf(endpoint),
    ...(doc.description === undefined ? {} : { description: doc.description }),
    parameters: [...pathParametersOf(endpoint), ...queryParametersOf(doc.operationId, endpoint.doc.query), strict],
    ...(doc.request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: mediaOf(
              schemas.of(doc.request),
              example?.sent === undefined ? {} : { [doc.operationId]: { value: example.sent } },
            ),
          },
        }),
    responses: {
      [doc.status ?? statuses.ok]: {
        description: "The answer",
        headers: fleetingHeaders(endpoint.about.kind !== "service"),
        content: {
          [doc.media ?? "application/json"]: {
            schema: schemas.of(doc.body),
            ...(example === undefined ? {} : { examples: shown({ [doc.operationId]: example }) }),
          },
        },
      },
      ...refusalResponses(endpoint, schemas),
    },
    ...(doc.parts === undefined ? {} : { "x-events": partsOf(doc.parts, schemas) }),
  }
}

const partsOf = (parts: NonNullable<MethodDoc["parts"]>, schemas: Schemas): Json =>
  Object.fromEntries(
    Object.entries(parts).map(([name, { description, schema }]) => [name, { description, schema: schemas.of(schema) }]),
  )
