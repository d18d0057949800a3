/** The log of PostgreSQL's programs: kept from growing for as long as they write it. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { Duration, Effect } from "effect"

/** A log longer than this, in bytes, is put aside; the one before it goes. */
const LOG_BYTES = 16_000_000
const CHUNK_BYTES = 1_000_000
const LOOK_MS = 5_000

/** Where the programs write what they have to say. */
export const openLog = (dataDir: string): string => {
  const path = join(dataDir, "postgres.log")
  if (existsSync(path) && statSync(path).size > LOG_BYTES) renameSync(path, `${path}.1`)
  return path
}

/**
 * The server keeps the file open, to append: a renamed one it would write on. So the end is copied and the file emptied; a
 * line that is written between the two is lost.
 */
const putAside = (path: string): void => {
  const { size } = statSync(path)
  if (size <= LOG_BYTES) return
  const log = openSync(path, "r+")
  try {
    copyFrom(log, size - LOG_BYTES, `${path}.1`)
  } catch {
    // On a full disk the room that the log takes counts for more than what it says.
    rmSync(`${path}.1`, { force: true })
  } finally {
    try {
      ftruncateSync(log)
    } finally {
      closeSync(log)
    }
  }
}

const copyFrom = (log: number, from: number, target: string): void => {
  const copy = openSync(target, "w", 0o600)
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let done = 0; done < LOG_BYTES; done += chunk.length)
      writeSync(copy, chunk, 0, readSync(log, chunk, 0, chunk.length, from + done))
  } finally {
    closeSync(copy)
  }
}

/** Looks at the log from time to time. One that cannot be put aside is said to be so once, and tried again. */
export const keepLogShort = Effect.fnUntraced(function* (path: string) {
  let isFailing = false
  while (true) {
    yield* Effect.sleep(Duration.millis(LOOK_MS))
    const done = yield* Effect.result(Effect.try({ try: () => putAside(path), catch: String }))
    if (done._tag === "Failure" && !isFailing) yield* Effect.logError(`${path} cannot be kept short: ${done.failure}`)
    isFailing = done._tag === "Failure"
  }
})
