/** A native list as NDJSON or CSV: all of its rows, of one snapshot. */
import { Effect, type Schema } from "effect"
import { openWholeList } from "../../../domain/reads/wholeList.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { Fault } from "../contract/faults.ts"
import { type MediaType, mediaTypes, nameOf } from "../contract/mediaType.ts"
import { defined } from "../contract/parameter.ts"
import type { Ports } from "../contract/ports.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { rowText } from "../pipeline/csvAndNdjson.ts"
import { blockHeaders, type SaidBlocks } from "./asOf.ts"

/** What a cache must know of a list: the same URL has three bodies. */
export const varies = { vary: "Accept" }

type RowMedia = Exclude<MediaType, "json">

/** Rows come in one direction. */
export const refuseBackward = ({ before }: Pick<PageRequest<unknown>, "before">, media: RowMedia) =>
  before === undefined
    ? Effect.void
    : Effect.fail(invalidParameter("prev", "a token", `no value (${nameOf(media)} goes forward only)`))

/** From the place of `next` on (absent = the start). `limit` counts where it was asked for; otherwise there is none. */
export const answerWhole = Effect.fnUntraced(function* <Item, Key, Page extends ListPage<Item, Key> & SaidBlocks>({
  call,
  media,
  record,
  start: { limit, after, rollbacks },
  list,
  headersOf,
  rowsAtOnce,
}: {
  readonly call: Call
  readonly media: RowMedia
  readonly record: Schema.Top
  readonly start: PageRequest<Key>
  readonly list: (page: PageRequest<Key>) => Effect.Effect<Page & ListPage<Item, Key>, Fault, Ports>
  /** Of what its first page says, and whether rows follow that. Never fails: the list is open by then. */
  readonly headersOf: (first: Page, goesOn: boolean) => Readonly<Record<string, string>>
  readonly rowsAtOnce?: number
}) {
  const most = firstValue(call.query, "limit") === undefined ? Infinity : limit
  const { first, pull, close } = yield* openWholeList(list, {
    ...defined({ after, rollbacks, rowsAtOnce }),
    limit: most,
  })
  const { head, textOf } = rowText(media, record)
  let begun = false
  const answer: Answer = {
    asOf: first.asOf,
    ...defined({ leftOut: first.leftOut }),
    body: undefined,
    headers: {
      ...headersOf(first, first.next !== undefined && first.items.length < most),
      ...varies,
      ...blockHeaders(first),
      "content-type": mediaTypes[media],
    },
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
