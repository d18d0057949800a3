/** The headers of answers, each with what it says. */
import { examples } from "./examples.ts"
import { type Json, refTo } from "./json.ts"

const perChain = "each chain as `<chainId>:<value>`"

const asOf: Readonly<Record<string, string>> = {
  "x-as-of-block": `The block that the answer speaks of, ${perChain}, comma-joined in one order in all of these headers`,
  "x-as-of-hash": `That block's hash, ${perChain}`,
  "x-as-of-time": `That block's time, ${perChain}`,
  "x-lag-blocks": `How many blocks the node is ahead of it, ${perChain}`,
  "x-finality": `\`latest\` or \`finalized\`, ${perChain}`,
}

const rate: Readonly<Record<string, string>> = {
  "x-ratelimit-rpm-limit": "Calls a caller may make in a minute; 1000000000 = no limit",
  "x-ratelimit-rpm-remaining": "Calls left in this minute",
  "x-ratelimit-rpm-reset": "Seconds until the minute starts anew",
  "x-ratelimit-rpd-limit": "Calls a caller may make in a day; 1000000000 = no limit",
  "x-ratelimit-rpd-remaining": "Calls left in this day",
  "x-ratelimit-rpd-reset": "Seconds until the day starts anew",
}

const numbers = new Set([...Object.keys(rate), "retry-after"])

const headerOf = (name: string, description: string): Json => ({
  description,
  schema: numbers.has(name) ? { type: "integer", minimum: 0 } : { type: "string" },
  ...(examples.headers[name] === undefined
    ? {}
    : { example: numbers.has(name) ? Number(examples.headers[name]) : examples.headers[name] }),
})

const all: Readonly<Record<string, string>> = {
  ...asOf,
  ...rate,
  "retry-after": "Seconds after which it is worth trying again",
  allow: "The methods that the path has",
}

export const headerComponents: Json = Object.fromEntries(
  Object.entries(all).map(([name, description]) => [name, headerOf(name, description)]),
)

const refsOf = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))

/** Those of an answer; `ofChain`: where a known chain is named. */
export const headersOf = (ofChain: boolean, ...more: ReadonlyArray<"retry-after" | "allow">): Json =>
  refsOf([...more, ...(ofChain ? Object.keys(asOf) : []), ...Object.keys(rate)])
