/** Pages for people and their files: rows of the endpoint table that are open to everybody and in no document. */
import { Effect, Schema } from "effect"
import type { EndpointDoc } from "./documentation.ts"
import type { Endpoint } from "./endpoint.ts"

export const pageRow = (path: string, summary: string, answer: Endpoint["answer"]): Endpoint => {
  const doc: EndpointDoc = { tag: "Health", summary, query: {}, body: Schema.String, faults: [], hidden: true }
  return { id: path, path, style: "native", about: { kind: "service" }, open: true, doc, answer }
}

/** It loads files of the service alone, which ask the service alone. `images`, `forms`: what it may show and where it may send. */
export const htmlAnswer = (
  read: () => Promise<{ readonly html: string }>,
  { images, forms }: { readonly images: string; readonly forms: string },
): Endpoint["answer"] => {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join("; ")
  return () =>
    Effect.map(Effect.promise(read), ({ html }) => ({
      asOf: [],
      body: html,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
      },
    }))
}

/** A file whose path holds a digest of it: it may be kept for ever. */
export const fileAnswer = ({ type, text }: { readonly type: string; readonly text: string }) => ({
  asOf: [],
  body: text,
  headers: { "content-type": type, "cache-control": "public, max-age=31536000, immutable" },
})
