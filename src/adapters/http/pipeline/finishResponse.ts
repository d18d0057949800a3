/** Replies with the headers of every answer, and without a text that the caller has already. */
import { Effect } from "effect"
import type { AsOf } from "../../../model/block.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { RateLimit, RateState } from "../contract/rateLimit.ts"
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
    const isKnown = reply.asOf.length > 0 || reply.outside !== undefined
    const asOf = isKnown ? reply.asOf : yield* readAsOf(endpoint, request)
    const etag = reply.etag ?? (reply.validated === true ? etagOf(request, { ...reply, asOf }) : undefined)
    return outgoingOf(reply, etag, {
      ifNoneMatch: request.ifNoneMatch,
      asOf,
      syncStatus: yield* SyncStatus,
      rate: rateLimit.state(caller.name),
    })
  })
}

/** What an answer is told of the moment and the caller. */
interface Moment {
  readonly ifNoneMatch: string | undefined
  readonly asOf: ReadonlyArray<AsOf>
  readonly syncStatus: SyncStatus["Service"]
  readonly rate: RateState
}

/** With the headers of every answer, and without a text that the caller has already. */
export const outgoingOf = (
  reply: Pick<Reply, "status" | "headers" | "text" | "chunks" | "stream">,
  etag: string | undefined,
  { ifNoneMatch, asOf, syncStatus, rate }: Moment,
): Outgoing => {
  const { status, headers, text } = namesTag(ifNoneMatch, etag) ? notModified(reply) : reply
  return {
    status,
    headers: {
      ...fixedHeaders,
      ...cacheHeaders(etag),
      ...headers,
      ...asOfHeaders(asOf, syncStatus),
      ...rateHeaders(rate),
    },
    ...(text === undefined ? {} : { text }),
    ...(reply.chunks === undefined ? {} : { chunks: reply.chunks }),
    ...(reply.stream === undefined ? {} : { stream: reply.stream }),
  }
}

/** The answer to a caller that has the text already: its headers without those of the text. */
const notModified = ({
  headers: { "content-type": _, ...headers },
}: Pick<Reply, "headers">): Pick<Reply, "status" | "headers" | "text"> => ({
  status: statuses.notModified,
  headers,
})
