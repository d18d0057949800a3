/** What was asked of this process: requests by endpoint and outcome, and how long they took. A few numbers an endpoint, whatever is asked. */
import { type Kind, problems } from "../contract/statuses.ts"
import type { Family, Sample } from "./exposition.ts"

export interface Traffic {
  /** `endpoint` undefined = no such path; `status` undefined = the caller left before the answer. `fault`: why it is a refusal. */
  readonly count: (endpoint: string | undefined, status: number | undefined, tookMs: number, fault?: Kind) => void
  readonly families: () => ReadonlyArray<Family>
}

/** Upper bounds of durations. */
const boundsSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]

interface Counts {
  /** By class of status; of failures by `5xx` and their kind. */
  readonly outcomes: Map<string, number>
  /** Of each bound the requests that took longer than the bound before; the last is of those beyond all. */
  readonly durations: Array<number>
  seconds: number
}

export const makeTraffic = (): Traffic => {
  const counts = new Map<string, Counts>()
  let rateLimited = 0
  const countsOf = (endpoint: string): Counts => {
    const found = counts.get(endpoint)
    if (found !== undefined) return found
    const made = { outcomes: new Map(), durations: [...boundsSeconds, 0].fill(0), seconds: 0 }
    counts.set(endpoint, made)
    return made
  }
  return {
    count: (endpoint = "none", status, tookMs, fault) => {
      const of = countsOf(endpoint)
      const outcome = outcomeOf(status, fault)
      of.outcomes.set(outcome, (of.outcomes.get(outcome) ?? 0) + 1)
      if (status === problems.RateLimited.status) rateLimited++
      const seconds = tookMs / 1000
      const index = boundsSeconds.findIndex((bound) => seconds <= bound)
      of.durations[index === -1 ? boundsSeconds.length : index]!++
      of.seconds += seconds
    },
    families: () => [
      {
        name: "cowry_http_requests_total",
        type: "counter",
        help: "Requests answered, by endpoint and class of status, 5xx by why; gone = the caller left before the answer.",
        samples: [...counts].flatMap(([endpoint, { outcomes }]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { endpoint, ...labelsOf(outcome) }, value })),
        ),
      },
      {
        name: "cowry_http_request_duration_seconds",
        type: "histogram",
        help: "Time from a request to the start of its answer, by endpoint.",
        samples: [...counts].flatMap(([endpoint, of]) => histogramOf(endpoint, of)),
      },
      {
        name: "cowry_http_rate_limited_total",
        type: "counter",
        help: "Requests refused because a caller's limit was used up.",
        samples: [{ value: rateLimited }],
      },
    ],
  }
}

const outcomeOf = (status: number | undefined, fault: Kind | undefined): string => {
  if (status === undefined) return "gone"
  const kind = status < problems.Internal.status ? "" : ` ${fault === undefined ? "other" : wordOf(fault)}`
  return `${Math.floor(status / 100)}xx${kind}`
}

const labelsOf = (outcome: string): Readonly<Record<string, string>> => {
  const [status = "", kind] = outcome.split(" ")
  return kind === undefined ? { status } : { status, kind }
}

/** `QueryTooSlow` → `query_too_slow` */
export const wordOf = (fault: Kind): string => fault.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

export const sharedLimitsFamily = (isShared: boolean): Family => ({
  name: "cowry_http_rate_limits_shared",
  type: "gauge",
  help: "Whether callers' limits are counted together with other instances at the moment.",
  samples: [{ value: isShared ? 1 : 0 }],
})

const histogramOf = (endpoint: string, { durations, seconds }: Counts): ReadonlyArray<Sample> => {
  let count = 0
  const buckets = durations.map((more, index): Sample => {
    count += more
    return { suffix: "_bucket", labels: { endpoint, le: String(boundsSeconds[index] ?? "+Inf") }, value: count }
  })
  return [
    ...buckets,
    { suffix: "_sum", labels: { endpoint }, value: seconds },
    { suffix: "_count", labels: { endpoint }, value: count },
  ]
}
