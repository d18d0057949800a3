/** Where the page is: itself at `/`, its files, and the chains that it shows. Open to everybody; what it shows may need a key. */
import { Effect, Schema } from "effect"
import { Networks } from "../../../ports/Networks.ts"
import type { EndpointDoc } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { unknownPath } from "../pipeline/faultReply.ts"
import { pageFiles } from "./files.ts"

const page = (path: string, summary: string, answer: Endpoint["answer"]): Endpoint => {
  const doc: EndpointDoc = { tag: "Health", summary, query: {}, body: Schema.String, faults: [], hidden: true }
  return { id: path, path, style: "native", about: { kind: "service" }, open: true, doc, answer }
}

/** Nothing but files of the service itself, which ask the service alone. Logos of tokens are elsewhere: none is shown. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

const html = () =>
  Effect.promise(pageFiles).pipe(
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

const chains = Effect.fnUntraced(function* () {
  const { chains } = yield* Networks
  const body = chains.map(({ chainId, network, name, nativeCurrency }) => ({
    chainId,
    network,
    ...(name === undefined ? {} : { name }),
    ...(nativeCurrency === undefined ? {} : { symbol: nativeCurrency.symbol }),
  }))
  return { asOf: [], body, fleeting: true as const }
})

const file: Endpoint["answer"] = Effect.fnUntraced(function* ({ path, param }) {
  const { version, files } = yield* Effect.promise(pageFiles)
  const found = files.get(param("file"))
  if (found === undefined || param("version") !== version) return yield* unknownPath({ path })
  return {
    asOf: [],
    body: found.text,
    headers: { "content-type": found.type, "cache-control": "public, max-age=31536000, immutable" },
  }
})

/** `UI=off` leaves all of them out. */
export const pageEndpoints: ReadonlyArray<Endpoint> = [
  page("/", "The page", html),
  page("/ui/chains.json", "The chains that the page shows", chains),
  page("/ui/{version}/{file}", "A file of the page", file),
]
