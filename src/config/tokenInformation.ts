/** The file of TOKEN_INFO, read with the settings: what is wrong with it is told with what is wrong with them. */
import { readFileSync, statSync } from "node:fs"
import { type Information, readInformation } from "../adapters/lists/informationFile.ts"

const mostBytes = 16 * 1024 * 1024

/** What the file says, or every problem there is with it; each line names it. `path` undefined or blank = no file. */
export const tokenInformation = (
  path: string | undefined,
): { readonly information?: Information; readonly problems: ReadonlyArray<string> } => {
  const file = path?.trim()
  if (!file) return { problems: [] }
  const refuse = (problem: string) => `TOKEN_INFO: ${JSON.stringify(file)}: ${problem}`
  let text: string
  try {
    text = readText(file)
  } catch (cause) {
    return { problems: [refuse(`cannot be read (${reasonOf(cause)})`)] }
  }
  const read = readInformation(text)
  return "problems" in read ? { problems: read.problems.map(refuse) } : { information: read, problems: [] }
}

const readText = (file: string): string => {
  const { size } = statFile(file)
  if (size > mostBytes) throw new RangeError(`more than ${mostBytes} bytes`)
  return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file))
}

const statFile = (file: string) => {
  const found = statSync(file)
  // A pipe would never end.
  if (!found.isFile()) throw new RangeError("it is no file")
  return found
}

const reasonOf = (cause: unknown): string => {
  if (cause instanceof RangeError) return cause.message
  return cause instanceof TypeError ? "it is no UTF-8" : ((cause as NodeJS.ErrnoException).code ?? "unreadable")
}
