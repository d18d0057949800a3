/** The WebDocuments port over fetch. */
import { Effect, Layer } from "effect"
import { type Document, type DocumentRequest, DocumentUnavailable, WebDocuments } from "../../ports/WebDocuments.ts"
import { readBounded } from "./body.ts"
import { inTime } from "./inTime.ts"
import { type Place, placeOf, redirected } from "./place.ts"
import { Refusal } from "./refusal.ts"

const mostRedirects = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const layer = Layer.succeed(WebDocuments, {
  get: Effect.fn("FetchDocuments.get")(function* (request: DocumentRequest) {
    const place = placeOf(request.url)
    if (place === undefined) {
      return yield* new DocumentUnavailable({ message: "expected a URL with http:// or https:// (it is not shown)" })
    }
    return yield* Effect.tryPromise({
      try: (interrupted) => get(request, place, interrupted),
      catch: (cause) => new DocumentUnavailable({ message: `${place.label}: ${reasonOf(cause)}` }),
    })
  }),
})

/** What is no `Refusal` may repeat the URL. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof Refusal) return cause.message
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown }
  const word = [code, name].find((it) => typeof it === "string" && /^\w{1,40}$/.test(it))
  return `cannot be reached (${word ?? "unknown"})`
}

const get = (
  { maxBytes, timeoutMs, etag }: DocumentRequest,
  first: Place,
  interrupted: AbortSignal,
): Promise<Document | "unchanged"> =>
  inTime(timeoutMs, interrupted, async ({ signal, race }) => {
    let place = first
    for (let hops = 0; ; hops++) {
      const headers = { accept: "application/json, text/plain;q=0.9", ...place.headers, ...conditionOf(etag) }
      const response = await race(fetch(place.url, { headers, redirect: "manual", signal }))
      if (redirects.has(response.status)) {
        response.body?.cancel().catch(() => {})
        if (hops === mostRedirects) throw new Refusal(`more than ${mostRedirects} redirects`)
        place = redirected(place, response.headers.get("location"))
        continue
      }
      if (response.status === 304 && etag !== undefined) return "unchanged"
      if (response.status !== 200) {
        response.body?.cancel().catch(() => {})
        throw new Refusal(`HTTP ${response.status}`)
      }
      const text = await race(readBounded(response, maxBytes))
      const tag = response.headers.get("etag")
      return { text, ...(tag === null || tag === "" || tag.length > 1024 ? {} : { etag: tag }) }
    }
  })

const conditionOf = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { "if-none-match": etag }
