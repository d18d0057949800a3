/** Validators: the tag of an answer, and whether the caller has that answer already (RFC 9110, sections 8.8.3 and 13.1.2). */
import { createHash, hash } from "node:crypto"
import type { AsOf } from "../../../model/block.ts"
import { type Query, withoutKeys } from "../contract/query.ts"

/** What a tag depends on: the question, without keys… */
export interface Question {
  /** As it stood in the URL. */
  readonly path: string
  readonly query: Query
}

/** …its answer… */
export interface Said {
  readonly headers: Readonly<Record<string, string>>
  readonly text?: string
}

/** …and what it speaks of. */
export interface SpokenOf {
  readonly asOf: ReadonlyArray<AsOf>
  /** All of it is figures. */
  readonly isOfFigures: boolean
}

/**
 * A strong tag, in its quotes: of the question, the media type, the blocks and revisions that the answer speaks of, and the
 * text itself; of figures alone it is how far these are, in place of the revision. The text makes it right whatever else an answer depends on: settings, a source of its own age, a chain that
 * was indexed anew and counts its revisions from the start.
 */
export const etagOf = (question: Question, answer: Said & SpokenOf): string => tagAt(digestOf(question, answer), answer)

/** The part of a tag that stays while blocks come that change nothing of the answer. */
export const digestOf = ({ path, query }: Question, { headers, text = "" }: Said): string => {
  const question = [path, withoutKeys(query).map(({ raw }) => raw), headers["content-type"]]
  return sha256(`${JSON.stringify(question)}\n`, text).toString("base64url", 0, digestBytes)
}

/** The whole of it. */
export const tagAt = (digest: string, { asOf, isOfFigures }: SpokenOf): string => {
  const known = isOfFigures ? knownOfFigures : knownOfAll
  let points = known.get(asOf)
  if (points === undefined) {
    const told = asOf.map(({ chainId, blockNumber, hash, revision, figures }) => [
      chainId,
      blockNumber,
      hash,
      isOfFigures ? figures : revision,
    ])
    points = sha256(JSON.stringify(told), "").toString("base64url", digestBytes)
    known.set(asOf, points)
  }
  return `"${digest}${points}"`
}

/** Of 32: 28 letters of a tag's 43, the other 15 are of the points. */
const digestBytes = 21

/** The points that many answers of one statement share are told once. */
const knownOfAll = new WeakMap<ReadonlyArray<AsOf>, string>()
const knownOfFigures = new WeakMap<ReadonlyArray<AsOf>, string>()

/** Up to which a copy costs less than a digest in steps. */
const shortLength = 4096

/** Of the two texts one after the other. */
const sha256 = (head: string, text: string): Buffer =>
  text.length <= shortLength
    ? hash("sha256", head + text, "buffer")
    : createHash("sha256").update(head).update(text).digest()

/** Whether `If-None-Match` names the tag, or any. Weak comparison: a proxy that compresses may have marked it `W/`. */
export const namesTag = (ifNoneMatch: string | undefined, etag: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  etag !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.match(/"[^"]*"/g)?.includes(etag) === true)

/** What is validated may be kept and is asked for anew each time; anything else is of its moment, or of its caller. */
export const cacheHeaders = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? { "cache-control": "no-store" } : { "cache-control": "no-cache", etag }
