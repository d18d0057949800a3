/** The service as an OpenAPI 3.1 document, derived from the endpoint table, the records and the table of problems. */
import { actions } from "../compat/actions.ts"
import { tags } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { NativeProblem } from "../contract/statuses.ts"
import { compatForm, compatOperation, compatSchemas } from "./compat.ts"
import { headerComponents } from "./headers.ts"
import { info } from "./info.ts"
import type { Json } from "./json.ts"
import { methodOperations, methodSchemas } from "./methods.ts"
import { operationOf } from "./operations.ts"
import { unknownPathResponse } from "./refusals.ts"
import { type Schemas, schemasOf } from "./schemas.ts"

export const documentOf = (endpoints: ReadonlyArray<Endpoint>): Json => {
  const documented = endpoints.filter(({ doc }) => doc.hidden !== true)
  const natives = documented.filter(({ style }) => style === "native")
  const schemas = schemasOf([
    ...natives.flatMap(({ doc }) => (doc.methods === undefined ? [doc.body] : methodSchemas(doc.methods))),
    ...actions.map(({ doc }) => doc.result),
    NativeProblem,
    ...natives.flatMap(({ foreign }) => Object.values(foreign?.docs ?? {})),
  ])
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The service that this document comes from" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    // A key is needed in strict mode only.
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    paths: Object.fromEntries(documented.map((endpoint) => [endpoint.path, operationsOf(endpoint, schemas)])),
    components: {
      schemas: { ...schemas.components, ...compatSchemas(schemas) },
      responses: { UnknownPath: unknownPathResponse },
      headers: headerComponents,
      securitySchemes,
    },
  }
}

const operationsOf = (endpoint: Endpoint, schemas: Schemas): Json => {
  if (endpoint.style === "compat")
    return { get: compatOperation(endpoint, schemas), post: compatForm(endpoint, schemas) }
  if (endpoint.doc.methods !== undefined) return methodOperations(endpoint, endpoint.doc.methods, schemas)
  const operation = operationOf(endpoint, schemas)
  return endpoint.foreign?.docs.request !== undefined ? { post: operation } : { get: operation }
}

const securitySchemes: Json = {
  header: { type: "apiKey", in: "header", name: "apikey", description: "The first that counts" },
  query: { type: "apiKey", in: "query", name: "apikey", description: "`apiKey` means the same" },
  bearer: { type: "http", scheme: "bearer", description: "For clients that can send no other" },
}
