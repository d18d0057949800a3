/** What is written in the background once, and stands from then on: who is trusted, and what a dollar costs, now and at all times. */
import { setTimeout as pause } from "node:timers/promises"
import type { Service } from "../../support/service.ts"
import { crowd, dollar, trusted } from "../chain/scene.ts"
import { prefix } from "../questions/asking.ts"

/** Returns when all of it is there. */
export const notesAreKnown = async (service: Service, chains: ReadonlyArray<string>): Promise<void> => {
  const isTrusted = async () => {
    const { count } = await service.get<{ count: number }>(`${prefix}/all/top-erc20?count=true`)
    return count === trusted.length * chains.length
  }
  const isPriced = async (chain: string) => {
    const now = `${prefix}/${chain}/erc20?tokenAddress=${dollar}`
    const then = `${prefix}/${chain}/address/${crowd[0]}/portfolio?blockNumber=0`
    const { items } = await service.get<{ items: ReadonlyArray<{ price?: string; decimals?: number }> }>(now)
    const { priced } = await service.get<{ priced: number }>(then)
    return items[0]?.price !== undefined && items[0].decimals !== undefined && priced === 1
  }
  const isKnown = async () => (await isTrusted()) && (await Promise.all(chains.map(isPriced))).every((it) => it)
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(100)) if (await isKnown()) return
  throw new Error("the token list, or the price of a dollar, is not known after 60 s")
}
