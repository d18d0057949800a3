/** Reads a local file of bounded size. */
import { open } from "node:fs/promises"
import { Effect } from "effect"
import { DocumentUnavailable } from "../../ports/WebDocuments.ts"

/** Its text; fails for what is no file, is larger than that or no UTF-8. */
export const readLocal = (path: string, maxBytes: number) =>
  Effect.tryPromise({
    try: async () => ({ text: await readText(path, maxBytes) }),
    catch: (cause) => {
      const { code } = cause as NodeJS.ErrnoException
      const reason = cause instanceof RangeError || cause instanceof TypeError ? cause.message : (code ?? "unreadable")
      return new DocumentUnavailable({ message: `${path}: cannot be read (${reason})` })
    },
  })

const readText = async (path: string, maxBytes: number): Promise<string> => {
  const file = await open(path, "r")
  try {
    const found = await file.stat()
    // A pipe would never end.
    if (!found.isFile()) throw new RangeError("it is no file")
    if (found.size > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`)
    const bytes = await file.readFile()
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } finally {
    await file.close()
  }
}
