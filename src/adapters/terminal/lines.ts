/** A chain's status as a line for people: how far, how fast, how long still. Pure. */
import { type ChainSyncStatus, isLoading } from "../../ports/SyncStatus.ts"

/** `chain 1: block 1,234,567 of 20,000,000, copying, 6.1 %, 45,120 logs/s, 2 h 5 min left` */
export const progressLine = (status: ChainSyncStatus): string => {
  const { chainId, headBlock, indexedBlock, firstBlock, logsPerSecond, problem } = status
  if (headBlock === undefined) return `chain ${chainId}: ${problem ?? "waiting for the node"}`
  const stored = indexedBlock === undefined ? 0 : indexedBlock - firstBlock + 1
  const blocks = Math.max(1, headBlock - firstBlock + 1)
  const percent = Math.min(100, Math.max(0, status.done === undefined ? (100 * stored) / blocks : 100 * status.done))
  const doing = isLoading(status) ? [status.phase] : []
  return [
    `chain ${chainId}: block ${indexedBlock === undefined ? "–" : count(indexedBlock)} of ${count(headBlock)}`,
    ...doing,
    `${percent.toFixed(1)} %`,
    `${count(Math.round(logsPerSecond))} logs/s`,
    `${timeLeft(status)} left`,
    ...(problem === undefined ? [] : [problem]),
  ].join(", ")
}

/** What to say when a chain's state is another than before; undefined = nothing new. */
export const changeLine = (before: ChainSyncStatus | undefined, now: ChainSyncStatus): string | undefined => {
  const { chainId, phase, indexedBlock, problem } = now
  if (before?.phase !== phase) {
    if (phase === "live")
      return `chain ${chainId}: live${indexedBlock === undefined ? "" : ` at block ${count(indexedBlock)}`}`
    if (phase === "stopped") return `chain ${chainId}: stopped: ${problem ?? "no reason given"}`
    if (before?.phase === "live") return progressLine(now)
  }
  if (phase === "live" && wordsOf(before?.problem) !== wordsOf(problem))
    return `chain ${chainId}: ${problem ?? "all well again"}`
  return undefined
}

/**
 * A problem without what counts on while it lasts: seconds and blocks. What tells one from another stays: statuses of HTTP,
 * codes, which are below zero, and numbers in addresses.
 */
const wordsOf = (problem: string | undefined): string | undefined =>
  problem?.replaceAll(/0x[0-9a-f]+|(?<!HTTP |[-\w:./])\d[\d.,-]*/gi, "#")

const timeLeft = ({
  headBlock = 0,
  indexedBlock,
  firstBlock,
  blocksPerSecond,
  secondsLeft,
}: ChainSyncStatus): string => {
  if (secondsLeft === undefined && !(blocksPerSecond > 0)) return "unknown time"
  const seconds = secondsLeft ?? Math.max(0, (headBlock - (indexedBlock ?? firstBlock - 1)) / blocksPerSecond)
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`
}

const count = (number: number): string => number.toLocaleString("en-US")
