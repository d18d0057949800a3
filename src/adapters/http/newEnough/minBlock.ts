/** The block that an answer must not be older than: as the caller names it, or as the cursor does that it walks by. */
import { Effect, Result } from "effect"
import type { AsOf, LeftOut } from "../../../model/block.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import { type ChainId, chainIdOf } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { type ReadServer, ReadServers } from "../../../ports/ReadServers.ts"
import type { Outside, TextChunks } from "../contract/call.ts"
import { BehindMinBlock } from "../contract/faults.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { lookAt } from "./looks.ts"

/** Chain → block. */
export type MinBlocks = ReadonlyMap<ChainId, number>

export const noMinBlocks: MinBlocks = new Map()

const wanted = "a block number, or each chain as <chainId>:<block>, comma-joined, as x-as-of-block has it"
const mostChains = 1000

/** The header's text → the blocks of the chains that are asked about; what it says of others counts for nothing here. */
export const readMinBlocks = (
  text: string | undefined,
  chains: ReadonlyArray<ChainId>,
): Result.Result<MinBlocks, InvalidParameter> => {
  if (text === undefined || text.trim() === "") return Result.succeed(noMinBlocks)
  const refused = Result.fail(invalidParameter("x-min-block", text, wanted))
  const parts = text.split(",").map((part) => part.trim())
  if (parts.length > mostChains) return refused
  const [only] = chains
  if (/^\d+$/u.test(text.trim())) {
    const block = blockOf(text.trim())
    if (block === undefined || chains.length > 1) return refused
    return Result.succeed(only === undefined ? noMinBlocks : new Map([[only, block]]))
  }
  const blocks = new Map<ChainId, number>()
  for (const part of parts) {
    const [id = "", number = "", ...rest] = part.split(":")
    const chainId = chainIdOf(id)
    const block = blockOf(number)
    if (chainId === undefined || block === undefined || rest.length > 0) return refused
    if (chains.includes(chainId)) blocks.set(chainId, Math.max(block, blocks.get(chainId) ?? 0))
  }
  return Result.succeed(blocks)
}

const blockOf = (text: string): number | undefined =>
  /^\d{1,15}$/u.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** Whether an answer of these points will do; a chain without a point is one without a block. */
export const meets = (asOf: ReadonlyArray<Pick<AsOf, "chainId" | "blockNumber">>, minBlocks: MinBlocks): boolean => {
  if (minBlocks.size === 0) return true
  const blocks = new Map(asOf.map(({ chainId, blockNumber }) => [chainId, blockNumber]))
  return [...minBlocks].every(([chainId, block]) => (blocks.get(chainId) ?? -1) >= block)
}

/** How long an older ledger is waited for, where reads go now. */
const waitMs = 1000

interface Made {
  readonly asOf: ReadonlyArray<AsOf>
  readonly leftOut?: ReadonlyArray<LeftOut>
  readonly outside?: Outside
  readonly chunks?: TextChunks
}

export interface AtLeastOptions {
  /** The ledger is held against them first, and the answer made once: it does something, or begins what nobody would end. */
  readonly isHeldBefore?: boolean
  /** What a primary says is the newest there is, also where it took blocks back. */
  readonly primaryIsEnough?: true
}

/**
 * The answer, as new as is wanted. Where it is older it is waited for a little, then made on the next server, and refused
 * at last. What others than the ledger say is as new as it is.
 */
export const atLeast = <A extends Made, E, R>(
  minBlocks: MinBlocks,
  make: Effect.Effect<A, E, R>,
  options: AtLeastOptions = {},
) => (minBlocks.size === 0 ? make : atLeastOf(minBlocks, make, options))

const atLeastOf = Effect.fnUntraced(function* <A extends Made, E, R>(
  minBlocks: MinBlocks,
  make: Effect.Effect<A, E, R>,
  { primaryIsEnough, isHeldBefore }: AtLeastOptions,
) {
  const servers = yield* ReadServers
  const list = servers.list()
  const enough = (server: ReadServer | undefined): boolean =>
    primaryIsEnough === true && (server === undefined || (server.isPrimary && !server.isStandby))
  const used = list.findIndex(({ isUsed }) => isUsed)
  const others = list.flatMap(({ isReached }, place) => (place === used || !isReached ? [] : [place]))
  /** Of the server that has come furthest: the last one that is asked may be a standby behind the rest. */
  let furthest: ReadonlyArray<AsOf> = []
  /** Of the chains that the answer speaks of, as far as that is known. */
  let wanted = minBlocks
  for (const [turn, place] of [used, used, ...others].entries()) {
    const server = list[place]
    const on = <B, E2, R2>(reading: Effect.Effect<B, E2, R2>) => (place < 0 ? reading : servers.on(place, reading))
    // The first try costs nothing where it is new enough, as it nearly always is.
    const isFirst = turn === 0
    if (isFirst && isHeldBefore === true) continue
    if (!isFirst) {
      const newest = yield* on(waitFor(wanted, turn === 1 ? waitMs : 0))
      if (reachOf(newest, wanted) > reachOf(furthest, wanted)) furthest = newest
      if (!meets(newest, wanted) && !enough(server)) continue
    }
    const made = yield* Effect.result(isFirst ? make : on(make))
    if (Result.isSuccess(made)) {
      const { asOf, leftOut = [], outside, chunks } = made.success
      if (outside !== undefined || meets([...asOf, ...leftOut], minBlocks) || enough(server)) return made.success
      // Its points are not known, or it is older: the server was new enough a moment ago.
      if (asOf.length === 0 && !isFirst) return made.success
      yield* chunks?.close ?? Effect.void
      wanted = new Map([...minBlocks].filter((it) => !meets(leftOut, new Map([it]))))
    } else if (!isFirst || enough(server)) {
      return yield* Effect.fail(made.failure)
    }
  }
  return yield* new BehindMinBlock({
    message: `${[...wanted].map(wordsOf(furthest)).join("; ")}: ask again shortly`,
  })
})

/** How much of what is wanted is there: greater = nearer to an answer. */
const reachOf = (points: ReadonlyArray<AsOf>, minBlocks: MinBlocks): number =>
  points.reduce((sum, { chainId, blockNumber }) => sum + Math.min(blockNumber, minBlocks.get(chainId) ?? 0) + 1, 0)

const wordsOf =
  (newest: ReadonlyArray<AsOf>) =>
  ([chainId, block]: readonly [ChainId, number]): string => {
    const known = newest.find((it) => it.chainId === chainId)
    const where = known === undefined ? "has no block here" : `has come to block ${known.blockNumber} here`
    return `chain ${chainId} ${where}, block ${block} is wanted`
  }

/** Where the ledgers stand, as soon as they are far enough or the time is over. */
const waitFor = Effect.fnUntraced(function* (minBlocks: MinBlocks, milliseconds: number) {
  const until = (yield* steadyMillis) + milliseconds
  const points = new Map<ChainId, AsOf>()
  let left = [...minBlocks.keys()]
  while (true) {
    const looks = yield* Effect.forEach(left, lookAt, { concurrency: "unbounded" })
    for (const { point } of looks) if (point !== undefined) points.set(point.chainId, point)
    left = left.filter((chainId) => (points.get(chainId)?.blockNumber ?? -1) < minBlocks.get(chainId)!)
    // A look that began before the question, or before its time was over, is not the last word.
    if (left.length === 0 || looks.every(({ beganAt }) => beganAt >= until)) return [...points.values()]
  }
})
