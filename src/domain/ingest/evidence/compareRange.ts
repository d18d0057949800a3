/** Two nodes' logs of the same blocks: where they differ. Pure. */
import { type Log, logText } from "../../../model/block.ts"

/** A block of which two nodes tell different logs. */
export interface Difference {
  readonly number: number
  readonly own: ReadonlyArray<Log>
  readonly others: ReadonlyArray<Log>
  /** What the other has beyond the own ones. */
  readonly more: ReadonlyArray<Log>
}

/** Both ascend. Log indexes may be others: some nodes count anew in each receipt. */
export const differencesOf = (own: ReadonlyArray<Log>, other: ReadonlyArray<Log>): ReadonlyArray<Difference> => {
  const differences: Array<Difference> = []
  for (let [left, right] = [0, 0]; left < own.length || right < other.length; ) {
    const [a, b] = [own[left], other[right]]
    if (a !== undefined && b !== undefined && a.logIndex === b.logIndex && isSameLog(a, b)) {
      left++
      right++
      continue
    }
    const number = Math.min(a?.blockNumber ?? Number.POSITIVE_INFINITY, b?.blockNumber ?? Number.POSITIVE_INFINITY)
    const mine = blockAt(own, left, number)
    const theirs = blockAt(other, right, number)
    left = mine.end
    right = theirs.end
    const more = beyond(theirs.logs, mine.logs)
    if (more.length > 0 || beyond(mine.logs, theirs.logs).length > 0) {
      differences.push({ number, own: mine.logs, others: theirs.logs, more })
    }
  }
  return differences
}

/** What some have beyond others, one of two alike included. */
export const beyond = (some: ReadonlyArray<Log>, others: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  const counts = new Map<string, number>()
  for (const log of others) counts.set(logText(log), (counts.get(logText(log)) ?? 0) + 1)
  return some.filter((log) => {
    const left = counts.get(logText(log)) ?? 0
    counts.set(logText(log), left - 1)
    return left <= 0
  })
}

/** With those that the one has beyond the other, in order; undefined where two have one index. */
export const together = (own: ReadonlyArray<Log>, more: ReadonlyArray<Log>): ReadonlyArray<Log> | undefined => {
  const all = [...own, ...more].sort((a, b) => a.logIndex - b.logIndex)
  return all.every(({ logIndex }, place) => logIndex !== all[place - 1]?.logIndex) ? all : undefined
}

/** All of the block's, wherever in it `at` lies. */
const blockAt = (logs: ReadonlyArray<Log>, at: number, number: number) => {
  let [begin, end] = [at, at]
  while (begin > 0 && logs[begin - 1]!.blockNumber === number) begin--
  while (end < logs.length && logs[end]!.blockNumber === number) end++
  return { logs: logs.slice(begin, end), end }
}

const isSameLog = (a: Log, b: Log): boolean =>
  a.blockNumber === b.blockNumber &&
  a.txHash === b.txHash &&
  a.address === b.address &&
  a.data === b.data &&
  a.topics.length === b.topics.length &&
  a.topics.every((topic, place) => topic === b.topics[place])
