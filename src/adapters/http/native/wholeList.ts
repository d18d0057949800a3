/** A native list as NDJSON or CSV: all of its rows, of one snapshot. */
import { Effect, type Schema } from "effect"
import { openWholeList } from "../../../domain/reads/wholeList.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import type { Answer, Call, Ports } from "../contract/endpoint.ts"
import type { Fault } from "../contract/faults.ts"
import { type MediaType, mediaTypes, nameOf } from "../contract/mediaType.ts"
import { invalidParameter } from "../contract/problem.ts"
import { firstValue } from "../contract/query.ts"
import { rowText } from "../pipeline/rowText.ts"

/** What a cache must know of a list: the same URL has three bodies. */
export const varies = { vary: "Accept" }

/** From the place of `next` on (absent = the start). `limit` counts where it was asked for; otherwise there is none. */
export const answerWhole = Effect.fnUntraced(function* <Item, Key>(
  call: Call,
  type: Exclude<MediaType, "json">,
  record: Schema.Top,
  { limit, after, before, rollbacks }: PageRequest<Key>,
  list: (page: PageRequest<Key>) => Effect.Effect<ListPage<Item, Key>, Fault, Ports>,
) {
  if (before !== undefined) {
    return yield* invalidParameter("prev", "a token", `no value (${nameOf(type)} goes forward only)`)
  }
  const { asOf, pull, close } = yield* openWholeList(list, {
    ...(after === undefined ? {} : { after }),
    ...(rollbacks === undefined ? {} : { rollbacks }),
    ...(firstValue(call.query, "limit") === undefined ? {} : { limit }),
  })
  const { head, textOf } = rowText(type, record)
  let begun = false
  const answer: Answer = {
    asOf,
    body: undefined,
    headers: { ...varies, "content-type": mediaTypes[type] },
    chunks: {
      pull: Effect.map(pull, (rows) => {
        const text = (begun ? "" : head) + (rows === undefined ? "" : textOf(rows))
        const isEnd = rows === undefined && (begun || text === "")
        begun = true
        return isEnd ? undefined : text
      }),
      close,
    },
  }
  return answer
})
