/** One place a token list comes from: asked when it is due, its last good content kept. */
import { createHash } from "node:crypto"
import { Clock, Effect, Random } from "effect"
import { backoffMs } from "../../model/time/backoff.ts"
import type { KeptCopies } from "../../ports/KeptCopies.ts"
import type { Document, DocumentUnavailable, WebDocuments } from "../../ports/WebDocuments.ts"
import { readLocal } from "./localFile.ts"
import { readTokenList, type TokenList } from "./tokenList.ts"

export interface SourceSettings {
  /** A URL with http: or https:, or a file. */
  readonly place: string
  /** Between two looks. */
  readonly intervalMs: number
  readonly web: WebDocuments["Service"]
  readonly copies: KeptCopies["Service"]
}

type Asked = Effect.Effect<Document | "unchanged", DocumentUnavailable>

const mostBytes = 16 * 1024 * 1024
const timeoutMs = 30_000
/** After a failure it is asked again so soon, and after twice that each time it fails again. */
const firstRetryMs = 60_000

/** `read`: the list as far as it is known. Fails where kept copies cannot be read: then nothing is known of what was known. */
export const makeSource = ({ place, intervalMs, web, copies }: SourceSettings) => {
  const isWeb = /^https?:\/\//iu.test(place)
  // A file's name is no secret, a URL may hold one.
  const label = isWeb ? new URL(place).origin : place
  const key = `token list ${createHash("sha256").update(place).digest("hex")}`
  let text: string | undefined
  let list: TokenList | undefined
  let nextAt = 0
  let failures = 0

  const whatStays = () =>
    list === undefined ? "it was never good, nothing is known of it" : "its last good content stays"

  const take = Effect.fnUntraced(function* (found: string) {
    if (found === text) return true
    const read = readTokenList(found)
    if ("problem" in read) {
      yield* Effect.logWarning(`token list of ${label}: ${read.problem}; ${whatStays()}`)
      return false
    }
    text = found
    list = read
    const leftOut = read.leftOut === 0 ? "" : `; ${read.leftOut} entries are no tokens or blacklisted, and left out`
    yield* Effect.logInfo(`token list ${JSON.stringify(read.name)} of ${label}: ${read.tokens.length} tokens${leftOut}`)
    return true
  })

  const look = Effect.fnUntraced(function* (now: number) {
    const kept = yield* copies.find(key)
    if (kept !== undefined) yield* take(kept.text)
    const current = kept?.text === text ? kept : undefined
    const waitMs = intervalMs * (0.9 + 0.2 * (yield* Random.next))
    // Another instance, or this one before it was started again, has just asked.
    if (isWeb && current !== undefined && current.checkedAt <= now && now < current.checkedAt + intervalMs) {
      nextAt = current.checkedAt + waitMs
      return
    }
    const etag = current?.etag
    const request = { url: place, maxBytes: mostBytes, timeoutMs, ...(etag === undefined ? {} : { etag }) }
    const asked: Asked = isWeb ? web.get(request) : readLocal(place, mostBytes)
    const found = yield* asked.pipe(
      Effect.tapError(({ message }) => Effect.logWarning(`token list: ${message}; ${whatStays()}`)),
      Effect.orElseSucceed(() => undefined),
    )
    const isGood = found === "unchanged" || (found !== undefined && (yield* take(found.text)))
    if (!isGood) {
      nextAt = now + backoffMs({ firstMs: firstRetryMs, capMs: waitMs }, failures++)
      return
    }
    yield* copies.keep(key, { ...(found === "unchanged" ? kept! : found), checkedAt: now })
    failures = 0
    nextAt = now + waitMs
  })

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // A clock that was set back must not put it off for hours.
    if (now >= nextAt || nextAt - now > 2 * intervalMs) yield* look(now)
    return list
  })
  return { label, read }
}
