/** What the client knows of the service: of its OpenAPI document the native operations, without examples and refusals, and what follows from each. */

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON.parse gives.
type Json = any

export interface Operation {
  readonly name: string
  readonly path: string
  readonly summary: string
  /** `list`: rows by pages; `record`: one answer. */
  readonly kind: "list" | "record"
  /** Whether all its rows come at once where that is asked for. */
  readonly streamed: boolean
  /** Fields that are whole numbers in a text, of each row or of the record. */
  readonly integers: ReadonlyArray<string>
  readonly needsQuery: boolean
}

const json = "application/json"
/** The compatibility endpoints have their own clients, events a feed, webhooks calls of their own, and readiness answers 503 with a body that is no refusal. */
const isOurs = (path: string): boolean =>
  path.startsWith("/v2/") && !path.startsWith("/v2/webhooks") && !/\/(?:api|chainlist|events)$/.test(path)

/** Said by the client's own options, or by a second name for the same. */
const isLeftOut = ({ in: place, name }: Json): boolean =>
  place === "header" || ["nextToken", "prevToken"].includes(name)

const refsIn = (value: Json): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)

const withoutExamples = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (name, each) =>
    name === "example" || (name === "examples" && Array.isArray(each)) ? undefined : each,
  )

const resolved = (document: Json, schema: Json): Json =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)]

const isInteger = (schema: Json): boolean =>
  schema.type === "string" && /^\^(?:-\??)?\\d\+\$$/.test(schema.pattern ?? "")

const oursOf = (document: Json): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(document.paths)
    .filter(([path, { get }]) => isOurs(path) && get !== undefined)
    .map(([path, { get }]) => [path, get] as const)

/** By name; the order is the alphabet's, so that a new one moves none. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  oursOf(document)
    .map(([path, get]): Operation => {
      const { content } = get.responses[200]
      const body = resolved(document, content[json].schema)
      const rows = body.properties?.link === undefined ? undefined : body.properties.items?.items
      const fields: Record<string, Json> = resolved(document, rows ?? body).properties ?? {}
      return {
        name: get.operationId,
        path,
        summary: get.summary,
        kind: rows === undefined ? "record" : "list",
        streamed: content["application/x-ndjson"] !== undefined,
        integers: Object.keys(fields).filter((name) => isInteger(fields[name])),
        needsQuery: get.parameters.some((each: Json) => each.in === "query" && each.required === true),
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Words that refusals of the document have as their code. */
export const codesOf = (document: Json): ReadonlyArray<string> => {
  const codes = new Set<string>()
  JSON.stringify(document.paths, (name, value) => {
    if (name === "code") for (const code of value?.enum ?? []) codes.add(code)
    return value
  })
  return [...codes].sort()
}

/** What webhooks are sent and answer; their calls are written by hand. */
const ofWebhooks = ["NewWebhook", "WebhookChange", "Webhook", "WebhookWithSecret", "Webhooks"]

/** What the types are made from. */
export const reducedOf = (document: Json): Json => {
  const paths = Object.fromEntries(
    [...oursOf(document), ["/ready", document.paths["/ready"].get] as const].map(([path, get]) => {
      const { operationId, summary, description, parameters, responses } = get
      const content = { [json]: { schema: responses[200].content[json].schema } }
      const kept = parameters.filter((each: Json) => !isLeftOut(each))
      return [
        path,
        {
          get: {
            operationId,
            summary,
            description,
            parameters: kept,
            responses: { 200: { description: "", content } },
          },
        },
      ]
    }),
  )
  const needed = new Set<string>()
  const waiting = [...refsIn(paths), "NativeProblem", ...ofWebhooks]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (needed.has(name)) continue
    needed.add(name)
    waiting.push(...refsIn(document.components.schemas[name]))
  }
  const schemas = Object.fromEntries([...needed].sort().map((name) => [name, document.components.schemas[name]]))
  return withoutExamples({
    openapi: document.openapi,
    info: { title: "Cowry", version: "" },
    paths,
    components: { schemas },
  })
}
