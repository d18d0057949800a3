/** The one error of the client: what was refused, by whose word, and which parameter was meant. */
import type { ServiceCode } from "./generated/operations.ts"

/**
 * - the service's own words
 * - `EVENTS_GONE`: of a position in the feed nothing exact can be told any more
 * - `UNREACHABLE`: there was no answer
 * - `UNEXPECTED_ANSWER`: who answered is not Cowry, or not one that this client knows
 */
export type ErrorCode = ServiceCode | "NOT_FOUND" | "EVENTS_GONE" | "UNREACHABLE" | "UNEXPECTED_ANSWER"

export interface ErrorDetails {
  readonly code: ErrorCode
  readonly status?: number | undefined
  readonly parameter?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly after?: string | undefined
  readonly chainId?: string | undefined
  readonly url: string
  readonly cause?: unknown
}

export class CowryError extends Error {
  override readonly name = "CowryError"
  /** A stable word. */
  readonly code: ErrorCode
  /** Of HTTP; 0 = there was no answer, or nothing was asked. */
  readonly status: number
  /** Which parameter was wrong, of `INVALID_PARAMETER`. */
  readonly parameter: string | undefined
  /** When to ask again, as the service says. */
  readonly retryAfterSeconds: number | undefined
  /** Of `EVENTS_GONE`: where the feed can be gone on from, once all above that block is forgotten; absent = from the beginning. */
  readonly after: string | undefined
  /** Of `EVENTS_GONE` of a feed of several chains: the one whose position it is. `after` has the others as they were. */
  readonly chainId: string | undefined
  /** What was asked, without any key. */
  readonly url: string

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = details.code
    this.status = details.status ?? 0
    this.parameter = details.parameter
    this.retryAfterSeconds = details.retryAfterSeconds
    this.after = details.after
    this.chainId = details.chainId
    this.url = details.url
  }
}

/** Seconds, or a date; undefined = neither. */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get("retry-after")
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const isProblem = (body: unknown): body is { readonly code: ErrorCode; readonly message: string } =>
  typeof body === "object" &&
  body !== null &&
  typeof (body as { code?: unknown }).code === "string" &&
  typeof (body as { message?: unknown }).message === "string"

/** Of an answer that is none. `text`: its body. */
export const refusalOf = (
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  url: string,
): CowryError => {
  const retryAfterSeconds = retryAfterOf(headers)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  if (!isProblem(body)) {
    const message = `expected an answer of Cowry, got status ${status}: ${text.slice(0, 200)}`
    return new CowryError(message, { code: "UNEXPECTED_ANSWER", status, retryAfterSeconds, url })
  }
  const { code, message } = body
  const parameter = code === "INVALID_PARAMETER" ? /^([\w-]+): /.exec(message)?.[1] : undefined
  const after = code === "EVENTS_GONE" ? /\bgo on with after=(\S+)/.exec(message)?.[1] : undefined
  const chainId = code === "EVENTS_GONE" ? /^chain (\d+): /.exec(message)?.[1] : undefined
  return new CowryError(message, { code, status, parameter, retryAfterSeconds, after, chainId, url })
}
