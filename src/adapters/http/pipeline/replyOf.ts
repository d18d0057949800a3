/** An endpoint's answer as a reply: its text, or its pieces, and the headers that it has of itself. */
import { Effect } from "effect"
import type { Answer, TextChunks } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { statuses } from "../contract/statuses.ts"
import type { FailureLog } from "./failureLog.ts"
import { jsonHeaders } from "./headers.ts"
import { ignoredHeader } from "./ignored.ts"
import type { Incoming, Reply } from "./requestResponse.ts"

/** The same, which names the parameters that were ignored. */
export const telling = (endpoint: Endpoint | undefined, { query }: Incoming, reply: Reply): Reply => {
  const ignored = ignoredHeader(endpoint, query)
  return ignored === undefined ? reply : { ...reply, headers: { ...reply.headers, ...ignored } }
}

/**
 * The same, with what it may be to others. What answers a form is nothing to keep: a URL alone names what is kept. What was
 * made while the audit could not be read may be a figure that the audit knows to be wrong: it is made anew for each.
 */
export const forOthers = (answer: Answer, { method }: Incoming, isUnaudited: boolean): Answer => {
  if (method === "POST") return { ...answer, fleeting: true }
  return isUnaudited ? { ...answer, ofNode: true } : answer
}

export const replyOf = (
  {
    asOf,
    chains = 1,
    body,
    chunks,
    stream,
    status = statuses.ok,
    headers,
    fleeting,
    outside,
    ofNode,
    figuresOf,
  }: Answer,
  log: FailureLog,
): Reply => ({
  status,
  chains,
  headers: { ...jsonHeaders, ...headers, ...(outside && { "x-served-by": outside }) },
  ...(outside && { outside }),
  ...(stream !== undefined
    ? { stream }
    : chunks === undefined
      ? { text: bodyText(body, headers) }
      : { chunks: logged(chunks, log) }),
  asOf,
  ...(ofNode === undefined ? {} : { ofNode }),
  ...(figuresOf === undefined ? {} : { figuresOf }),
  validated: status === statuses.ok && fleeting !== true && chunks === undefined && stream === undefined,
})

/** The same pieces; the log says why they end before the last, unless the client left. */
const logged = ({ pull, close, ...chunks }: TextChunks, log: FailureLog): TextChunks => {
  let closed = false
  return {
    ...chunks,
    pull: Effect.tapCause(pull, (cause) =>
      closed ? Effect.void : log.warn("stream", "a streamed answer was broken off", cause),
    ),
    close: Effect.andThen(
      Effect.sync(() => {
        closed = true
      }),
      close,
    ),
  }
}

const bodyText = (body: unknown, headers: Answer["headers"]): string =>
  typeof body === "string" && headers?.["content-type"] !== undefined ? body : JSON.stringify(body)
