/** `/metrics`: all that Prometheus may know of the service, in sections. Holds no key and no URL. Open to everybody. */
import { Effect, Schema } from "effect"
import type { Endpoint } from "../contract/endpoint.ts"
import type { Ports } from "../contract/ports.ts"
import type { RateLimit } from "../contract/rateLimit.ts"
import type { StreamCounts } from "../events/events.ts"
import type { FailureLog } from "../pipeline/failureLog.ts"
import type { Turns } from "../turns/turns.ts"
import { auditFamilies } from "./audits.ts"
import { chainFamilies } from "./chains.ts"
import { streamFamilies, webhookFamilies } from "./events.ts"
import { expositionOf, expositionType, type Family } from "./exposition.ts"
import { ledgerFamilies } from "./ledger.ts"
import { processFamilies } from "./process.ts"
import { sharedLimitsFamily, type Traffic } from "./traffic.ts"
import { turnFamilies } from "./turns.ts"

/** A part of the page. One that fails is left out, and logged; the others stand. */
type Section = Effect.Effect<ReadonlyArray<Family>, unknown, Ports>

const sectionsOf = ({ traffic, turns, streams, limits }: Omit<MetricsSources, "failures">): ReadonlyArray<Section> => [
  chainFamilies,
  ledgerFamilies,
  auditFamilies,
  Effect.sync(traffic.families),
  Effect.sync(() => [sharedLimitsFamily(limits?.isShared?.() === true)]),
  Effect.sync(() => turnFamilies(turns)),
  streamFamilies(streams),
  webhookFamilies,
  Effect.sync(processFamilies),
]

/** What the pipeline and the traffic know of requests. */
export interface MetricsSources {
  readonly traffic: Traffic
  readonly turns: Turns["counts"]
  readonly failures: FailureLog
  readonly streams: () => StreamCounts
  /** Who counts callers' limits, where that is not this process for itself. */
  readonly limits: RateLimit | undefined
}

export const metricsOf = ({ failures, ...sources }: MetricsSources): Endpoint => ({
  id: "metrics",
  path: "/metrics",
  style: "native",
  about: { kind: "service" },
  open: true,
  doc: {
    tag: "Health",
    summary: "Metrics for Prometheus",
    query: {},
    body: Schema.String,
    faults: [],
    hidden: true,
  },
  answer: () =>
    Effect.map(familiesOf({ failures, ...sources }), (families) => ({
      asOf: [],
      fleeting: true as const,
      body: expositionOf(families),
      headers: { "content-type": expositionType },
    })),
})

/** All that is known at the moment. */
export const familiesOf = ({ failures, ...sources }: MetricsSources) =>
  Effect.map(
    Effect.forEach(sectionsOf(sources), (section) => orNothing(section, failures), { concurrency: "unbounded" }),
    (sections) => sections.flat(),
  )

const orNothing = (section: Section, failures: FailureLog) =>
  section.pipe(
    Effect.timeout("5 seconds"),
    Effect.catchCause((cause) =>
      failures.warn("metrics", "/metrics: a section is left out", cause).pipe(Effect.as<ReadonlyArray<Family>>([])),
    ),
  )
