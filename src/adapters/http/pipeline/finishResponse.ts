/** Replies with the headers of every answer, and without a text that the caller has already. */
import { Effect } from "effect"
import type { AsOf } from "../../../model/block.ts"
import type { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { RateLimit, RateState } from "../contract/rateLimit.ts"
import { statuses } from "../contract/statuses.ts"
import { acceptedEncoding, type Encoding, leastBytes, tagOf } from "../encoding/accepted.ts"
import { cacheHeaders, etagOf, namesTag } from "../kept/etag.ts"
import { makeAsOfReader } from "./asOf.ts"
import type { Caller } from "./caller.ts"
import { asOfHeaders, fixedHeaders, headersAlike, jsonHeaders, rateHeaders } from "./headers.ts"
import type { Incoming, Outgoing, Reply } from "./requestResponse.ts"

/** What was asked, where (undefined = nothing is there), and by whom. */
interface Asked {
  readonly request: Incoming
  readonly endpoint: Endpoint | undefined
  readonly caller: Caller
}

export const makeDresser = (rateLimit: RateLimit) => {
  const asOfReader = makeAsOfReader()
  /** Gives an effect only where the points must be asked for. */
  return ({ request, endpoint, caller }: Asked, reply: Reply, syncStatus: SyncStatus["Service"]) => {
    const dressed = (asOf: ReadonlyArray<AsOf>): Outgoing => {
      const etag =
        reply.etag ??
        (reply.validated === true
          ? etagOf(request, { ...reply, asOf, isOfFigures: reply.figuresOf !== undefined })
          : undefined)
      const rate = rateLimit.state(caller.name)
      const { ifNoneMatch, acceptEncoding } = request
      return outgoingOf(reply, etag, { ifNoneMatch, acceptEncoding, asOf, syncStatus, rate })
    }
    if (reply.asOf.length > 0 || reply.isRead === true || reply.outside !== undefined) return dressed(reply.asOf)
    const readAsOf = reply.cheap === true ? asOfReader.recent : asOfReader.read
    return Effect.map(readAsOf(endpoint, request), dressed)
  }
}

/** What an answer is told of the moment and the caller. */
interface Moment {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  readonly asOf: ReadonlyArray<AsOf>
  readonly syncStatus: SyncStatus["Service"]
  readonly rate: RateState
}

/** With the headers of every answer, in the coding that the caller likes best, and without a text that it has already. */
export const outgoingOf = (
  reply: Pick<Reply, "status" | "headers" | "text" | "chunks" | "stream">,
  etag: string | undefined,
  { ifNoneMatch, acceptEncoding, asOf, syncStatus, rate }: Moment,
): Outgoing => {
  const encoding = encodingOf(reply, acceptEncoding)
  const tag = etag && tagOf(etag, encoding)
  const ofPoints = asOfHeaders(asOf, syncStatus)
  const ofRate = rateHeaders(rate)
  if (ifNoneMatch === undefined && encoding === undefined && isPlainJson(reply)) {
    const alike = headersAlike(ofPoints, ofRate)
    const { status, headers, text } = reply
    if (alike !== undefined) return { status, alike, headers: { ...headers, ...cacheHeaders(tag) }, text }
  }
  const { status, headers, text } = ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag) ? notModified(reply) : reply
  const isEncoded = encoding !== undefined && (text !== undefined || reply.chunks !== undefined)
  const all = {
    ...fixedHeaders,
    ...cacheHeaders(tag),
    ...headers,
    ...encodingHeaders(headers, isEncoded ? encoding : undefined),
    ...ofPoints,
    ...ofRate,
  }
  // What most answers are is put together without a copy of each part.
  if (text !== undefined && encoding === undefined) return { status, headers: all, text }
  return {
    status,
    headers: all,
    ...(text === undefined ? {} : { text }),
    ...(reply.chunks === undefined ? {} : { chunks: reply.chunks }),
    ...(reply.stream === undefined ? {} : { stream: reply.stream }),
    ...(isEncoded ? { encoding } : {}),
  }
}

/** A text as most have it, of blocks that are known. */
const isPlainJson = <Of extends Pick<Reply, "headers" | "text">>(reply: Of): reply is Of & { readonly text: string } =>
  reply.text !== undefined &&
  reply.headers["content-type"] === jsonHeaders["content-type"] &&
  reply.headers.vary === undefined

/** One that is in a coding already stays in it. */
const encodingOf = (
  { text, chunks, headers }: Pick<Reply, "headers" | "text" | "chunks">,
  acceptEncoding: string | undefined,
): Encoding | undefined => {
  const isWorthIt = chunks !== undefined || (text !== undefined && text.length >= leastBytes)
  return isWorthIt && headers["content-encoding"] === undefined ? acceptedEncoding(acceptEncoding) : undefined
}

/** Every answer says that it might have come in another coding. */
const encodingHeaders = ({ vary }: Readonly<Record<string, string>>, encoding: Encoding | undefined) => ({
  vary: vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`,
  ...(encoding === undefined ? {} : { "content-encoding": encoding }),
})

/** The answer to a caller that has the text already: its headers without those of the text. */
const notModified = ({
  headers: { "content-type": _, ...headers },
}: Pick<Reply, "headers">): Pick<Reply, "status" | "headers" | "text"> => ({
  status: statuses.notModified,
  headers,
})
