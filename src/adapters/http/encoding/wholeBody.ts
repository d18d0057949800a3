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

/**
 * A long body that is there after its handler's first turn Bun sends part by part: name, separator and value of each header are
 * a packet each, some ninety of them, which cost more than the making of a page of rows. A direct stream that ends before it
 * has reached its mark leaves in one piece, of a known length.
 */
export const wholeBody = (body: string | Uint8Array): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
  const bytes = isOnBun ? leastBytesOf(body) : 0
  if (bytes < shortBytes) return body as string | Uint8Array<ArrayBuffer>
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

/** Exactly, where it may be as many as are long. */
const leastBytesOf = (body: string | Uint8Array): number => {
  if (typeof body !== "string") return body.byteLength
  return body.length * mostBytesOfUnit < shortBytes ? 0 : Buffer.byteLength(body)
}
