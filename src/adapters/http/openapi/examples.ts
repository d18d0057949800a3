/** Real answers of the service on a fixed chain, recorded by `test/http/openapi/documented.ts`; a test fails when one is not given any more. */
import recorded from "./examples.json" with { type: "json" }

/** A request and what it was answered. */
export interface Exchange {
  /** Path and query. */
  readonly request: string
  /** Absent = GET. */
  readonly method?: string
  readonly status: number
  readonly body: unknown
}

export interface Examples {
  /** By the endpoint's id. */
  readonly answers: Readonly<Record<string, Exchange>>
  /**
   * Refusals of its own by the endpoint's id: by code, or by the parameter's name where that is what is wrong. Of
   * readiness: what it says until all is ready.
   */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, Exchange>>>>
  /** What every endpoint of a style can be answered, by code. */
  readonly common: Readonly<Record<"native" | "compat", Readonly<Record<string, Exchange>>>>
  /** By `module/action`. */
  readonly actions: Readonly<Record<string, Exchange>>
  /** Of paths of other services, by the endpoint's id; `sent`: the body of the request. */
  readonly shapes: Readonly<Record<string, Exchange & { readonly sent?: unknown }>>
  /** Of paths whose methods do different things, by the operation's id: what it answers, what was sent, what it refuses. */
  readonly methods: Readonly<Record<string, MethodExamples>>
  /** Cursors by the endpoint's id. */
  readonly cursors: Readonly<Record<string, { readonly next: string; readonly prev: string }>>
  readonly headers: Readonly<Record<string, string>>
}

export interface MethodExamples {
  readonly answer: Exchange & { readonly sent?: unknown }
  readonly refusals: Readonly<Record<string, Exchange>>
}

export const examples: Examples = recorded as Examples

/** OpenAPI's form of exchanges. */
export const shown = (exchanges: Readonly<Record<string, Exchange>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(exchanges).map(([name, { request, method, body }]) => [
      name.replaceAll(/[^\w.-]+/g, "_"),
      { summary: `${method ?? "GET"} ${request}`, value: body },
    ]),
  )
