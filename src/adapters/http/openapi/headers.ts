/** The headers of answers, each with what it says. */
import { examples } from "./examples.ts"
import { type Json, refTo } from "./json.ts"

const perChain = "each chain as `<chainId>:<value>`"

const asOf: Readonly<Record<string, string>> = {
  "x-as-of-block": `The block that the answer speaks of, ${perChain}, comma-joined in one order in all of these headers`,
  "x-as-of-hash": `That block's hash, ${perChain}`,
  "x-as-of-time": `That block's time, ${perChain}`,
  "x-lag-blocks": `How many blocks the node is ahead of it, as far as is known here, ${perChain}`,
  "x-finality": `\`latest\` or \`finalized\`, ${perChain}`,
}

/** Of answers about one contract. */
const audit: Readonly<Record<string, string>> = {
  "x-audit-state":
    "How true the token's figures are, as `<chainId>:<state>`: `exact`, `drift`, `rebasing` or `unverified`, see `/v2/status/audit`; of several tokens the worst state; of figures as of a block where the token differed `drift`; of figures of several blocks the state at the lowest. Of what an address holds: the worst state of each chain's tokens in doubt that the answer counts, comma-joined; absent where none is",
  "x-at-block":
    "Which block `timestamp`, `blockHash` or `finality=finalized` came to mean, as `<chainId>:<number>`, of several chains comma-joined; absent = none of them was asked. Of `holders/diff` always the last block whose changes count",
  "x-balance-source":
    "Of current figures of tokens in doubt (`drift`, `rebasing`, or that may be older than the ledger) and of contracts without a token, of native balances in holdings and portfolios, and of approvals: `node` = all such figures are the contract's or the node's, at the very block; `ledger` = one at least is not, as it could not be asked for in time, or may not be asked for at all; absent = the answer has none",
}

/** Of differences. */
const difference: Readonly<Record<string, string>> = {
  "x-from-block":
    "Of `holders/diff`: the block whose state is compared with, as `<chainId>:<number>`; absent = before the chain's first block, when nobody had anything",
}

const rate: Readonly<Record<string, string>> = {
  "x-ratelimit-rpm-limit": "Calls a caller may make in a minute; 1000000000 = no limit",
  "x-ratelimit-rpm-remaining": "Calls left in this minute",
  "x-ratelimit-rpm-reset": "Seconds until the minute starts anew",
  "x-ratelimit-rpd-limit": "Calls a caller may make in a day; 1000000000 = no limit",
  "x-ratelimit-rpd-remaining": "Calls left in this day",
  "x-ratelimit-rpd-reset": "Seconds until the day starts anew",
}

const validation: Readonly<Record<string, string>> = {
  etag: "The answer's tag: another one as soon as anything about the answer is. Sent back in `If-None-Match` it is answered with 304 while nothing is",
  "cache-control":
    "`no-cache`: the answer may be kept, and is asked for anew with its tag before it is used; `no-store`: it may not",
}

/** Of every answer. */
const fixedOnes: Readonly<Record<string, string>> = {
  "x-content-type-options": "`nosniff`: the answer is what `content-type` says, and nothing else",
  "x-request-id":
    "What the request is called in the service's log: the header of this name as it was sent, where that is 1 to 128 letters, digits or `._:+=/-`; else made up",
}

/** Of native answers. */
const ignored: Readonly<Record<string, string>> = {
  "x-ignored-parameters":
    "Names of parameters that the endpoint does not know, comma-joined and percent-encoded, ten at most; absent = none. With `strict=true` they are refused",
}

/** Of the compatibility endpoint. */
const servedBy: Readonly<Record<string, string>> = {
  "x-served-by":
    "Who answered, where it was not the ledger: `upstream` or `node`; then there is no `etag` and no as-of",
}

const numbers = new Set([...Object.keys(rate), "retry-after"])

/** Examples that are not recorded: a tag changes with every field of an answer. */
const fixed: Readonly<Record<string, string>> = {
  etag: '"QnvY2Qkq0t2uEwXM9oE6tJ0cWc8u7eJ0mC1b9l9c0hE"',
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "x-request-id": "q1Zf0aXb-2s",
  "x-audit-state": "43114:exact",
  "x-at-block": "43114:1000000",
  "x-from-block": "43114:1000000",
  "x-balance-source": "node",
  "x-ignored-parameters": "tokenaddress",
  "x-served-by": "upstream",
}

const headerOf = (name: string, description: string): Json => {
  const example = examples.headers[name] ?? fixed[name]
  return {
    description,
    schema: numbers.has(name) ? { type: "integer", minimum: 0 } : { type: "string" },
    ...(example === undefined ? {} : { example: numbers.has(name) ? Number(example) : example }),
  }
}

const all: Readonly<Record<string, string>> = {
  ...asOf,
  ...audit,
  ...difference,
  ...rate,
  ...validation,
  ...ignored,
  ...servedBy,
  ...fixedOnes,
  "retry-after": "Seconds after which it is worth trying again",
  allow: "The methods that the path has",
}

export const headerComponents: Json = Object.fromEntries(
  Object.entries(all).map(([name, description]) => [name, headerOf(name, description)]),
)

const refsOf = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))

/** Those of an answer that has no tag; `ofChain`: where a known chain is named. */
export const headersOf = (ofChain: boolean, ...more: ReadonlyArray<"retry-after" | "allow">): Json =>
  refsOf([
    ...more,
    "cache-control",
    ...(ofChain ? Object.keys(asOf) : []),
    ...Object.keys(rate),
    ...Object.keys(fixedOnes),
  ])

/** Those of a native answer that is nothing to keep. */
export const fleetingHeaders = (ofChain: boolean): Json => ({ ...headersOf(ofChain), ...refsOf(Object.keys(ignored)) })

/** Those of an answer that is validated. */
const validatedOnes: Json = refsOf([validation, asOf, rate, fixedOnes].flatMap((headers) => Object.keys(headers)))

/** The same of a native one. */
export const validatedHeaders: Json = { ...validatedOnes, ...refsOf(Object.keys(ignored)) }

/** Of answers about an address. */
export const addressHeaders: Json = { ...validatedHeaders, ...refsOf(Object.keys(audit)) }
/** Of answers about one contract. */
export const contractHeaders: Json = { ...validatedHeaders, ...refsOf([audit, difference].flatMap(Object.keys)) }
/** Of those of the compatibility endpoint. */
export const compatHeaders: Json = { ...validatedOnes, ...refsOf([...Object.keys(audit), ...Object.keys(servedBy)]) }
