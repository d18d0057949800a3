/** Text that comes in pieces, line by line. */

/** The lines of `body`; of one that is broken off it throws. What is left when nobody reads on is given up. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += decoder.decode(value, { stream: !done })
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      yield* lines
      if (done) break
    }
    if (rest !== "") yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}
