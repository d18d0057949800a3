/** What happens in a block of the soak: random traffic of few people, crowds, swaps of every kind, logs of odd shapes. */
import { type Random, randomOf } from "../../../demo/chain/random.ts"
import { swapTopics } from "../../../src/domain/ingest/decode/topics.ts"
import { randomEvent } from "../../ingest/traffic.ts"
import {
  consecutiveTransfer,
  deposit,
  encodeEvent,
  multiTransfer,
  nftTransfer,
  type TestEvent,
  transfer,
  withdrawal,
} from "../../support/chain/events.ts"
import { randomLog } from "../../support/chain/sayings.ts"
import { address } from "../../support/chain/testChain.ts"
import { nobody } from "../../support/judge/trueLogs.ts"
import { coins, collections, crowd, dollar, goods, parrot, pools, wrapped } from "./scene.ts"

/** A log before it has a place in a block. */
export interface BareLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

const most = 2n ** 256n - 1n
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, "0")
const bare = ({ token, event }: TestEvent): BareLog => ({ address: token, ...encodeEvent(event) })

/** The first blocks have every trusted token: what is known of tokens without a list depends on the minute. */
export const firstLogs = (): ReadonlyArray<BareLog> => [
  ...[...coins, wrapped].map((coin, index) => bare(transfer(coin, nobody, crowd[index]!, 10n ** 24n))),
  bare(transfer(dollar, nowhere, crowd[0]!, 12_345n * 10n ** 18n)),
]

/** Where dollars come from: it has less than nothing. */
const nowhere = address(0x0dd)

/** None in every fourth block. */
export const logsOfBlock = (random: Random): ReadonlyArray<BareLog> =>
  random.chance(0.25)
    ? []
    : Array.from({ length: 1 + random.below(random.chance(0.05) ? 60 : 12) }, () =>
        random.chance(0.05) ? mintedAgain(random) : [randomLogOf(random)],
      ).flat()

/** Burnt and minted in one block: a reorg gives the id its older mint back. */
const mintedAgain = (random: Random): ReadonlyArray<BareLog> => {
  const [collection, id] = [random.pick(collections), BigInt(random.below(5))]
  return [
    bare(nftTransfer(collection, somebody(random), nobody, id)),
    bare(nftTransfer(collection, nobody, somebody(random), id)),
  ]
}

const randomLogOf = (random: Random): BareLog => {
  switch (random.below(10)) {
    case 0:
    case 1:
      return bare(randomEvent(random))
    case 2:
      return { address: parrot, ...randomLog(random, crowd.slice(0, 6)) }
    case 3:
    case 4:
      return swapLog(random)
    case 5:
    case 6:
      return bare(tokenOfIds(random))
    default:
      return bare(coinEvent(random))
  }
}

const somebody = (random: Random) => (random.chance(0.08) ? nobody : random.pick(crowd))

/** Amounts small and round, so that many hold the same, now and then absurd. */
const amountOf = (random: Random) =>
  random.chance(0.03)
    ? random.pick([most, 2n ** 255n, 2n ** 128n, 2n ** 127n - 1n])
    : random.chance(0.5)
      ? BigInt(random.below(30))
      : random.amount(80)

/** Coins from here on are sent only by who was given plenty in the first block. */
const honestFrom = 6

const coinEvent = (random: Random): TestEvent => {
  if (random.chance(0.15)) {
    const from = random.chance(0.6) ? nowhere : random.pick(crowd)
    return transfer(dollar, from, somebody(random), random.amount(90))
  }
  const place = random.below(coins.length)
  const coin = coins[place]!
  if (place >= honestFrom) {
    const from = random.chance(0.3) ? nobody : crowd[place]!
    return transfer(coin, from, somebody(random), random.amount(40))
  }
  if (random.chance(0.1)) {
    const wrap = random.chance(0.6) ? deposit : withdrawal
    return wrap(random.chance(0.9) ? wrapped : coin, somebody(random), random.amount(90))
  }
  return transfer(
    random.chance(0.1) ? wrapped : coin,
    random.chance(0.3) ? nobody : somebody(random),
    somebody(random),
    amountOf(random),
  )
}

const tokenOfIds = (random: Random): TestEvent => {
  // Many of few ids: they are burnt and minted again within the depth of a reorg.
  const id = () =>
    random.chance(0.02) ? most - BigInt(random.below(3)) : BigInt(random.below(random.chance(0.5) ? 5 : 120))
  const collection = random.pick(collections)
  switch (random.below(9)) {
    case 8:
    case 0:
      return nftTransfer(collection, somebody(random), nobody, id())
    case 1: {
      const first = BigInt(random.below(300))
      const length = random.chance(0.02) ? 700 : 1 + random.below(12)
      return consecutiveTransfer(collection, nobody, somebody(random), first, first + BigInt(length))
    }
    case 2:
    case 3:
      return nftTransfer(collection, nobody, somebody(random), id())
    case 4:
      return nftTransfer(collection, somebody(random), somebody(random), id())
    default: {
      const contract = random.pick(goods)
      // The first of them only mints, and not too much.
      const isHonest = contract === goods[0]
      const amount = () => (isHonest ? BigInt(random.below(1000)) : amountOf(random))
      const units = Array.from(
        { length: random.chance(0.6) ? 1 : random.below(15) },
        () => [BigInt(random.below(12)), amount()] as const,
      )
      return multiTransfer(
        contract,
        isHonest || random.chance(0.5) ? nobody : somebody(random),
        somebody(random),
        units,
      )
    }
  }
}

/** At a pool by its own kind of log; what it gains may be nothing, or both. */
const swapLog = (random: Random): BareLog => {
  const [address, { kind }] = random.pick([...pools])
  const someone = `0x${word(BigInt(random.pick(crowd)))}`
  const amount = () => (random.chance(0.02) ? 0n : random.chance(0.03) ? 2n ** 254n : 1n + random.amount(100))
  const [paid, got, forward] = [amount(), amount(), random.chance(0.5)]
  const sides = forward ? [paid, 0n, 0n, got] : [0n, paid, got, 0n]
  const signed = (forward ? [paid, -got] : [-got, paid]).map((value) => (random.chance(0.02) ? -value : value))
  const words: Record<typeof kind, ReadonlyArray<bigint>> = {
    v2: sides.map((value) => (value === 0n && random.chance(0.1) ? 1n : value)),
    solidly: sides,
    v3: [...signed, 2n ** 96n, 1n, 0n],
    pancake: [...signed, 2n ** 96n, 1n, 0n, 0n, 0n],
  }
  const topic = { v2: swapTopics.v2, solidly: swapTopics.solidly, v3: swapTopics.v3, pancake: swapTopics.pancakeV3 }[
    kind
  ]
  const cut = random.chance(0.03) ? 1 : 0
  return {
    address,
    topics: [topic, someone, someone],
    data: `0x${words[kind].slice(cut).map(word).join("")}`,
  }
}

export { type Random, randomOf }
