/** What operations say beside their own rows: the headers to ask with whether anything is new and for nothing older, the answer that nothing is, and `strict`. */
import { statuses } from "../contract/statuses.ts"
import type { Json } from "./json.ts"

/** A parameter of every operation whose answers have tags. */
export const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `etag` of an answer that the caller has: 304 while nothing about it is new. Several, comma-joined, or `*`",
  schema: { type: "string" },
  example: '"QnvY2Qkq0t2uEwXM9oE6tJ0cWc8u7eJ0mC1b9l9c0hE"',
}

/** The response without a body, by status; `headers` are those of the answer. */
export const notModifiedResponse = (headers: Json): Json => ({
  [statuses.notModified]: {
    description:
      "The caller has this very answer: `If-None-Match` names its tag. No body; the headers are those of now",
    headers,
  },
})

/** A parameter of every native operation. */
export const strict: Json = {
  name: "strict",
  in: "query",
  required: false,
  description:
    "`true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters`",
  schema: { type: "boolean", default: false },
  example: true,
}

/** The same of every operation about a chain. */
export const minBlock: Json = {
  name: "x-min-block",
  in: "header",
  required: false,
  description:
    "A block that the answer must not be older than: a number, or each chain as `<chainId>:<block>`, comma-joined, as `x-as-of-block` has it. Who sends back the newest `x-as-of-block` it has seen never goes back in time, whichever process and whichever replica answers",
  schema: { type: "string" },
  example: "43114:1240000",
}
