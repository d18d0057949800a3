/** The generator's own state as text, in a fixed order: what a ledger of this chain must hold. */
import type { Chain } from "../chain/Chain.ts"
import { zero } from "../chain/population.ts"

export interface TokenTruth {
  readonly address: string
  readonly transfers: number
  readonly holders: number
  readonly supply: string
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
}

/** Tokens with an event that counts, by address. */
export const tokensOf = ({ population }: Chain): ReadonlyArray<TokenTruth> => {
  const { tokens, balances, findPair } = { ...population, findPair: population.findPair.bind(population) }
  return tokens
    .map((token, id): TokenTruth & { readonly events: number } => {
      let holders = 0
      for (const pair of token.pairs) if (balances.at(pair) > 0n) holders++
      const ofZero = findPair(id, zero)
      if (ofZero !== undefined && balances.at(ofZero) > 0n) holders++
      const { supply, transfers, events } = token
      return { address: text(token.hex), transfers, holders, supply: `${supply}`, ...metadataOf(id), events }
    })
    .filter(({ events }) => events > 0)
    .map(({ events: _, ...truth }) => truth)
    .sort((a, b) => (a.address < b.address ? -1 : 1))
}

/** `token holder balance` of every pair that an event touches, by token, then holder; in parts of text. */
export function* pairsOf({ population }: Chain): Generator<string> {
  const { tokens, balances, touches, pairAccount } = population
  const sorted = tokens.map((token, id) => ({ token, id, address: text(token.hex) }))
  sorted.sort((a, b) => (a.address < b.address ? -1 : 1))
  for (const { token, id, address } of sorted) {
    const ofZero = population.findPair(id, zero)
    const lines: Array<string> = []
    for (const pair of ofZero === undefined ? token.pairs : [...token.pairs, ofZero]) {
      if (touches.at(pair) === 0) continue
      lines.push(`${text(population.hexOfAccount(pairAccount.at(pair)))} ${balances.at(pair)}`)
    }
    if (lines.length > 0)
      yield lines
        .sort()
        .map((line) => `${address} ${line}\n`)
        .join("")
  }
}

/** What a token says of itself: most say all, some in bytes32, some nothing, some revert. */
export const metadataOf = (id: number): Pick<TokenTruth, "name" | "symbol" | "decimals"> => {
  const style = styleOf(id)
  if (style === "silent") return {}
  return { name: `Token ${id}`, symbol: `T${id}`, decimals: id % 3 === 0 ? 6 : 18 }
}

export const styleOf = (id: number): "string" | "bytes32" | "silent" =>
  id % 50 === 7 ? "bytes32" : id % 50 === 8 ? "silent" : "string"

const text = (digits: Uint8Array): string => `0x${Buffer.from(digits).toString("latin1")}`
