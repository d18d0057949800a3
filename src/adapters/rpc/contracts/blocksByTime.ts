/** Which block is the last by a time, of many times together: headers say, and the first guess is where the time lies between two known ones. */
import { Array as Arr, Effect } from "effect"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { NativeMoment } from "../../../ports/NativeHistories.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf } from "../wire/shapes.ts"

/** Headers in one batch. */
const batchSize = 100
/** Guesses by proportion; after these by halves, which always end. */
const mostGuesses = 4

/** The block that is meant lies from `low` on, below `high`. */
interface Search {
  readonly time: number
  low: { readonly blockNumber: number; readonly time: number }
  high: { readonly blockNumber: number; readonly time: number }
}

type Until = NonNullable<NativeMoment["until"]>

/** In order. Fails where the node lacks one of the blocks, or says times that cannot be. */
export const findBlocks = Effect.fnUntraced(function* (
  client: Pick<RpcClient, "batch">,
  asked: ReadonlyArray<{ readonly blockNumber: number; readonly until: Until }>,
) {
  const searches = asked.map(({ blockNumber, until: { time, since, next } }): Search => {
    return { time, low: { blockNumber, time: since }, high: next }
  })
  for (let round = 0; ; round++) {
    const open = searches.filter(({ low, high }) => high.blockNumber - low.blockNumber > 1)
    if (open.length === 0) return searches.map(({ low }) => low.blockNumber)
    const guesses = new Map(open.map((search) => [search, guessesOf(search, round)]))
    const numbers = [...new Set([...guesses.values()].flat())]
    const headers = new Map<number, number>()
    for (const part of Arr.chunksOf(numbers, batchSize)) {
      const times = yield* client.batch(part.map(timeCall))
      for (const [index, time] of times.entries()) if (time !== undefined) headers.set(part[index]!, time)
    }
    for (const [search, own] of guesses) {
      const [oldest, youngest] = [search.low.time, search.high.time]
      for (const blockNumber of own) {
        const time = headers.get(blockNumber)
        if (time === undefined || time < oldest || time > youngest)
          return yield* new SourceUnavailable({ message: `the node does not have block ${blockNumber}` })
        narrow(search, { blockNumber, time })
      }
    }
  }
})

const narrow = (search: Search, known: Search["low"]): void => {
  if (known.time <= search.time) {
    if (known.blockNumber > search.low.blockNumber) search.low = known
  } else if (known.blockNumber < search.high.blockNumber) search.high = known
}

/** One or two blocks between. */
const guessesOf = ({ time, low, high }: Search, round: number): ReadonlyArray<number> => {
  const [first, last] = [low.blockNumber + 1, high.blockNumber - 1]
  const share = round < mostGuesses ? (time - low.time) / Math.max(1, high.time - low.time) : 0.5
  const guess = low.blockNumber + Math.floor(share * (high.blockNumber - low.blockNumber))
  const [here, behind] = [guess, guess + 1].map((block) => Math.min(Math.max(block, first), last))
  return here === behind ? [here!] : [here!, behind!]
}

const timeCall = (blockNumber: number): RpcCall<number | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(blockNumber), false],
  read: (result) => headerOf(result)?.time,
})
