/** Where the page is: itself at `/`, its files, and the chains that it shows. Open to everybody; what it shows may need a key. */
import { Effect } from "effect"
import { Networks } from "../../../ports/Networks.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { fileAnswer, htmlAnswer, pageRow } from "../contract/webPage.ts"
import { unknownPath } from "../pipeline/faultReply.ts"
import { pageFiles } from "./files.ts"

/** Logos of tokens are elsewhere: none is shown. */
const html = htmlAnswer(pageFiles, { images: "'self'", forms: "'self'" })

const chains = Effect.fnUntraced(function* () {
  const { chains } = yield* Networks
  const body = chains.map(({ chainId, network, name }) => ({
    chainId,
    network,
    ...(name === undefined ? {} : { name }),
  }))
  return { asOf: [], body, fleeting: true as const }
})

const file: Endpoint["answer"] = Effect.fnUntraced(function* ({ path, param }) {
  const { version, files } = yield* Effect.promise(pageFiles)
  const found = files.get(param("file"))
  if (found === undefined || param("version") !== version) return yield* unknownPath({ path })
  return fileAnswer(found)
})

/** `UI=off` leaves all of them out. */
export const pageEndpoints: ReadonlyArray<Endpoint> = [
  pageRow("/", "The page", html),
  pageRow("/ui/chains.json", "The chains that the page shows", chains),
  pageRow("/ui/{version}/{file}", "A file of the page", file),
]
