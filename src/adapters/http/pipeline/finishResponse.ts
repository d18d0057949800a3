/** Replies with the headers of every answer, and without a text that the caller has already. */
import { Effect } from "effect"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { RateLimit } from "../contract/rateLimit.ts"
import { statuses } from "../contract/statuses.ts"
import { makeAsOfReader } from "./asOf.ts"
import type { Caller } from "./caller.ts"
import { cacheHeaders, etagOf, namesTag } from "./etag.ts"
import { asOfHeaders, fixedHeaders, rateHeaders } from "./headers.ts"
import type { Incoming, Outgoing, Reply } from "./requestResponse.ts"

/** What was asked, where (undefined = nothing is there), and by whom. */
interface Asked {
  readonly request: Incoming
  readonly endpoint: Endpoint | undefined
  readonly caller: Caller
}

export const makeDresser = (rateLimit: RateLimit) => {
  const asOfReader = makeAsOfReader()
  return Effect.fnUntraced(function* ({ request, endpoint, caller }: Asked, reply: Reply) {
    const readAsOf = reply.cheap === true ? asOfReader.recent : asOfReader.read
    const asOf = reply.asOf.length > 0 ? reply.asOf : yield* readAsOf(endpoint, request.path)
    const etag = reply.validated === true ? etagOf(request, { ...reply, asOf }) : undefined
    const { status, headers, text } = namesTag(request.ifNoneMatch, etag) ? notModified(reply) : reply
    const outgoing: Outgoing = {
      status,
      headers: {
        ...fixedHeaders,
        ...cacheHeaders(etag),
        ...headers,
        ...asOfHeaders(asOf, yield* SyncStatus),
        ...rateHeaders(rateLimit.state(caller.name)),
      },
      ...(text === undefined ? {} : { text }),
      ...(reply.chunks === undefined ? {} : { chunks: reply.chunks }),
    }
    return outgoing
  })
}

/** The answer to a caller that has the text already: its headers without those of the text. */
const notModified = ({
  headers: { "content-type": _, ...headers },
}: Reply): Pick<Reply, "status" | "headers" | "text"> => ({
  status: statuses.notModified,
  headers,
})
