/** A request as a span of a trace, where traces are made: its caller's trace goes on, and what is read for it are its parts. */
import { Context, Exit, Option, References, Tracer } from "effect"
import { makePerSecond } from "../../model/time/perSecond.ts"
import type { Answered } from "./answerLog.ts"
import type { Endpoint } from "./contract/endpoint.ts"

export interface RequestSpan<R> {
  /** What is done with these services is part of it. */
  readonly context: Context.Context<R>
  /** `status` undefined = the caller left. */
  readonly end: (status: number | undefined) => void
}

const parentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Of W3C's header `traceparent`; of one that is malformed nothing. */
const callersSpan = (text: string | null): Option.Option<Tracer.AnySpan> => {
  const [, traceId, spanId, flags] = parentPattern.exec(text ?? "") ?? []
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return Option.none()
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags ?? "0", 16) & 1) === 1 }))
}

const now = (): bigint => BigInt(Date.now()) * 1_000_000n

/** Of answers at hand, which are many and alike: the spans that a second may have belong to those that cost something. */
const mostAtHandPerSecond = 50
const mayTell = makePerSecond(mostAtHandPerSecond)

/** The span of an answer that was at hand, after it was found. `context` undefined = nothing was asked yet. */
export const tellAtHand = (
  context: Context.Context<never> | undefined,
  request: Request,
  { requestId, endpoint, status, tookMs }: Answered,
): void => {
  if (context === undefined || !Context.get(context, References.TracerEnabled) || !mayTell()) return
  const began = now() - BigInt(Math.round(tookMs * 1_000_000))
  openSpan(context, endpoint, request, requestId, { began, isAtHand: true }).end(status)
}

/** Its name has the template of the path, never the path: keys and addresses stand in that. */
export const openSpan = <R>(
  context: Context.Context<R>,
  endpoint: Endpoint | undefined,
  { method, headers }: Pick<Request, "method" | "headers">,
  requestId: string,
  { began = now(), isAtHand = false }: { readonly began?: bigint; readonly isAtHand?: boolean } = {},
): RequestSpan<R> => {
  const services = context as Context.Context<never>
  if (!Context.get(services, References.TracerEnabled)) return { context, end: () => {} }
  const parent = callersSpan(headers.get("traceparent"))
  const span = Context.get(services, Tracer.Tracer).span({
    name: `${knownMethods.has(method) ? method : "OTHER"} ${endpoint?.path ?? "no such path"}`,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: began,
    kind: "server",
    root: true,
    sampled: Option.match(parent, { onNone: () => true, onSome: ({ sampled }) => sampled }),
  })
  span.attribute("http.request.method", method.slice(0, 16))
  span.attribute("http.route", endpoint?.path ?? "")
  span.attribute("cowry.request_id", requestId)
  if (isAtHand) span.attribute("cowry.at_hand", true)
  return {
    context: Context.add(services, Tracer.ParentSpan, span) as Context.Context<R>,
    end: (status) => {
      if (status !== undefined) span.attribute("http.response.status_code", status)
      const isFailure = status !== undefined && status >= 500
      span.end(now(), status === undefined ? Exit.interrupt() : isFailure ? Exit.fail(`answered ${status}`) : Exit.void)
    },
  }
}

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT"])
