/** A list as what can be iterated: rows, pages, or all of it as of one moment. */
import type { Call, Calls } from "./calls.ts"
import { CowryError } from "./error.ts"
import { operations } from "./generated/operations.ts"
import { linesOf } from "./lines.ts"
import { withRaw } from "./raw.ts"
import type { List, Operation, Page, Row } from "./shapes.ts"

interface Envelope {
  readonly items: ReadonlyArray<object>
  readonly count?: number
  readonly countType?: "exact" | "lowerBound" | "approx"
  readonly link: { readonly nextToken?: string; readonly prevToken?: string }
}

const isEnvelope = (body: object): body is Envelope =>
  "items" in body && Array.isArray(body.items) && "link" in body && typeof body.link === "object" && body.link !== null

export const listOf = <O extends Operation>(calls: Calls, name: O, call: Call): List<O> => {
  const { integers, path } = operations[name]
  const rowOf = (row: object) => withRaw(row, integers) as unknown as Row<O>

  const page = async (next?: string): Promise<Page<O>> => {
    // A list that is begun at a page is gone on from the next one.
    const { prev, ...rest } = call.query
    const query = next === undefined ? call.query : { ...rest, next }
    const { body, about } = await calls.json({ ...call, query }, isEnvelope)
    const { items, count, countType, link } = body as Envelope
    return {
      ...about,
      items: items.map(rowOf),
      ...(count === undefined ? {} : { count }),
      ...(countType === undefined ? {} : { countType }),
      ...(link.nextToken === undefined ? {} : { next: link.nextToken }),
      ...(link.prevToken === undefined ? {} : { prev: link.prevToken }),
    }
  }

  async function* pages(): AsyncGenerator<Page<O>, void, undefined> {
    let next: string | undefined
    do {
      const read: Page<O> = await page(next)
      if (next !== undefined && read.next === next) throw standsStill(path)
      yield read
      next = read.next
    } while (next !== undefined)
  }

  async function* rows(): AsyncGenerator<Row<O>, void, undefined> {
    for await (const { items } of pages()) yield* items
  }

  /** Half a row is the last of a stream that somebody on the way cut, and ended. */
  const parsed = (line: string): object => {
    try {
      return JSON.parse(line) as object
    } catch (cause) {
      throw brokenOff(path, cause)
    }
  }

  async function* rowsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Row<O>, void, undefined> {
    const lines = linesOf(body)
    try {
      for (;;) {
        const { done, value } = await lines.next().catch((cause: unknown) => {
          throw call.options.signal?.aborted === true ? cause : brokenOff(path, cause)
        })
        if (done === true) return
        if (value !== "") yield rowOf(parsed(value))
      }
    } finally {
      await lines.return()
    }
  }

  return {
    page,
    pages,
    [Symbol.asyncIterator]: rows,
    whole: async () => {
      // The size of a page: in the query it would be how many rows there are at all.
      const { limit: _, ...query } = call.query
      const { body, about } = await calls.lines({ ...call, query })
      return { ...about, rows: rowsOf(body) }
    },
  }
}

/** Each cursor is another one: else somebody keeps one answer for all of them. */
const standsStill = (url: string): CowryError =>
  new CowryError("the list does not go on: a page names itself as the next one", { code: "UNEXPECTED_ANSWER", url })

const brokenOff = (url: string, cause: unknown): CowryError =>
  new CowryError("the stream was broken off before its end: rows are missing", { code: "UNREACHABLE", url, cause })
