/** The file of API_KEYS_FILE: which keys there are, by their SHA-256, and which of them may manage webhooks. All of it is good, or none of it counts. */
import { readFileSync, statSync } from "node:fs"

/** By digest, in hex. A digest is looked up: how long that takes tells nothing of a key. */
export interface FileKeys {
  readonly digests: ReadonlySet<string>
  readonly managers: ReadonlySet<string>
}

export type ReadKeys = FileKeys | { readonly problem: string }

const mostKeys = 100_000
const mostBytes = 16 * 1024 * 1024
const row = /^([0-9a-f]{64})(?:\s+(webhooks))?$/i

/** A digest a line, and behind it `webhooks` where its key may manage those; `#` begins a remark. A problem names the line and nothing of it: a key may stand there by mistake. */
export const readKeys = (text: string): ReadKeys => {
  const digests = new Set<string>()
  const managers = new Set<string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const said = line.replace(/#.*$/, "").trim()
    if (said === "") continue
    const [, digest, word] = row.exec(said) ?? []
    if (digest === undefined)
      return { problem: `line ${index + 1}: expected the SHA-256 of a key, 64 hex digits, and nothing or "webhooks"` }
    if (digests.size === mostKeys) return { problem: `more than ${mostKeys} keys` }
    digests.add(digest.toLowerCase())
    if (word !== undefined) managers.add(digest.toLowerCase())
  }
  return digests.size === 0 ? { problem: "no key is in it" } : { digests, managers }
}

/** Another text where the file is another, or was written to; undefined = it is not there. */
export const markOf = (path: string): string | undefined => {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch {
    return undefined
  }
}

export const readKeyFile = (path: string): ReadKeys => {
  try {
    const found = statSync(path)
    // A pipe would never end.
    if (!found.isFile()) return { problem: "it is no file" }
    if (found.size > mostBytes) return { problem: `more than ${mostBytes} bytes` }
    return readKeys(readFileSync(path, "utf8"))
  } catch (cause) {
    return { problem: `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unreadable"})` }
  }
}
