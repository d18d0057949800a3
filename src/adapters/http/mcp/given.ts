/** What several tools make of their arguments. */
import { Schema } from "effect"
import type { Standard } from "../../../model/token.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { erc20Holders, erc721Holders, erc1155Holders } from "../native/holders.ts"
import { oneErc20, oneErc721, oneErc1155 } from "../native/single/oneToken.ts"
import type { Service } from "./service.ts"
import { type Arguments, anAddress, needed, optionalText, present, textOf } from "./tool.ts"

export type ByStandard = Readonly<Record<Standard, Endpoint>>
export const contracts: ByStandard = { erc20: oneErc20, erc721: oneErc721, erc1155: oneErc1155 }
export const holders: ByStandard = { erc20: erc20Holders, erc721: erc721Holders, erc1155: erc1155Holders }
export const atBlock = ["blockNumber", "timestamp"] as const
export const usd = (field: string) =>
  optionalText.annotateKey({ description: `\`${field}\` in US dollars, a plain decimal; absent = not known` })
export const standardOf = (given: Arguments): Standard => {
  const text = textOf(given, "standard") || "erc20"
  return text === "erc721" || text === "erc1155" ? text : "erc20"
}
export const chainOf = (given: Arguments) => ({
  chain: textOf(given, "chain") || "all",
  ...(given.network === undefined ? {} : { network: textOf(given, "network") }),
})
export const pageQuery = (given: Arguments, usual: number) => ({ limit: given.limit ?? usual, next: given.cursor })
/** Of the arguments those of these names, as they are. */
export const passed = (given: Arguments, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, given[name]]))

export const token = needed(anAddress("The token contract, in any letter case"))

/** What a token is called, and in what it counts: amounts in the ledger are raw. */
export const tokenOf = async (service: Service, given: Arguments) => {
  const found = await service.get(contracts[standardOf(given)], {
    chain: textOf(given, "chain"),
    address: textOf(given, "tokenAddress"),
  })
  return found.body as { readonly name?: string; readonly symbol?: string; readonly decimals?: number }
}
export const unitsOf = ({ decimals }: { readonly decimals?: number }, given: Arguments) =>
  standardOf(given) === "erc20" ? decimals : 0
export const named = { name: optionalText, symbol: optionalText, decimals: Schema.optionalKey(Schema.Finite) }
export const namedOf = ({ name, symbol, decimals }: { name?: string; symbol?: string; decimals?: number }) =>
  present({ name, symbol, decimals })
