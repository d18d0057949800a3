/** Where the supply of a chain's native currency is known from, as the configuration file says it. */
import { addresses, amount, byKind, choice, jsonPath, type ReadOf, webUrl, whole } from "./readers.ts"

/**
 * Taken off at the as-of block: the balances of `burnt` from both figures, those of `locked` from the circulating one.
 * Addresses that a publisher has taken off already do not belong here.
 */
const takenOff = { burnt: addresses, locked: addresses }

/** Amounts are whole native units. */
export const supplySource = byKind({
  /** All there ever was. */
  fixed: { needed: { total: amount }, optional: takenOff },
  /** `reward` for each block from `firstBlock` (1) on, half of it after every `interval` blocks; `premined` before them. */
  halving: {
    needed: { reward: amount, interval: whole(1, 2 ** 31 - 1) },
    optional: { premined: amount, firstBlock: whole(0, 2 ** 31 - 1), ...takenOff },
  },
  /** Published figures: a number as plain text, or at a path inside JSON. Without `circulatingUrl` all of it circulates. */
  http: {
    needed: { totalUrl: webUrl },
    optional: {
      totalPath: jsonPath,
      circulatingUrl: webUrl,
      circulatingPath: jsonPath,
      /** Of the figures; absent = whole units. */
      unit: choice("whole", "smallest"),
      ...takenOff,
    },
  },
})
export type SupplySource = ReadOf<typeof supplySource>

/** What only the chain's currency tells: all there is of it are whole smallest units. */
export const checkSupply = (
  at: string,
  supply: SupplySource,
  nativeCurrency: { readonly decimals: number } | undefined,
  problems: Array<string>,
): void => {
  if (nativeCurrency === undefined) {
    problems.push(`${at}: the chain's nativeCurrency is not known; say it too`)
    return
  }
  if (supply.kind === "http") return
  const { decimals } = nativeCurrency
  const amounts =
    supply.kind === "fixed" ? { total: supply.total } : { premined: supply.premined, reward: supply.reward }
  for (const [word, written] of Object.entries(amounts)) {
    const places = written?.split(".")[1]?.replace(/0+$/u, "").length ?? 0
    if (places > decimals) problems.push(`${at}.${word}: expected at most ${decimals} decimals, got "${written}"`)
  }
}
