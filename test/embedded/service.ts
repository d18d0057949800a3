/** A service that is only its embedded server: says `{"url"}` or `{"failed"}` on a line, then lives until SIGTERM. */
import { Effect } from "effect"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"

const stopped = new AbortController()
process.on("SIGTERM", () => stopped.abort())
// A suite that is killed takes its services along.
process.stdin.on("end", () => stopped.abort()).resume()

const service = Effect.gen(function* () {
  const { url } = yield* startEmbedded({ dataDir: process.argv[2]! })
  console.log(JSON.stringify({ url }))
  // A timer, so that the process has a reason to live.
  yield* Effect.sleep("1 hour")
}).pipe(Effect.catch(({ message }) => Effect.sync(() => console.log(JSON.stringify({ failed: message })))))

await Effect.runPromiseExit(Effect.scoped(service), { signal: stopped.signal })
process.exit(0)
