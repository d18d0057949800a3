/** A body that is whole when it is sent, in the form in which the runtime sends it at once. */

/** Up to so many bytes Bun sends a body and its headers together. */
const shortBytes = 16_384 - 1024
/** Of the UTF-8 of a UTF-16 unit, at most. */
const mostBytesOfUnit = 3
/** Beyond the body: what is written is held back until the body ends. */
const marginBytes = 64

const isOnBun = "Bun" in globalThis

/** Bun's own kind of source; other runtimes have none. */
interface DirectSource {
  readonly type: "direct"
  readonly pull: (sink: { readonly write: (part: string | Uint8Array) => unknown; readonly end: () => unknown }) => void
}
const DirectStream = ReadableStream as unknown as new (
  source: DirectSource,
  strategy: { readonly highWaterMark: number },
) => ReadableStream<Uint8Array>

type Whole = string | Uint8Array<ArrayBuffer>

/**
 * A long body that is there after its handler's first turn Bun sends part by part: name, separator and value of each header are
 * a packet each, some ninety of them, which cost more than the making of a page of rows. A direct stream that ends before it
 * has reached its mark leaves in one piece, of a known length.
 */
export const wholeBody = (body: Whole): Whole | ReadableStream<Uint8Array> => {
  const bytes = isOnBun ? bytesOf(body) : 0
  if (bytes < shortBytes) return body
  return new DirectStream(
    {
      type: "direct",
      pull: (sink) => {
        sink.write(body)
        sink.end()
      },
    },
    { highWaterMark: bytes + marginBytes },
  )
}

/** 0 = few, which nobody counted. */
const bytesOf = (body: Whole): number => {
  if (typeof body !== "string") return body.byteLength
  return body.length * mostBytesOfUnit < shortBytes ? 0 : Buffer.byteLength(body)
}
