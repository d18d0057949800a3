/** `eth_call` of the chain's tokens: what the ERC-20 methods answer, from the newest state. */

import { metadataOf, styleOf } from "../truth/truth.ts"
import type { Chain } from "./Chain.ts"
import { wordOf } from "./hex.ts"

/** The returned bytes, or undefined for a revert. An address without a contract returns nothing. */
export class Calls {
  private readonly tokens = new Map<string, number>()
  private readonly accounts = new Map<string, number>()

  constructor(private readonly chain: Pick<Chain, "population">) {}

  call(to: string, data: string): string | undefined {
    const id = this.tokenAt(to)
    if (id === undefined) return "0x"
    const { name, symbol, decimals } = metadataOf(id)
    switch (data.slice(0, 10)) {
      case "0x06fdde03":
        return name && this.text(id, name)
      case "0x95d89b41":
        return symbol && this.text(id, symbol)
      case "0x313ce567":
        return decimals === undefined ? undefined : `0x${wordOf(BigInt(decimals))}`
      case "0x18160ddd":
        return `0x${wordOf(this.chain.population.tokens[id]!.supply)}`
      case "0x70a08231":
        return `0x${wordOf(this.balanceOf(id, `0x${data.slice(-40)}`))}`
      case "0xc87b56dd":
        return this.text(id, `https://t.example/${BigInt(`0x${data.slice(10)}`)}`)
      default:
        return undefined
    }
  }

  private tokenAt(address: string): number | undefined {
    const { tokens } = this.chain.population
    return this.find(this.tokens, address, tokens.length, (token) => text(tokens[token]!.hex))
  }

  private balanceOf(token: number, holder: string): bigint {
    const { population } = this.chain
    const account = this.find(this.accounts, holder, population.accounts, (it) => text(population.hexOfAccount(it)))
    const pair = account === undefined ? undefined : population.findPair(token, account)
    return pair === undefined ? 0n : population.balances.at(pair)
  }

  private text(id: number, value: string): string {
    const bytes = Buffer.from(value).toString("hex").padEnd(64, "0")
    return styleOf(id) === "bytes32" ? `0x${bytes}` : `0x${wordOf(32n)}${wordOf(BigInt(value.length))}${bytes}`
  }

  /** Numbers by address, learned as the population grows. */
  private find(known: Map<string, number>, address: string, count: number, of: (id: number) => string) {
    for (let id = known.size; id < count; id++) known.set(of(id), id)
    return known.get(address.toLowerCase())
  }
}

const text = (digits: Uint8Array): string => `0x${Buffer.from(digits).toString("latin1")}`
