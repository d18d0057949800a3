/** The rows of paths that were asked for before, as Elysia found them: many requests differ by their query alone. */
import type { Endpoint } from "./contract/endpoint.ts"
import { pathAndQueryOf } from "./contract/query.ts"
import { targetOf } from "./target.ts"

export interface Rows {
  /** undefined = it is Elysia's to find: of a HEAD, which it answers by the GET's length, always. */
  readonly find: (request: Request) => Endpoint | undefined
  readonly keep: (request: Request, endpoint: Endpoint) => void
}

/** Whoever asks for many others begins it anew. */
const mostKept = 1000
const longestPath = 200

const pathOf = ({ url }: Request): string => pathAndQueryOf(targetOf(url))[0]

export const makeRows = (): Rows => {
  const rows = new Map<string, Endpoint>()
  return {
    find: (request) => (request.method === "GET" ? rows.get(pathOf(request)) : undefined),
    keep: (request, endpoint) => {
      const path = pathOf(request)
      if (path.length > longestPath) return
      if (rows.size >= mostKept && !rows.has(path)) rows.clear()
      rows.set(path, endpoint)
    },
  }
}
