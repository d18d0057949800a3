/** Asks a configured source for the two figures of a chain's native supply as of a block. */
import { Effect, Schema } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { SupplySettings } from "../../model/userFiles/supplySettings.ts"
import type { NativeBalances } from "../../ports/NativeBalances.ts"
import type { WebDocuments } from "../../ports/WebDocuments.ts"
import { type Decimal, formatDecimal, isAtMost, parseDecimal, subtract, wholeUnits } from "./decimal.ts"
import { issuedBy } from "./issuance.ts"
import { readFigure } from "./published.ts"

/** What the source says cannot be. */
export class SupplyRefused extends Schema.TaggedError<SupplyRefused>()("SupplyRefused", { message: Schema.String }) {}

const mostBytes = 1024 * 1024
const timeoutMs = 10_000

export interface SuppliedChain {
  readonly chainId: ChainId
  readonly symbol: string
  /** Of the smallest unit. */
  readonly decimals: number
  readonly settings: SupplySettings
}

export interface Sources {
  readonly web: WebDocuments["Service"]
  readonly balances: NativeBalances["Service"]
}

/** Decimal texts of whole units, as of the block; never more in circulation than there is. */
export const findFigures = Effect.fnUntraced(function* (
  { web, balances }: Sources,
  chain: SuppliedChain,
  { blockNumber }: Pick<AsOf, "blockNumber">,
) {
  const { burnt = [], locked = [] } = chain.settings
  const gross = yield* grossOf(web, chain, blockNumber)
  // An address is taken off once, whatever it is called.
  const addresses = [...new Set([...burnt, ...locked])]
  const amounts = addresses.length === 0 ? [] : yield* balances.of(chain.chainId, addresses, blockNumber)
  const sum = (wanted: ReadonlyArray<string>) =>
    addresses.reduce((total, address, index) => (wanted.includes(address) ? total + amounts[index]! : total), 0n)
  const less = (figure: Decimal, units: bigint) => subtract(figure, { units, scale: chain.decimals })
  const total = less(gross.total, sum(burnt))
  const circulating = less(gross.circulating, sum(addresses))
  if (total === undefined || circulating === undefined) {
    return yield* refuse("the burnt and locked balances are more than there is")
  }
  if (!isAtMost(circulating, total)) return yield* refuse("more circulates than there is")
  return { totalSupply: formatDecimal(total), circulatingSupply: formatDecimal(circulating) }
})

const grossOf = Effect.fnUntraced(function* (
  web: WebDocuments["Service"],
  { settings, decimals }: SuppliedChain,
  blockNumber: number,
) {
  switch (settings.kind) {
    case "fixed": {
      const total = yield* amountOf(settings.total)
      if (wholeUnits(total, decimals) === undefined) return yield* refuse(tooFine(settings.total, decimals))
      return { total, circulating: total }
    }
    case "halving": {
      const unitsOf = (text: string) =>
        Effect.flatMap(amountOf(text), (amount) => {
          const units = wholeUnits(amount, decimals)
          return units === undefined ? refuse(tooFine(text, decimals)) : Effect.succeed(units)
        })
      const reward = yield* unitsOf(settings.reward)
      const premined = yield* unitsOf(settings.premined ?? "0")
      const { interval, firstBlock = 1 } = settings
      const total = { units: issuedBy({ premined, reward, interval, firstBlock }, blockNumber), scale: decimals }
      return { total, circulating: total }
    }
    case "http": {
      const { totalUrl, totalPath, circulatingUrl, circulatingPath, unit } = settings
      const fetchText = (url: string) =>
        Effect.map(web.get({ url, maxBytes: mostBytes, timeoutMs }), (found) =>
          found === "unchanged" ? "" : found.text,
        )
      const figureOf = (url: string, text: string, path: string | undefined) => {
        const read = readFigure(text, path)
        if ("problem" in read) return refuse(`${new URL(url).origin}: ${read.problem}`)
        if (read.units === 0n) return refuse(`${new URL(url).origin}: 0 is no supply of a chain`)
        const figure = unit === "smallest" ? { units: read.units, scale: read.scale + decimals } : read
        // The float of a publisher, or another chain's figure: the last digits cannot be true.
        if (wholeUnits(figure, decimals) === undefined) {
          return refuse(`${new URL(url).origin}: ${tooFine(formatDecimal(figure), decimals)}`)
        }
        return Effect.succeed(figure)
      }
      const text = yield* fetchText(totalUrl)
      const total = yield* figureOf(totalUrl, text, totalPath)
      if (circulatingUrl === undefined && circulatingPath === undefined) return { total, circulating: total }
      // Two figures of one document are of one moment.
      const own = circulatingUrl ?? totalUrl
      const ownText = own === totalUrl ? text : yield* fetchText(own)
      const circulating = yield* figureOf(own, ownText, circulatingPath)
      return { total, circulating }
    }
  }
})

const amountOf = (text: string) => {
  const amount = parseDecimal(text)
  return amount === undefined ? refuse(`${text} is no amount`) : Effect.succeed(amount)
}

const tooFine = (figure: string, decimals: number) => `${figure} has more than ${decimals} decimals`

const refuse = (message: string) => Effect.fail(new SupplyRefused({ message }))
