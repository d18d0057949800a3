/** Where the documentation is: the document as JSON, the page that shows it, and the page's files. Open to everybody. */
import { Effect } from "effect"
import type { Endpoint } from "../contract/endpoint.ts"
import { fileAnswer, htmlAnswer, pageRow } from "../contract/webPage.ts"
import { unknownPath } from "../pipeline/faultReply.ts"
import { docsFiles } from "./assets.ts"
import { publish } from "./published.ts"

const specOf = (endpoints: ReadonlyArray<Endpoint>): Endpoint => {
  let published: Promise<string> | undefined
  // Made when it is first asked for.
  const publishOnce = () => {
    published ??= publish(endpoints)
    return published
  }
  return pageRow("/openapi.json", "This service as OpenAPI 3.1", () =>
    Effect.promise(publishOnce).pipe(
      Effect.map((body) => ({
        asOf: [],
        body,
        headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" },
      })),
    ),
  )
}

/** Swagger UI has its icons as data. */
const html = htmlAnswer(docsFiles, { images: "'self' data:", forms: "'none'" })

/** Of the endpoints that the document shows. */
export const pagesOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> => [
  specOf(endpoints),
  pageRow("/docs", "The documentation, to read", html),
  pageRow("/docs/", "The documentation, to read", html),
  pageRow(
    "/docs/{file}",
    "A file of the documentation page",
    Effect.fnUntraced(function* ({ path, param }) {
      const asset = (yield* Effect.promise(docsFiles)).assets.get(param("file"))
      if (asset === undefined) return yield* unknownPath({ path })
      return fileAnswer(asset)
    }),
  ),
]
