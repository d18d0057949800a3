/** How long a request is waited for: until its caller leaves, or its time is over. */

/** Why nobody waits any more: the caller left, or the time is over. */
export type Stop = "gone" | "late"

export interface Patience {
  readonly stopped: () => Stop | undefined
  /** What is done once nobody waits any more: at once where that is so already. One thing at a time; absent = nothing. */
  readonly onStop: (act?: () => void) => void
  /** From now on the time counts. */
  readonly limit: (milliseconds: number) => void
  /** The request has its answer. */
  readonly end: () => void
}

export const makePatience = (signal?: AbortSignal): Patience => {
  let stop: Stop | undefined
  let act: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopFor = (why: Stop): void => {
    stop ??= why
    act?.()
  }
  const leave = (): void => stopFor("gone")
  if (signal?.aborted === true) leave()
  else signal?.addEventListener("abort", leave)
  return {
    stopped: () => stop,
    onStop: (next) => {
      act = next
      if (stop !== undefined) act?.()
    },
    limit: (milliseconds) => {
      timer = setTimeout(stopFor, milliseconds, "late")
    },
    end: () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", leave)
    },
  }
}
