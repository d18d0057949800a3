/** Who is asked again, and when: only where the service itself says to come back, and only for so long. */
import { retryAfterOf } from "./error.ts"
import { pause } from "./time.ts"

export type Fetch = (request: Request) => Promise<Response>

export interface Patience {
  /** How often a call is asked again. */
  readonly retries: number
  /** How long a call may wait for its turns in all. A wait that is longer is not begun. */
  readonly mostWaitMs: number
}

const comesBack = new Set([429, 503])

/** Of requests without a body: all are GET. */
export const patient =
  (fetch: Fetch, { retries, mostWaitMs }: Patience): Fetch =>
  async (request) => {
    let waitedMs = 0
    for (let turn = 0; ; turn++) {
      const response = await fetch(request)
      const seconds = comesBack.has(response.status) ? retryAfterOf(response.headers) : undefined
      // Never at once: who says 0 means shortly.
      const waitMs = Math.max(100, (seconds ?? 0) * 1000)
      if (seconds === undefined || turn >= retries || waitedMs + waitMs > mostWaitMs) return response
      await response.body?.cancel()
      await pause(waitMs, request.signal)
      waitedMs += waitMs
    }
  }
