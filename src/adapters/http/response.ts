/** Answers as the runtime's own responses. */

import type { Ports } from "./contract/ports.ts"
import { statuses } from "./contract/statuses.ts"
import { type Compressor, makePieceCompressor } from "./encoding/compress.ts"
import { wholeBody } from "./encoding/wholeBody.ts"
import type { Outgoing } from "./pipeline/requestResponse.ts"
import { type Run, type StreamLimits, streamOf } from "./pipeline/streaming.ts"
import { requestIdHeader } from "./requestId.ts"

/** How bodies are sent. */
export interface Sending {
  readonly run: Run<Ports>
  readonly compressor: Compressor
  /** Absent = the usual patience with clients that read streams. */
  readonly limits?: Partial<StreamLimits>
}

/** A request's name, and whether its answer has it. */
interface Named {
  readonly id: string
  isNamed?: true
}

/** Of a HEAD up to `withoutBody`: its GET would come in pieces, of a length that nobody knows. */
const inPieces = { "transfer-encoding": "chunked" }
/** It ends as it is read. With no body at all, or one that ended before, both runtimes would say that a GET has 0 bytes. */
const noPieces = () => new ReadableStream({ pull: (controller) => controller.close() }, { highWaterMark: 0 })

/** A HEAD carries its body up to `withoutBody`: Elysia measures and strips some of them itself. One in pieces never begins. */
export const toResponse = (
  { status, headers: others, alike, text, chunks, stream, encoding }: Outgoing,
  method: string,
  named: Named,
  { run, compressor, limits }: Sending,
): Response | Promise<Response> => {
  named.isNamed = true
  if (alike !== undefined && text !== undefined) return withAlike(status, text, alike, others, named.id, method)
  const headers = { ...others, [requestIdHeader]: named.id }
  if (stream !== undefined) {
    if (method !== "HEAD") return new Response(stream.open(), { status, headers })
    stream.drop()
    return new Response(null, { status, headers: { ...headers, ...inPieces } })
  }
  if (chunks !== undefined) {
    if (method !== "HEAD") {
      const ofPieces = encoding && makePieceCompressor(encoding)
      return new Response(streamOf(chunks, run, limits, ofPieces), { status, headers })
    }
    void run(chunks.close)
    return new Response(null, { status, headers: { ...headers, ...inPieces } })
  }
  if (encoding !== undefined && text !== undefined) {
    return compressor.text(text, encoding, others.etag).then((body) => {
      const length = { "content-length": String(body.byteLength) }
      return new Response(bodyFor(method, body as Uint8Array<ArrayBuffer>), {
        status,
        headers: { ...headers, ...length },
      })
    })
  }
  return new Response(text === undefined ? null : bodyFor(method, text), {
    status,
    headers: method === "HEAD" && text !== undefined ? { ...headers, "content-length": byteLength(text) } : headers,
  })
}

/** A text with the headers that it has in common with others, and its own. */
const withAlike = (
  status: number,
  text: string,
  alike: Headers,
  own: Readonly<Record<string, string>>,
  id: string,
  method: string,
): Response => {
  const response = new Response(bodyFor(method, text), { status, headers: alike })
  const { headers } = response
  for (const name in own) if (name !== "content-type") headers.set(name, own[name]!)
  headers.set(requestIdHeader, id)
  if (method === "HEAD") headers.set("content-length", byteLength(text))
  return response
}

/** Of a HEAD it is measured, and never sent. */
const bodyFor = (method: string, body: string | Uint8Array<ArrayBuffer>) => (method === "HEAD" ? body : wholeBody(body))

const byteLength = (text: string): string => String(new TextEncoder().encode(text).byteLength)

/** Elysia says of some answers without a text that it has length 0; of a 304 that would be the length of the text not sent. */
export const withoutBody = (response: Response): Response => {
  const { headers, status } = response
  if (status === statuses.notModified) headers.delete("content-length")
  if (headers.has("transfer-encoding")) {
    headers.delete("transfer-encoding")
    return new Response(noPieces(), response)
  }
  return response.body === null ? response : new Response(null, response)
}
