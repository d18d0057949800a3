/** Waiting that can be given up. */

/** A timer of more milliseconds fires at once. */
const longestTimerMs = 2 ** 31 - 1

export const timer = (work: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(work, Math.min(ms, longestTimerMs))

/** Rejects with the signal's reason as soon as it is given up. */
export const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(waiting)
      reject(signal?.reason)
    }
    const waiting = timer(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    signal?.addEventListener("abort", end, { once: true })
  })
