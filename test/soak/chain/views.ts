/** What contracts answer of the state after a block, as `eth_call` gives it: the ledger is compared with that beside all else. */
import { nobody } from "../../support/judge/trueLogs.ts"
import type { Oracle, State } from "../oracle.ts"
import { standardsOf, supplyOf } from "../records.ts"
import type { SoakBlock } from "./chain.ts"

const most = 2n ** 256n - 1n
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`
/** Of nobody's contract: the code that returns the number and the time of its block. */
const clock = "0x436000524260205260406000f3"

export const viewOf =
  (oracle: Oracle) =>
  (to: string | undefined, data: string, block: SoakBlock): string | undefined => {
    if (to === undefined) {
      return data === clock ? word(BigInt(block.number)) + word(BigInt(block.time)).slice(2) : undefined
    }
    const known = ["0x18160ddd", "0x70a08231", "0x00fdd58e", "0x6352211e"].includes(data.slice(0, 10))
    const state = known ? oracle.find(block.hash) : undefined
    return state && answerOf(state, to.toLowerCase(), data)
  }

/** Contracts of several standards, and those whose events cannot be true, answer nothing. */
const answerOf = (state: State, contract: string, data: string): string | undefined => {
  const [standard, another] = standardsOf(state, contract)
  if (standard === undefined || another !== undefined || !isHonest(state, contract)) return undefined
  const [first, second] = [data.slice(10, 74), data.slice(74, 138)].map((hex) => (hex === "" ? 0n : BigInt(`0x${hex}`)))
  const holder = `0x${first!.toString(16).padStart(40, "0")}`
  const owners = state.collections.get(contract)?.owners
  switch (data.slice(0, 10)) {
    case "0x18160ddd":
      return standard === "erc1155" ? undefined : word(supplyOf(state, standard, contract))
    case "0x70a08231":
      if (standard === "erc20") return word(state.tokens.get(contract)?.balances.get(holder) ?? 0n)
      if (standard === "erc1155" || holder === nobody) return undefined
      return word(BigInt([...owners!.values()].filter((owner) => owner === holder).length))
    case "0x00fdd58e":
      return standard === "erc1155" ? word(state.goods.get(contract)?.get(second!)?.get(holder) ?? 0n) : undefined
    default:
      return standard === "erc721" && owners?.has(first!) ? word(BigInt(owners.get(first!)!)) : undefined
  }
}

/** Nobody has less than nothing, or more than a contract can count. */
export const isHonest = (state: State, contract: string): boolean => {
  const { balances, supply } = state.tokens.get(contract) ?? { balances: new Map<string, bigint>(), supply: 0n }
  const units = [...(state.goods.get(contract)?.values() ?? [])].flatMap((holders) => [...holders.values()])
  return [supply, ...balances.values(), ...units].every((amount) => amount >= 0n && amount <= most)
}
