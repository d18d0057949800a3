/** The keys of a file, as it is at the moment: read anew when it changes. A broken one changes nothing, and is told of. */
import { Effect } from "effect"
import { type FileKeys, markOf, readKeyFile } from "./keyFile.ts"

const lookEvery = "1 second"

/**
 * The keys of now. A file is read anew at the second look in a row that finds it the same: whoever is still writing to it
 * is let finish. Fails where the file cannot be used at the start.
 */
export const watchKeys = Effect.fn("watchKeys")(function* (path: string) {
  const name = `API_KEYS_FILE ${JSON.stringify(path)}`
  let seen = markOf(path)
  let taken = seen
  const first = readKeyFile(path)
  if ("problem" in first) return yield* Effect.die(new Error(`${name}: ${first.problem}`))
  let keys: FileKeys = first
  const look = Effect.suspend(() => {
    const mark = markOf(path)
    const isSettled = mark === seen
    seen = mark
    if (!isSettled || mark === taken) return Effect.void
    taken = mark
    const read = readKeyFile(path)
    if ("problem" in read) return Effect.logWarning(`${name}: ${read.problem}; the keys of before go on to count`)
    const gone = [...keys.digests].filter((digest) => !read.digests.has(digest)).length
    const more = read.digests.size - keys.digests.size + gone
    keys = read
    return Effect.logInfo(`${name}: ${read.digests.size} keys from now on, ${more} new, ${gone} gone`)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(look, lookEvery)))
  return () => keys
})
