/** The headers every answer carries: how fresh it is, what the caller has left, who may read it. */
import { blocksBehind } from "../../../domain/lag/ledgerLag.ts"
import type { AsOf } from "../../../model/block.ts"
import { dateTimeOf } from "../../../model/primitives.ts"
import type { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { RateState } from "../contract/rateLimit.ts"

type HeaderRecord = Readonly<Record<string, string>>

/** Each chain as `<chainId>:<value>`, in one order in all of them; none without a chain. */
export const asOfHeaders = (asOf: ReadonlyArray<AsOf>, status: SyncStatus["Service"]): HeaderRecord => {
  if (asOf.length === 0) return none
  const lag = each(asOf, (chain) => blocksBehind(chain, status.find(chain.chainId)))
  const key = asOf.length === 1 ? asOf[0]! : asOf
  const found = ofPoints.get(key)
  if (found !== undefined && found["x-lag-blocks"] === lag) return found
  const made = {
    "x-as-of-block": each(asOf, (chain) => chain.blockNumber),
    "x-as-of-hash": each(asOf, (chain) => chain.hash),
    "x-as-of-time": each(asOf, (chain) => dateTimeOf(chain.time)),
    "x-lag-blocks": lag,
    "x-finality": each(asOf, (chain) => chain.finality),
  }
  ofPoints.set(key, made)
  return made
}

const none: HeaderRecord = {}

/** The points that many answers share are written once: the one of a chain, or the list that a statement of several gave. */
const ofPoints = new WeakMap<AsOf | ReadonlyArray<AsOf>, HeaderRecord>()

const each = (asOf: ReadonlyArray<AsOf>, value: (chain: AsOf) => number | string): string => {
  const [only] = asOf
  return only !== undefined && asOf.length === 1
    ? `${only.chainId}:${value(only)}`
    : asOf.map((chain) => `${chain.chainId}:${value(chain)}`).join(",")
}

/** Integers; resets in seconds left. */
export const rateHeaders = (state: RateState): HeaderRecord => {
  if (state !== last.state) last = { state, headers: rateHeadersOf(state) }
  return last.headers
}

/** Without limits it is one state for all. */
let last: { readonly state: RateState | undefined; readonly headers: HeaderRecord } = { state: undefined, headers: {} }

const rateHeadersOf = ({ rpm, rpd }: RateState): HeaderRecord => ({
  "x-ratelimit-rpm-limit": String(rpm.limit),
  "x-ratelimit-rpm-remaining": String(rpm.remaining),
  "x-ratelimit-rpm-reset": String(rpm.reset),
  "x-ratelimit-rpd-limit": String(rpd.limit),
  "x-ratelimit-rpd-remaining": String(rpd.remaining),
  "x-ratelimit-rpd-reset": String(rpd.reset),
})

const exposed = [
  "x-request-id",
  "x-as-of-block",
  "x-as-of-hash",
  "x-as-of-time",
  "x-lag-blocks",
  "x-finality",
  "x-audit-state",
  "x-balance-source",
  "x-at-block",
  "x-from-block",
  "x-served-by",
  "x-ignored-parameters",
  "x-ratelimit-rpm-limit",
  "x-ratelimit-rpm-remaining",
  "x-ratelimit-rpm-reset",
  "x-ratelimit-rpd-limit",
  "x-ratelimit-rpd-remaining",
  "x-ratelimit-rpd-reset",
  "Age",
  "ETag",
  "Retry-After",
]

/** Every page of every site may read every answer; nobody shall guess what it is: it is what its type says. */
export const fixedHeaders: HeaderRecord = {
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed.join(", "),
}

/** What JSON answers of the same points have alike, as the runtime holds it: a copy costs half of what its making does. */
interface Alike {
  readonly rate: HeaderRecord
  /** Absent = it was asked for once: an answer that is alone has no use for it. */
  readonly headers?: Headers
}

const alike = new WeakMap<HeaderRecord, Alike>()

/** `asOf`, `rate`: as `asOfHeaders` and `rateHeaders` give them. Undefined the first time. To be copied, never changed. */
export const headersAlike = (asOf: HeaderRecord, rate: HeaderRecord): Headers | undefined => {
  const found = alike.get(asOf)
  const isSame = found?.rate === rate
  if (isSame && found.headers !== undefined) return found.headers
  const headers = isSame
    ? new Headers({ ...fixedHeaders, ...jsonHeaders, vary: "Accept-Encoding", ...asOf, ...rate })
    : undefined
  alike.set(asOf, { rate, ...(headers && { headers }) })
  return headers
}

/** What a browser asks before a request with headers of its own. The star leaves out `Authorization`. */
export const preflightHeaders = (allowed: ReadonlyArray<string>): HeaderRecord => ({
  "access-control-allow-methods": allowed.join(", "),
  "access-control-allow-headers":
    "apikey, authorization, content-type, accept, if-none-match, x-min-block, x-request-id, x-requested-with, *",
  "access-control-max-age": "86400",
  allow: allowed.join(", "),
})

export const jsonHeaders: HeaderRecord = { "content-type": "application/json; charset=utf-8" }
