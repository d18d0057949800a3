/** What is answered while a process starts: requests wait for its store for a while, and then are told so. */
import { StoreUnavailable } from "../../model/errors.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import { inShapeOf, type Problem, problemOf } from "./contract/statuses.ts"
import { starting } from "./health/health.ts"

/** How many wait at most, and for how long. Whoever comes beyond is told at once. */
const mostWaiting = 1_000
const usualMs = 10_000

export interface Opening<Services> {
  /** What a request of that row works with; undefined = it is not there in time. */
  readonly services: (endpoint: Endpoint | undefined, method: string) => Promise<Services | undefined>
  /** What the request is answered then. */
  readonly problem: (endpoint: Endpoint | undefined, method: string) => Problem
}

/** `open` gives the services once they are there, and rejects where they never will be. `patienceMs`: absent = 10,000. */
export const makeOpening = <Services>(
  open: () => Promise<Services>,
  patienceMs: number = usualMs,
): Opening<Services> => {
  let waiting = 0
  return {
    services: async (endpoint, method) => {
      if (waiting >= mostWaiting) return undefined
      waiting++
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, saidOf(endpoint, method)?.afterMs ?? patienceMs, undefined)
      })
      try {
        return await Promise.race([open(), late])
      } catch {
        return undefined
      } finally {
        waiting--
        clearTimeout(timer)
      }
    },
    problem: (endpoint, method) => {
      const said = saidOf(endpoint, method)
      if (said !== undefined) return { status: said.status, body: said.body, headers: { vary: "Accept-Encoding" } }
      return inShapeOf(
        endpoint,
        problemOf(endpoint?.style ?? "native", new StoreUnavailable({ cause: reason, reason })),
      )
    },
  }
}

const saidOf = (endpoint: Endpoint | undefined, method: string) =>
  method === "GET" || method === "HEAD" ? endpoint?.beforeStore : undefined

const reason = `${starting}: try again shortly`
