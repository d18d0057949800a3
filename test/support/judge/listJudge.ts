/** Holds every native list against the truth, page by page. */
import { setTimeout as pause } from "node:timers/promises"
import { inParallel, type Service } from "../service.ts"
import { type Verdict, width } from "./judge.ts"
import { listsOf } from "./lists.ts"
import type { Known } from "./records.ts"
import type { Truth } from "./truth.ts"
import { walkBothWays, ways } from "./walks.ts"

/**
 * Every native list, walked whole with each limit, there and back, in so many of the three ways of paging, all of them
 * taken in turn. 0: in one way, where that takes no more than 30 pages and no smaller limit has held the list in one.
 */
export const compareLists = async (
  service: Service,
  truth: Truth,
  known: Known,
  limits: ReadonlyArray<number>,
  waysEach: number,
): Promise<Verdict> => {
  const verdict = { compared: 0, differences: [] as Array<string> }
  const walks = listsOf(truth, known).flatMap((list, index) => {
    const { length } = list.items
    const isWorth = (limit: number, place: number) =>
      length <= limit * 30 && (place === 0 || limits[place - 1]! < length || limits[place - 1]! * 30 < length)
    return limits.flatMap((limit, place) =>
      ways
        .filter((_, way) => (way + index + place) % 3 < Math.max(1, waysEach))
        .filter(() => waysEach > 0 || isWorth(limit, place))
        .map((way) => ({ list, limit, way })),
    )
  })
  await inParallel(walks, width, async ({ list, limit, way }) => {
    verdict.compared += list.items.length
    verdict.differences.push(...(await walkBothWays(service, list, limit, way)))
  })
  return verdict
}

/** Returns when the lists that show what is learned in the background show all of it; after `timeoutMs` in any case. */
export const settled = async (service: Service, truth: Truth, known: Known, timeoutMs = 30_000): Promise<void> => {
  const lists = listsOf(truth, known).filter(({ path }) => /\/(erc\d+|tokens)\?$/.test(path))
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await pause(50)) {
    const faults = await Promise.all(lists.map((list) => walkBothWays(service, list, 1000, "link")))
    if (faults.flat().length === 0) return
  }
}
