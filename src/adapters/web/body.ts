/** Reads a body of bounded size. */
import { Refusal } from "./refusal.ts"

/** Unpacked text, without a byte order mark; throws a `Refusal` for more bytes than that and for what is not UTF-8. */
export const readBounded = async (response: Response, maxBytes: number): Promise<string> => {
  const tooLarge = () => new Refusal(`more than ${maxBytes} bytes`)
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const parts: Array<Uint8Array> = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBytes) {
      reader.cancel().catch(() => {})
      throw tooLarge()
    }
    parts.push(value)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw new Refusal("the body is not UTF-8")
  }
}
