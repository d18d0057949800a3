/** Where the documentation is: the document as JSON, the page that shows it, and the page's files. Open to everybody. */
import { Effect, Schema } from "effect"
import type { EndpointDoc } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { unknownPath } from "../pipeline/faultReply.ts"
import { docsFiles } from "./assets.ts"
import { publish } from "./published.ts"

const page = (path: string, summary: string, answer: Endpoint["answer"]): Endpoint => {
  const doc: EndpointDoc = { tag: "Health", summary, query: {}, body: Schema.String, faults: [], hidden: true }
  return { id: path, path, style: "native", about: { kind: "service" }, open: true, doc, answer }
}

/** Nothing but files of the service itself; forms ask the service alone. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const html = () =>
  Effect.promise(docsFiles).pipe(
    Effect.map((files) => ({
      asOf: [],
      body: files.html,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
      },
    })),
  )

const specOf = (endpoints: ReadonlyArray<Endpoint>): Endpoint => {
  let published: Promise<string> | undefined
  // Made when it is first asked for.
  const publishOnce = () => {
    published ??= publish(endpoints)
    return published
  }
  return page("/openapi.json", "This service as OpenAPI 3.1", () =>
    Effect.promise(publishOnce).pipe(
      Effect.map((body) => ({
        asOf: [],
        body,
        headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" },
      })),
    ),
  )
}

/** Of the endpoints that the document shows. */
export const pagesOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> => [
  specOf(endpoints),
  page("/docs", "The documentation, to read", html),
  page("/docs/", "The documentation, to read", html),
  page(
    "/docs/{file}",
    "A file of the documentation page",
    Effect.fnUntraced(function* ({ path, param }) {
      const asset = (yield* Effect.promise(docsFiles)).assets.get(param("file"))
      if (asset === undefined) return yield* unknownPath({ path })
      return {
        asOf: [],
        body: asset.text,
        headers: {
          "content-type": asset.type,
          "cache-control": "public, max-age=31536000, immutable",
        },
      }
    }),
  ),
]
