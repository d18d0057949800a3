/** The feed of changes as one endless iterator: connections come and go below it, the position stays. */
import { type Change, changeTypes, integersOf, type Standard } from "./changes.ts"
import { CowryError, refusalOf } from "./error.ts"
import { type Frame, frameReader } from "./frames.ts"
import { linesOf } from "./lines.ts"
import type { Fetch } from "./patience.ts"
import { withRaw } from "./raw.ts"
import { minBlockOf, type Seen, see } from "./seen.ts"
import { pause, timer } from "./time.ts"

/** Values of one are joined by OR, several by AND. */
export interface FeedQuery {
  readonly kinds?: ReadonlyArray<"transfer" | "swap" | "token">
  readonly standard?: ReadonlyArray<Standard>
  readonly tokenAddress?: ReadonlyArray<string>
  readonly address?: ReadonlyArray<string>
  readonly from?: ReadonlyArray<string>
  readonly to?: ReadonlyArray<string>
  /** `finalized`: rows of final blocks alone. */
  readonly delivery?: "instant" | "finalized"
  /** A position, or `beginning`; absent = from now on. */
  readonly after?: string
}

export interface FeedOptions {
  readonly signal?: AbortSignal
  /** A connection that tells nothing for so long is given up for another: 45,000. Signs of life come every 15 seconds. */
  readonly silenceMs?: number
  /** Where each connection failed for so long, from the first that did, the feed ends with an `UNREACHABLE`: 600,000. */
  readonly giveUpMs?: number
  /** Told of each connection that was lost or not had, and when the next is tried. */
  readonly onInterrupted?: (cause: unknown, waitMs: number) => void
}

export interface FeedSettings {
  readonly url: string
  /** Or `all`. */
  readonly chainId: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  /** Absent = what was seen is not remembered. */
  readonly seen?: Seen | undefined
}

const firstWaitMs = 500
const longestWaitMs = 15_000

/** A connection that broke; `retryAfterSeconds`: when to come back, where the service said so. */
class Interrupted extends Error {
  readonly retryAfterSeconds: number
  constructor(cause: unknown, retryAfterSeconds = 0) {
    super("the connection broke", { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Ends only by an error, or where nobody reads on. */
export async function* feedOf(
  settings: FeedSettings,
  query: FeedQuery,
  options: FeedOptions,
): AsyncGenerator<Change, never, undefined> {
  const { signal, giveUpMs = 600_000, onInterrupted } = options
  let { after: position } = query
  let failures = 0
  /** When the first of these failed; undefined = none did. Not when the last change came: a process that was paused since has tried nothing. */
  let failingSince: number | undefined
  for (;;) {
    try {
      for await (const change of connection(
        settings,
        { ...query, ...(position === undefined ? {} : { after: position }) },
        options,
      )) {
        failures = 0
        failingSince = undefined
        position = change.position
        yield change
      }
    } catch (cause) {
      signal?.throwIfAborted()
      if (!(cause instanceof Interrupted)) throw cause
      const growing = Math.min(longestWaitMs, firstWaitMs * 2 ** failures++)
      // Not all that were cut off come back at once.
      const waitMs = Math.max(cause.retryAfterSeconds * 1000, growing * (0.5 + Math.random() / 2))
      failingSince ??= performance.now()
      if (performance.now() - failingSince + waitMs > giveUpMs) throw givenUp(settings.url, cause.cause)
      onInterrupted?.(cause.cause, waitMs)
      await pause(waitMs, signal)
    }
  }
}

/** Also where the service itself refused each time: its word is the cause. */
const givenUp = (url: string, cause: unknown): CowryError => {
  const { status, retryAfterSeconds } = cause instanceof CowryError ? cause : {}
  return new CowryError(`no feed of ${url}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    code: "UNREACHABLE",
    status,
    retryAfterSeconds,
    url,
    cause,
  })
}

/** What one connection tells. Throws `Interrupted` where it ends. */
async function* connection(
  settings: FeedSettings,
  query: FeedQuery,
  { signal, silenceMs = 45_000 }: FeedOptions,
): AsyncGenerator<Change, void, undefined> {
  const link = new AbortController()
  const leave = () => link.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener("abort", leave, { once: true })
  let silence: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    clearTimeout(silence)
    silence = timer(() => link.abort(new Error(`nothing was told for ${silenceMs} ms`)), silenceMs)
  }
  listen()
  try {
    const body = await opened(settings, query, link.signal)
    const read = frameReader()
    for await (const line of linesOf(body)) {
      // Not while the reader is at work: what he has not read yet is no silence.
      clearTimeout(silence)
      const frame = read(line)
      const change = frame === undefined ? undefined : changeOf(frame, settings.url)
      if (change !== undefined) {
        remember(settings.seen, change)
        yield change
      }
      listen()
    }
    throw new Error("the service ended the connection")
  } catch (cause) {
    if (cause instanceof CowryError || cause instanceof Interrupted) throw cause
    throw new Interrupted(link.signal.aborted ? link.signal.reason : cause)
  } finally {
    clearTimeout(silence)
    signal?.removeEventListener("abort", leave)
    link.abort()
  }
}

/** What was taken back may be of a block that there is no more, and what is final of one that is not indexed yet. */
const remember = (seen: Seen | undefined, { type, data }: Change): void => {
  if (type !== "retract" && type !== "finalized") see(seen, data.chainId, data.block)
}

const opened = async (
  { url, chainId, headers, fetch, seen }: FeedSettings,
  { after, ...filter }: FeedQuery,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> => {
  const query = new URLSearchParams(
    Object.entries(filter).flatMap(
      ([name, value]): ReadonlyArray<[string, string]> => (value === undefined ? [] : [[name, String(value)]]),
    ),
  )
  // The beginning is no id of an event.
  if (after === "beginning") query.set("after", after)
  const minBlock = minBlockOf({}, chainId, seen, url)
  const request = new Request(query.size === 0 ? url : `${url}?${query}`, {
    headers: {
      ...headers,
      accept: "text/event-stream",
      ...(after === undefined || after === "beginning" ? {} : { "last-event-id": after }),
      ...(minBlock === "" ? {} : { "x-min-block": minBlock }),
    },
    cache: "no-store",
    signal,
  })
  const response = await fetch(request)
  const isFeed = (response.headers.get("content-type") ?? "").startsWith("text/event-stream")
  if (response.ok && isFeed && response.body !== null) return response.body
  const refusal = refusalOf(response, await response.text(), url)
  // Of a service that starts, or a proxy without one behind it: it passes.
  const passes = response.status === 429 || response.status >= 500
  throw passes ? new Interrupted(refusal, refusal.retryAfterSeconds) : refusal
}

const changeOf = ({ event, data, id }: Frame, url: string): Change | undefined => {
  const body = JSON.parse(data) as {
    readonly retracts?: string
    readonly chainId?: string
    readonly message?: string
    readonly after?: string
  }
  if (event === "gone") {
    throw new CowryError(body.message ?? "the position is gone", {
      code: "EVENTS_GONE",
      status: 410,
      after: body.after,
      chainId: body.chainId,
      url,
    })
  }
  if (!changeTypes.has(event) || id === undefined) return undefined
  const integers = integersOf[body.retracts ?? event]
  return {
    type: event,
    position: id,
    data: integers === undefined ? body : withRaw(body, integers),
  } as unknown as Change
}
