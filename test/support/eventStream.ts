/** Reads a stream of events until it has told enough, then leaves. */

export interface Told {
  readonly type: string
  /** The position behind it: what `after` takes. */
  readonly position: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Taken {
  readonly status: number
  /** Of a refusal. */
  readonly problem?: { readonly code: string; readonly message: string }
  readonly told: ReadonlyArray<Told>
}

/** `url` with its query. Throws where the stream ends, or a minute is over, before `enough` holds. */
export const takeEvents = async (
  url: string,
  enough: (told: ReadonlyArray<Told>) => boolean,
  get: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Promise<Taken> => {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), 60_000)
  const told: Array<Told> = []
  try {
    const response = await get(url, { signal: over.signal })
    if (response.status !== 200) return { status: response.status, problem: (await response.json()) as never, told }
    const reader = response.body!.getReader()
    over.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}))
    const decoder = new TextDecoder()
    for (let text = ""; ; ) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`${url} ended after ${JSON.stringify(told).slice(0, 1000)}`)
      const frames = (text + decoder.decode(value, { stream: true })).split("\n\n")
      text = frames.pop()!
      for (const frame of frames) {
        const found = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(frame)
        if (found !== null) told.push({ position: found[1]!, type: found[2]!, data: JSON.parse(found[3]!) })
      }
      if (enough(told)) return { status: 200, told }
    }
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}
