/** How many requests of each cost are answered at the moment, wait for their turn, and were sent away. */
import type { Turns } from "../turns/turns.ts"
import type { Family } from "./exposition.ts"

export const turnFamilies = (counts: Turns["counts"]): ReadonlyArray<Family> => {
  const of = (which: "running" | "waiting" | "refused"): Family["samples"] =>
    counts().map(([cost, found]) => ({ labels: { cost }, value: found[which] }))
  return [
    {
      name: "cowry_http_turns_running",
      type: "gauge",
      help: "Requests that are answered at the moment, by cost.",
      samples: of("running"),
    },
    {
      name: "cowry_http_turns_waiting",
      type: "gauge",
      help: "Requests that wait for their turn, by cost.",
      samples: of("waiting"),
    },
    {
      name: "cowry_http_turns_refused_total",
      type: "counter",
      help: "Requests refused because they would have waited too long, by cost.",
      samples: of("refused"),
    },
  ]
}
