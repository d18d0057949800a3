/** The compatibility actions, in the order of the contract. */
import { Effect } from "effect"
import { addressTokenBalance, tokenHolderList, tokenInfo } from "../../../domain/compat.ts"
import { countHolders, findBalance } from "../../../domain/holders.ts"
import { findSupply } from "../../../domain/supply.ts"
import { type CompatAction, compatAction } from "./action.ts"
import { address, blockno, contractaddress, tag, window } from "./parameters.ts"

export const actions: ReadonlyArray<CompatAction> = [
  compatAction({
    module: "stats",
    action: "tokensupply",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress }) => findSupply(chainId, contractaddress),
  }),
  compatAction({
    module: "account",
    action: "tokenbalance",
    parameters: { address, contractaddress, tag },
    result: ({ chainId, address, contractaddress, tag }) => findBalance(chainId, contractaddress, address, tag),
  }),
  compatAction({
    module: "stats",
    action: "tokensupplyhistory",
    parameters: { contractaddress, blockno },
    result: ({ chainId, contractaddress, blockno }) => findSupply(chainId, contractaddress, blockno),
  }),
  compatAction({
    module: "account",
    action: "tokenbalancehistory",
    parameters: { address, contractaddress, blockno },
    result: ({ chainId, address, contractaddress, blockno }) => findBalance(chainId, contractaddress, address, blockno),
  }),
  compatAction({
    module: "token",
    action: "tokenholderlist",
    parameters: { contractaddress, window: window(10) },
    result: ({ chainId, contractaddress, window }) => tokenHolderList(chainId, contractaddress, window),
  }),
  compatAction({
    module: "token",
    action: "tokenholdercount",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress }) =>
      countHolders(chainId, contractaddress).pipe(Effect.map(({ asOf, value }) => ({ asOf, value: String(value) }))),
  }),
  compatAction({
    module: "token",
    action: "tokeninfo",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress }) => tokenInfo(chainId, contractaddress),
  }),
  compatAction({
    module: "account",
    action: "addresstokenbalance",
    parameters: { address, window: window(100) },
    result: ({ chainId, address, window }) => addressTokenBalance(chainId, address, window),
  }),
]
