/** The lock of a data folder kept fresh for as long as its owner lives, whatever the disk says meanwhile. */
import { Duration, Effect } from "effect"
import { messageOf } from "../../model/outside/cause.ts"
import { BELIEVED_MS, type FolderLock, TOUCH_MS } from "./lock.ts"

/** Ends when the folder has another owner. Of errors in a row the log has the first. */
export const keepLock = Effect.fnUntraced(function* (lock: Pick<FolderLock, "touch">, dataDir: string) {
  let isFailing = false
  while (true) {
    yield* Effect.sleep(Duration.millis(TOUCH_MS))
    const touched = yield* Effect.result(Effect.try({ try: lock.touch, catch: messageOf }))
    if (touched._tag === "Failure") {
      if (!isFailing) {
        yield* Effect.logError(
          `the lock in DATA_DIR ${dataDir} cannot be touched, and is tried every ${TOUCH_MS / 1000} s: ${touched.failure}. After ${BELIEVED_MS / 1000} s a Cowry on another host or in another container takes the folder for nobody's: start none`,
        )
      }
      isFailing = true
      continue
    }
    if (touched.success === "another's") return
    if (isFailing) yield* Effect.logInfo(`the lock in DATA_DIR ${dataDir} is touched again`)
    isFailing = false
  }
})
