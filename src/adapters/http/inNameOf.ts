/** Questions that a request asks in its caller's name, and what is sent on with them. */
import type { Client } from "./contract/call.ts"
import { requestIdHeader } from "./requestId.ts"

/** The key by which it came, its name, and the blocks that no answer may be older than. */
const headersInNameOf = (sent: Headers, key: string | undefined, id: string): Record<string, string> => {
  const minBlock = sent.get("x-min-block")
  return {
    ...(key === undefined ? {} : { apikey: key }),
    ...(minBlock === null ? {} : { "x-min-block": minBlock }),
    [requestIdHeader]: id,
  }
}

/** Whoever sent the request, which is called `id`. `ask`: who answers in its name. */
export const clientInNameOf =
  (request: Request, id: string, ask: (question: Request) => Promise<Response>) =>
  (key: string | undefined): Client => ({
    header: (name) => request.headers.get(name),
    ask: (target) => {
      const headers = headersInNameOf(request.headers, key, id)
      return ask(new Request(`http://localhost${target}`, { headers, signal: request.signal }))
    },
  })
