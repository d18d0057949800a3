/** Lines of a stream of bytes, each whole: what ends in the middle of one is a fault. */
import { Malformed } from "../wire/shapes.ts"

/** Milliseconds without a byte: then it has died. So it has where no line that says something is whole for twice as long. */
export interface LineLimits {
  /** Of one line. */
  readonly mostBytes: number
  readonly silenceMs: number
  /** Of a text that is no list of JSON objects the last line may end with anything. */
  readonly isText?: boolean
}

/** Of one line, unpacked: a block with all its logs. Far more than any has, and little enough for a few chains at once. */
export const mostLineBytes = 64 * 1024 * 1024

const newline = 10

/** Lists of lines as they come. Throws `Malformed`. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  { mostBytes, silenceMs, isText = false }: LineLimits,
): AsyncGenerator<ReadonlyArray<string>> {
  const reader = body.getReader()
  let wholeAt = performance.now()
  let parts: Array<Uint8Array> = []
  let size = 0
  const refuseLate = () => {
    if (performance.now() - wholeAt > 2 * silenceMs)
      throw new Malformed(`no line was whole for ${(2 * silenceMs) / 1000} s`)
  }
  try {
    while (true) {
      const { done, value } = await within(reader.read(), silenceMs)
      if (done) break
      const end = value.lastIndexOf(newline)
      if (end === -1) {
        parts.push(value)
        size += value.length
        if (size > mostBytes) throw new Malformed(`a line of more than ${mostBytes} bytes`)
        refuseLate()
        continue
      }
      const text = Buffer.concat([...parts, value.subarray(0, end)]).toString("utf8")
      parts = end + 1 < value.length ? [value.slice(end + 1)] : []
      size = value.length - end - 1
      const lines = text.split("\n").filter((line) => line.trim() !== "")
      // Blank ones say nothing, however many come.
      if (lines.length === 0) {
        refuseLate()
        continue
      }
      yield lines
      wholeAt = performance.now()
    }
    const rest = Buffer.concat(parts).toString("utf8").trim()
    if (rest === "") return
    // The last line may lack its end; one that was cut is no JSON.
    if (!isText && !rest.endsWith("}")) throw new Malformed("the stream ended in the middle of a line")
    yield [rest]
  } finally {
    reader.cancel().catch(() => {})
  }
}

const within = async <Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Malformed(`nothing came for ${milliseconds / 1000} s`)), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
