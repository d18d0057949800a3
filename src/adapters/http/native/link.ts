/** Cursors as clients meet them: read from the query, given back as tokens and ready-made links. */
import { Effect, Schema } from "effect"
import { type CursorDirection, decodeCursor, encodeCursor } from "../../../domain/model/cursor.ts"
import { InvalidCursor } from "../../../domain/model/errors.ts"
import type { ListPage, PageRequest } from "../../../domain/model/page.ts"
import type { Call } from "../endpoint.ts"
import type { ParameterDocs } from "../parameter.ts"
import { type Query, withoutKeys } from "../query.ts"
import type { CursorShape } from "./cursors.ts"

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

const cursorNames = new Set(Object.keys(cursorDocs))

/** Where the page starts: at the list's start without a cursor. `binding` is the canonical text of the query. */
export const readCursor = Effect.fnUntraced(function* <Key>(query: Query, binding: string, shape: CursorShape<Key>) {
  const next = yield* tokenOf(query, "next", "nextToken")
  const prev = yield* tokenOf(query, "prev", "prevToken")
  if (next !== undefined && prev !== undefined) {
    return yield* new InvalidCursor({ message: "next and prev: expected one of them, got both" })
  }
  const page: Pick<PageRequest<Key>, "after" | "before"> = next !== undefined
    ? { after: yield* keyOf(binding, "next", next, shape) }
    : prev !== undefined
      ? { before: yield* keyOf(binding, "prev", prev, shape) }
      : {}
  return page
})

/** The ways on from a page; a way that leads nowhere is absent. */
export const linkOf = <Key>(
  call: Call,
  binding: string,
  shape: CursorShape<Key>,
  page: Pick<ListPage<unknown, Key>, "next" | "prev">,
): Link => {
  const nextToken = page.next && encodeCursor(binding, "next", shape.toParts(page.next))
  const prevToken = page.prev && encodeCursor(binding, "prev", shape.toParts(page.prev))
  return {
    ...(nextToken === undefined ? {} : { next: pathWith(call, "next", nextToken), nextToken }),
    ...(prevToken === undefined ? {} : { prev: pathWith(call, "prev", prevToken), prevToken }),
  }
}

/** The token under either name; an empty one is none. */
const tokenOf = Effect.fnUntraced(function* (query: Query, name: string, otherName: string) {
  const given = query.filter((pair) => (pair.name === name || pair.name === otherName) && pair.value !== "")
  const tokens = new Set(given.map((pair) => pair.value))
  if (tokens.size > 1) {
    return yield* new InvalidCursor({ message: `${name} and ${otherName}: expected one token, got ${tokens.size}` })
  }
  return given[0]?.value
})

const keyOf = Effect.fnUntraced(function* <Key>(
  binding: string,
  direction: CursorDirection,
  token: string,
  shape: CursorShape<Key>,
) {
  const parts = decodeCursor(binding, direction, token)
  const key = parts && shape.fromParts(parts)
  if (key === undefined) {
    return yield* new InvalidCursor({
      message: `${direction}: expected a token from a page of this very query, got one altered or of another query`,
    })
  }
  return key
})

/** The host-relative path with the whole query, without keys and older cursors. */
const pathWith = (call: Call, direction: CursorDirection, token: string): string => {
  const kept = withoutKeys(call.query).filter((pair) => !cursorNames.has(pair.name))
  return `${call.path}?${[...kept.map((pair) => pair.raw), `${direction}=${token}`].join("&")}`
}
