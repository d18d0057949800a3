/** Validators: the tag of an answer, and whether the caller has that answer already (RFC 9110, sections 8.8.3 and 13.1.2). */
import { createHash, hash } from "node:crypto"
import type { AsOf } from "../../../model/block.ts"
import type { Address } from "../../../model/primitives.ts"
import { parseQuery, pathAndQueryOf, type Query, withoutKeys } from "../contract/query.ts"

/** What a tag depends on: the question, without keys… */
export interface Question {
  /** As it stood in the URL. */
  readonly path: string
  readonly query: Query
}

/** Of a request that has no more than its URL. */
export const questionOf = (target: string): Question => {
  const [path, query] = pathAndQueryOf(target)
  return { path, query: parseQuery(query) }
}

/** …and its answer. */
export interface Tagged {
  readonly headers: Readonly<Record<string, string>>
  readonly asOf: ReadonlyArray<AsOf>
  /** All of it is figures of this contract. */
  readonly figuresOf?: Address
  readonly text?: string
}

/**
 * A strong tag, in its quotes: of the question, the media type, the blocks and revisions that the answer speaks of, and the
 * text itself; of figures alone it is how far these are, in place of the revision. The text makes it right whatever else an answer depends on: settings, a source of its own age, a chain that
 * was indexed anew and counts its revisions from the start.
 */
export const etagOf = ({ path, query }: Question, { headers, asOf, figuresOf, text = "" }: Tagged): string => {
  const question = [path, withoutKeys(query).map(({ raw }) => raw), headers["content-type"]]
  return `"${digestOf(`[${JSON.stringify(question)},${pointsOf(asOf, figuresOf !== undefined)}]\n`, text)}"`
}

const pointsOf = (asOf: ReadonlyArray<AsOf>, ofFigures: boolean): string => {
  const known = ofFigures ? knownOfFigures : knownOfAll
  const found = known.get(asOf)
  if (found !== undefined) return found
  const made = JSON.stringify(
    asOf.map(({ chainId, blockNumber, hash, revision, figures }) => [
      chainId,
      blockNumber,
      hash,
      ofFigures ? figures : revision,
    ]),
  )
  known.set(asOf, made)
  return made
}

/** The points that many answers of one statement share are written once. */
const knownOfAll = new WeakMap<ReadonlyArray<AsOf>, string>()
const knownOfFigures = new WeakMap<ReadonlyArray<AsOf>, string>()

/** Up to which a copy costs less than a digest in steps. */
const shortLength = 4096

/** Of the two texts one after the other. */
const digestOf = (head: string, text: string): string =>
  text.length <= shortLength
    ? hash("sha256", head + text, "base64url")
    : createHash("sha256").update(head).update(text).digest("base64url")

/** Whether `If-None-Match` names the tag, or any. Weak comparison: a proxy that compresses may have marked it `W/`. */
export const namesTag = (ifNoneMatch: string | undefined, etag: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  etag !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.match(/"[^"]*"/g)?.includes(etag) === true)

/** What is validated may be kept and is asked for anew each time; anything else is of its moment, or of its caller. */
export const cacheHeaders = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? { "cache-control": "no-store" } : { "cache-control": "no-cache", etag }
