/** What a chain's supply has to be held against: its currency. */
import type { SupplySettings } from "../../model/userFiles/supplySettings.ts"

/** What only the chain's currency tells: all there is of it are whole smallest units. */
export const checkSupply = (
  at: string,
  supply: SupplySettings,
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
