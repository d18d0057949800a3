/** Work over the web that ends in time, whatever the other side does. */
import { Refusal } from "./refusal.ts"

export interface Bounded {
  /** Raised when the time is over. */
  readonly signal: AbortSignal
  /** The same promise, or a `Refusal` when the time is over: a mocked or odd body may not heed the signal. */
  readonly race: <A>(work: Promise<A>) => Promise<A>
}

/** Rejects with a `Refusal` after `timeoutMs`. Whatever is still on its way when the work ends is ended too. */
export const inTime = async <A>(
  timeoutMs: number,
  interrupted: AbortSignal,
  work: (bounded: Bounded) => Promise<A>,
): Promise<A> => {
  const controller = new AbortController()
  const { signal } = controller
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Refusal(`no whole answer within ${timeoutMs / 1000} s`)))
  })
  ended.catch(() => {})
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  interrupted.addEventListener("abort", abort)
  try {
    return await work({ signal, race: (promise) => Promise.race([promise, ended]) })
  } finally {
    clearTimeout(timer)
    interrupted.removeEventListener("abort", abort)
    controller.abort()
  }
}
