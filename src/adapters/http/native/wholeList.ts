/** A native list as NDJSON or CSV: all of its rows, of one snapshot. */
import { Effect, type Schema } from "effect"
import type { ListPage, PageRequest } from "../../../domain/model/page.ts"
import { openWholeList } from "../../../domain/wholeList.ts"
import type { Answer, Call, Ports } from "../endpoint.ts"
import type { Fault } from "../faults.ts"
import { type MediaType, mediaTypes, nameOf } from "../mediaType.ts"
import { invalidParameter } from "../problem.ts"
import { firstValue } from "../query.ts"
import { rowText } from "../rowText.ts"

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
