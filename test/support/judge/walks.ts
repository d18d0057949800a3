/** Walks a list from end to end and back, page by page, in each of the ways that its pages offer. */

import type { Service } from "../service.ts"
import type { ExpectedList } from "./lists.ts"

interface Page {
  readonly items: ReadonlyArray<object>
  readonly count?: number
  readonly countType?: string
  readonly link: { readonly [way in "next" | "nextToken" | "prev" | "prevToken"]?: string }
}

/** The ready-made link, or its token under either name. */
export const ways = ["link", "short", "long"] as const
export type Way = (typeof ways)[number]

const step = (path: string, { link }: Page, direction: "next" | "prev", way: Way): string | undefined => {
  const token = link[`${direction}Token`]
  if (token === undefined || way === "link") return link[direction]
  return `${path}&${way === "short" ? direction : `${direction}Token`}=${token}`
}

/** What differs from the list as it must be; nothing where all is right. */
export const walkBothWays = async (
  service: Service,
  { path, items }: ExpectedList,
  limit: number,
  way: Way,
): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  const fault = (text: string) => faults.push(`${path}limit=${limit} (${way}): ${text}`)
  const start = `${path}limit=${limit}`
  const pages: Array<Page> = []
  const most = Math.ceil(items.length / limit) + 2
  for (let next: string | undefined = start; next !== undefined && pages.length < most; ) {
    const page: Page = await service.get(pages.length === 0 ? `${next}&count=true` : next)
    pages.push(page)
    if (page.link.next !== undefined && page.items.length !== limit) fault(`a page of ${page.items.length}`)
    next = step(start, page, "next", way)
  }
  const { count, countType } = pages[0]!
  const isRight = { exact: count === items.length, lowerBound: count! <= items.length, approx: true }[countType ?? ""]
  if (isRight !== true) fault(`count ${count} (${countType}) of ${items.length}`)
  if (pages[0]!.link.prev !== undefined) fault("the first page has a page before it")
  const difference = differenceOf(
    pages.flatMap((page) => page.items),
    items,
  )
  if (difference !== undefined) fault(difference)

  const last = pages.at(-1)!
  const back: Array<Page> = []
  for (let prev = step(start, last, "prev", way); prev !== undefined && back.length < most; ) {
    const page: Page = await service.get(prev)
    back.unshift(page)
    prev = step(start, page, "prev", way)
  }
  const backwards = differenceOf(
    back.flatMap((page) => page.items),
    items.slice(0, items.length - last.items.length),
  )
  if (backwards !== undefined) fault(`back: ${backwards}`)
  return faults
}

const differenceOf = (ours: ReadonlyArray<object>, truth: ReadonlyArray<object>): string | undefined => {
  const at = truth.findIndex((item, index) => !Bun.deepEquals(item, ours[index], true))
  if (at !== -1)
    return `item ${at} of ${ours.length}: ${JSON.stringify(ours[at])} instead of ${JSON.stringify(truth[at])}`
  return ours.length === truth.length ? undefined : `${ours.length} items instead of ${truth.length}`
}
