/** The parameters that a client sends as a form: read from the body, bounded in bytes and in time. */
import { type BodyPlace, mostBodyBytes } from "./bodyRoom.ts"
import { parseQuery, type Query } from "./contract/query.ts"
import { bodyPatienceMs } from "./pipeline/requestResponse.ts"

/** There is no room for it among all that are being read. */
export type NoRoom = "no room"

/** Nothing of a form that is too large or too slow is used. */
export type Form = { readonly pairs: Query } | { readonly problem: string } | NoRoom

const empty: Form = { pairs: [] }

/** A body that is no form has no parameters. One in parts counts by its texts, not by its files. */
export const readForm = async (request: Request, open: () => BodyPlace): Promise<Form> => {
  const type = (request.headers.get("content-type") ?? "").toLowerCase()
  const isEncoded = type === "" || type.startsWith("application/x-www-form-urlencoded")
  if (request.body === null || !(isEncoded || type.startsWith("multipart/form-data"))) return empty
  const bytes = await readBytes(request.body, open())
  if (bytes === "no room") return bytes
  if ("wanted" in bytes) return { problem: `expected a form ${bytes.wanted}, got ${bytes.got}` }
  if (isEncoded) return { pairs: parseQuery(new TextDecoder().decode(bytes).trim()) }
  const headers = { "content-type": request.headers.get("content-type") ?? "" }
  try {
    return { pairs: pairsOf(await new Response(bytes, { headers }).formData()) }
  } catch {
    return { problem: "expected a form, got a body that is none" }
  }
}

const pairsOf = (form: Forms): Query => {
  const texts = new URLSearchParams()
  form.forEach((value, name) => {
    if (typeof value === "string") texts.append(name, value)
  })
  return parseQuery(texts.toString())
}

/** A body as text, bounded like a form; or why there is none: what came, and what was expected. */
export const readText = async (
  request: Request,
  open: () => BodyPlace,
): Promise<{ readonly text: string } | { readonly problem: readonly [got: string, wanted: string] } | NoRoom> => {
  if (request.body === null) return { text: "" }
  const bytes = await readBytes(request.body, open())
  if (bytes === "no room") return bytes
  return "wanted" in bytes ? { problem: [bytes.got, `one ${bytes.wanted}`] } : { text: new TextDecoder().decode(bytes) }
}

/** What is used of a form; the runtimes' own types of it differ. */
interface Forms {
  forEach(each: (value: unknown, name: string) => void): void
}

interface Unread {
  readonly wanted: string
  readonly got: string
}

const readBytes = async (
  body: ReadableStream<Uint8Array>,
  place: BodyPlace,
): Promise<Uint8Array<ArrayBuffer> | Unread | NoRoom> => {
  const reader = body.getReader()
  const slow = Promise.withResolvers<undefined>()
  const timer = setTimeout(slow.resolve, bodyPatienceMs)
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), slow.promise])
      if (next === undefined) return { wanted: `within ${bodyPatienceMs / 1000} seconds`, got: "a part of it" }
      if (next.done) return joined(chunks, length)
      length += next.value.byteLength
      if (length > mostBodyBytes) return { wanted: `of at most ${mostBodyBytes} bytes`, got: "a larger one" }
      if (!place.take(next.value.byteLength)) return "no room"
      chunks.push(next.value)
    }
  } catch {
    return { wanted: "that comes whole", got: "one that broke off" }
  } finally {
    place.leave()
    clearTimeout(timer)
    // Whether the client still sends is nobody's concern.
    void reader.cancel().catch(() => undefined)
  }
}

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
