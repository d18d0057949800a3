/** Waiting that can be given up. */

/** Rejects with the signal's reason as soon as it is given up. */
export const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    signal?.addEventListener("abort", end, { once: true })
  })
