/** Sums of what an address holds, by chain and in all. */
import type { AsOf } from "../../model/block.ts"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../model/primitives.ts"
import type { ChainPortfolio, Portfolio } from "../../model/wallet/holdings.ts"
import type { HeldBy, HeldTotal } from "../../ports/WalletStore.ts"
import { usdText } from "../prices/worth.ts"
import { sourceOf, type ValuedRow } from "./nodeRows.ts"

interface Parts {
  readonly asOf: ReadonlyArray<AsOf>
  readonly at: HeldBy["at"]
  readonly totals: ReadonlyArray<HeldTotal>
  /** Of which the node was asked: those below the least value too. */
  readonly told: ReadonlyArray<ValuedRow>
  /** Beside the totals. */
  readonly rows: ReadonlyArray<ValuedRow>
  /** What is known of the blocks of `at`. */
  readonly past: ReadonlyArray<{ readonly chainId: ChainId; readonly time?: number; readonly hash?: Hash }>
}

export const portfolioOf = (address: Address, { asOf, at, totals, rows, told, past }: Parts): Portfolio => {
  const chains = asOf.map((head) => {
    const stored = totals.find(({ chainId }) => chainId === head.chainId)
    const mine = rows.filter(({ row }) => row.chainId === head.chainId)
    const sums = {
      tokens: (stored?.rows ?? 0) + mine.length,
      priced: (stored?.priced ?? 0) + mine.filter(({ value }) => value !== null).length,
      value: mine.reduce((sum, { value }) => sum + BigInt(value ?? 0), BigInt(stored?.value ?? 0)),
      suspect:
        (stored?.suspect ?? 0) + mine.filter(({ row, suspect }) => suspect === true && row.source === "ledger").length,
    }
    const block = at?.find(({ chainId }) => chainId === head.chainId)?.blockNumber ?? head.blockNumber
    const isHead = block === head.blockNumber
    const { hash, time } = (isHead ? head : past.find(({ chainId }) => chainId === head.chainId)) ?? {}
    const source = sourceOf(told, head.chainId)
    const chain: ChainPortfolio = {
      chainId: head.chainId,
      ...shownSums(sums),
      blockNumber: block,
      ...(hash === undefined ? {} : { blockHash: hash }),
      ...(time === undefined ? {} : { timestamp: dateTimeOf(time) }),
      ...(source === undefined ? {} : { source }),
      ...suspectOf(sums),
      ...(head.firstBlock > 0 ? { firstBlockNumber: head.firstBlock } : {}),
    }
    return { chain, sums }
  })
  const all = chains.reduce(
    (sum, { sums }) => ({
      tokens: sum.tokens + sums.tokens,
      priced: sum.priced + sums.priced,
      value: sum.value + sums.value,
      suspect: sum.suspect + sums.suspect,
    }),
    { tokens: 0, priced: 0, value: 0n, suspect: 0 },
  )
  return { address, ...shownSums(all), ...suspectOf(all), chains: chains.map(({ chain }) => chain) }
}

interface Sums {
  readonly tokens: number
  readonly priced: number
  readonly value: bigint
  /** Those with a figure of the ledger that is in doubt. */
  readonly suspect: number
}

const suspectOf = ({ suspect }: Sums) => (suspect > 0 ? { suspect } : {})

/** Of tokens of which none has a value the sum is not known: it is not 0. */
const shownSums = ({ tokens, priced, value }: Sums) => ({
  ...(priced > 0 || tokens === 0 ? { valueUsd: usdText(value) } : {}),
  tokens,
  priced,
  unpriced: tokens - priced,
})
