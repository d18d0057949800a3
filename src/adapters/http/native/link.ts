/** Cursors as clients meet them: read from the query, given back as tokens and ready-made links. */
import { Effect, Schema } from "effect"
import {
  type CursorDirection,
  type CursorParts,
  decodeCursor,
  encodeCursor,
  longestCursor,
} from "../../../model/cursor.ts"
import { InvalidCursor, InvalidParameter } from "../../../model/errors.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import type { Call } from "../contract/call.ts"
import type { ParameterDocs } from "../contract/parameter.ts"
import { type Query, withoutKeys } from "../contract/query.ts"
import type { MinBlocks } from "../newEnough/minBlock.ts"
import { isPointsPart, readPointsPart } from "../newEnough/walkPoints.ts"
import { type CursorShape, isRollbacks } from "./cursors.ts"

const path = Schema.optionalKey(
  Schema.String.annotate({ description: "Host-relative path of that page; absent = there is none" }),
)
const token = Schema.optionalKey(Schema.String.annotate({ description: "The cursor in it; absent = there is none" }))

export const Link = Schema.Struct({ next: path, nextToken: token, prev: path, prevToken: token }).annotate({
  identifier: "Link",
})
export type Link = typeof Link.Type

const cursorDoc = (description: string) => ({ description, schema: { type: "string", pattern: "^[A-Za-z0-9_-]+$" } })

export const cursorDocs: ParameterDocs = {
  next: cursorDoc("`link.nextToken` of a page of this very query: the page behind it. Not together with `prev`"),
  nextToken: cursorDoc("The same as `next`"),
  prev: cursorDoc("`link.prevToken` of a page of this very query: the page before it"),
  prevToken: cursorDoc("The same as `prev`"),
}

/** The parts of a cursor to a list's first page. No key is a single word. */
const firstPage: CursorParts = ["first"]
const isFirstPage = (parts: CursorParts | undefined) => parts?.length === 1 && parts[0] === firstPage[0]

const cursorNames = new Set(Object.keys(cursorDocs))

/** Where the page starts: at the list's start without a cursor. `binding` is the canonical text of the query. */
export const readCursor = Effect.fnUntraced(function* <Key>(query: Query, binding: string, shape: CursorShape<Key>) {
  const next = yield* tokenOf(query, "next", "nextToken")
  const prev = yield* tokenOf(query, "prev", "prevToken")
  if (next !== undefined && prev !== undefined) {
    return yield* new InvalidCursor({ message: "next and prev: expected one of them, got both" })
  }
  if (next === undefined && prev === undefined) return {}
  if (next !== undefined && isFirstPage(decodeCursor(binding, "next", next))) return {}
  const { key, points, ...pin } =
    next !== undefined
      ? yield* cursorKey(binding, "next", next, shape)
      : yield* cursorKey(binding, "prev", prev ?? "", shape)
  const page: Omit<PageRequest<Key>, "limit"> & WithPoints = {
    ...pin,
    ...(points && { points }),
    ...(next === undefined ? { before: key } : { after: key }),
  }
  return page
})

/** The blocks that the page before spoke of; absent where its key says enough. */
export interface WithPoints {
  readonly points?: MinBlocks
}

/**
 * The ways on from a page; a way that leads nowhere is absent. `points`: what its cursors say of the blocks it spoke of. Fails where there
 * are more chains than a link can speak of.
 */
export const linkOf = Effect.fnUntraced(function* <Key>(
  call: Call,
  binding: string,
  shape: CursorShape<Key>,
  { next, prev, nextIsFirst, rollbacks }: Pick<ListPage<unknown, Key>, "next" | "prev" | "nextIsFirst" | "rollbacks">,
  points?: string,
) {
  const behind = [rollbacks, points].filter((it) => it !== undefined)
  const partsOf = (key: Key) => [...shape.toParts(key), ...behind]
  const nextParts = nextIsFirst === true ? firstPage : next && partsOf(next)
  const nextToken = nextParts && encodeCursor(binding, "next", nextParts)
  const prevToken = prev && encodeCursor(binding, "prev", partsOf(prev))
  if (Math.max(nextToken?.length ?? 0, prevToken?.length ?? 0) > longestCursor) {
    const wanted = "fewer chains, or the whole list as NDJSON or CSV: a link to the next page would be too long"
    return yield* new InvalidParameter({ parameter: "includedChainIds", value: "too many", wanted })
  }
  const link: Link = {
    ...(nextToken === undefined ? {} : { next: pathWith(call, "next", nextToken), nextToken }),
    ...(prevToken === undefined ? {} : { prev: pathWith(call, "prev", prevToken), prevToken }),
  }
  return link
})

/** The token under either name; an empty one is none. */
const tokenOf = Effect.fnUntraced(function* (query: Query, name: string, otherName: string) {
  const given = query.filter((pair) => (pair.name === name || pair.name === otherName) && pair.value !== "")
  const tokens = new Set(given.map((pair) => pair.value))
  if (tokens.size > 1) {
    return yield* new InvalidCursor({ message: `${name} and ${otherName}: expected one token, got ${tokens.size}` })
  }
  return given[0]?.value
})

const cursorKey = Effect.fnUntraced(function* <Key>(
  binding: string,
  direction: CursorDirection,
  token: string,
  shape: CursorShape<Key>,
) {
  const parts = decodeCursor(binding, direction, token)
  const place = parts && placeIn(parts, shape)
  if (place === undefined) {
    return yield* new InvalidCursor({
      message: `${direction}: expected a token from a page of this very query, got one altered or of another query`,
    })
  }
  return place
})

/** A key, behind it the blocks of a page over several chains, and the rollbacks where the walk's block was not final. */
const placeIn = <Key>(
  parts: CursorParts,
  shape: CursorShape<Key>,
): ({ readonly key: Key } & Pick<PageRequest<Key>, "rollbacks"> & WithPoints) | undefined => {
  const last = parts.at(-1)
  if (isPointsPart(last)) {
    const points = readPointsPart(last)
    const place = placeIn(parts.slice(0, -1), shape)
    return points && place && { ...place, points }
  }
  const key = shape.fromParts(parts)
  if (key !== undefined) return { key }
  const rollbacks = last
  if (shape.pinned !== true || !isRollbacks(rollbacks)) return undefined
  const pinned = shape.fromParts(parts.slice(0, -1))
  return pinned === undefined ? undefined : { key: pinned, rollbacks }
}

/** The host-relative path with the whole query, without keys and older cursors. */
const pathWith = (call: Call, direction: CursorDirection, token: string): string => {
  const kept = withoutKeys(call.query).filter((pair) => !cursorNames.has(pair.name))
  return `${call.path}?${[...kept.map((pair) => pair.raw), `${direction}=${token}`].join("&")}`
}
