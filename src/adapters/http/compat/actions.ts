/** The compatibility actions, in the order of the contract; the last is an extra. */
import { Effect, Schema } from "effect"
import { tokenInfo } from "../../../domain/audit/compatTokens.ts"
import { balanceAt, currentHolderList, holderCountAt, supplyAt } from "../../../domain/audit/current.ts"
import { addressTokenBalance, addressTokenNftBalance } from "../../../domain/audit/severalTokens.ts"
import { addressTokenNftInventory } from "../../../domain/reads/compat.ts"
import {
  AddressErc20Holding,
  AddressErc721Holding,
  Erc721InventoryEntry,
  TokenHolderEntry,
  TokenInfoEntry,
} from "../../../model/compat.ts"
import { BigIntString } from "../../../model/primitives.ts"
import { type CompatAction, callerAction, compatAction } from "./action.ts"
import { nativeActions } from "./actionsNative.ts"
import { tokenActions } from "./actionsTokens.ts"
import { transferActions } from "./actionsTransfers.ts"
import { ApiLimit, apiLimitOf } from "./apiLimit.ts"
import { address, blockno, blocknoOrNewest, contractaddress, tag, window } from "./parameters.ts"

export const actions: ReadonlyArray<CompatAction> = [
  compatAction({
    module: "stats",
    action: "tokensupply",
    summary: "Supply of a token; of an ERC-721 its live ids",
    shape: BigIntString,
    node: "perhaps",
    isJoined: true,
    isOfFigures: true,
    about: "first",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress: token, auditRead }) => supplyAt({ chainId, token }, auditRead),
  }),
  compatAction({
    module: "account",
    action: "tokenbalance",
    summary: "Balance of a holder; of an ERC-721 the ids it owns",
    shape: BigIntString,
    node: "perhaps",
    isJoined: true,
    isOfFigures: true,
    about: "first",
    parameters: { address, contractaddress, tag },
    result: ({ chainId, address: holder, contractaddress: token, tag: blockNumber, auditRead }) =>
      balanceAt({ chainId, token, holder, blockNumber }, auditRead),
  }),
  compatAction({
    module: "stats",
    action: "tokensupplyhistory",
    summary: "Supply of a token after a block",
    shape: BigIntString,
    node: "perhaps",
    isJoined: true,
    isOfFigures: true,
    about: "first",
    parameters: { contractaddress, blockno },
    result: ({ chainId, contractaddress: token, blockno: blockNumber, auditRead }) =>
      supplyAt({ chainId, token, blockNumber }, auditRead),
  }),
  compatAction({
    module: "account",
    action: "tokenbalancehistory",
    summary: "Balance of a holder after a block",
    shape: BigIntString,
    node: "perhaps",
    isJoined: true,
    isOfFigures: true,
    about: "first",
    parameters: { address, contractaddress, blockno },
    result: ({ chainId, address: holder, contractaddress: token, blockno: blockNumber, auditRead }) =>
      balanceAt({ chainId, token, holder, blockNumber }, auditRead),
  }),
  compatAction({
    module: "token",
    action: "tokenholderlist",
    summary: "Holders of a token, largest balance first",
    shape: Schema.Array(TokenHolderEntry),
    isOfFigures: true,
    about: "first",
    parameters: { contractaddress, blockno: blocknoOrNewest, window: window(10) },
    result: ({ chainId, contractaddress: token, blockno: blockNumber, window, auditRead }) =>
      currentHolderList({ chainId, token, window, blockNumber }, auditRead),
  }),
  compatAction({
    module: "token",
    action: "tokenholdercount",
    summary: "How many addresses hold a token",
    shape: BigIntString,
    node: "perhaps",
    isJoined: true,
    isOfFigures: true,
    about: "first",
    parameters: { contractaddress, blockno: blocknoOrNewest },
    result: ({ chainId, contractaddress: token, blockno: blockNumber, auditRead }) =>
      Effect.map(holderCountAt({ chainId, token, blockNumber }, auditRead), (found) => ({
        ...found,
        value: String(found.value),
      })),
  }),
  compatAction({
    module: "token",
    action: "tokeninfo",
    summary: "What a token contract is: an entry per standard it emits",
    shape: Schema.Array(TokenInfoEntry),
    about: "every",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress, dialect }) => tokenInfo(chainId, contractaddress, dialect === "etherscan"),
  }),
  compatAction({
    module: "account",
    action: "addresstokenbalance",
    summary: "ERC-20 tokens that an address holds, by contract address",
    shape: Schema.Array(AddressErc20Holding),
    isJoined: true,
    parameters: { address, blockno: blocknoOrNewest, window: window(100) },
    result: ({ chainId, address: holder, blockno: blockNumber, window }) =>
      addressTokenBalance({ chainId, holder, window, blockNumber }),
  }),
  compatAction({
    module: "account",
    action: "addresstokennftbalance",
    summary: "ERC-721 contracts of which an address owns ids, by contract address",
    shape: Schema.Array(AddressErc721Holding),
    isJoined: true,
    parameters: { address, blockno: blocknoOrNewest, window: window(100) },
    result: ({ chainId, address: holder, blockno: blockNumber, window }) =>
      addressTokenNftBalance({ chainId, holder, window, blockNumber }),
  }),
  compatAction({
    module: "account",
    action: "addresstokennftinventory",
    summary: "Ids of an ERC-721 contract that an address owns, ascending",
    shape: Schema.Array(Erc721InventoryEntry),
    about: "erc721",
    parameters: { address, contractaddress, blockno: blocknoOrNewest, window: window(100) },
    result: ({ chainId, address: owner, contractaddress: token, blockno: blockNumber, window }) =>
      addressTokenNftInventory({ chainId, token, owner, window, blockNumber }),
  }),
  ...transferActions,
  ...nativeActions,
  ...tokenActions,
  // Etherscan's own client asks it with `chainid=1` when it logs in, whatever chain it is pointed to.
  callerAction({
    module: "getapilimit",
    action: "getapilimit",
    summary: "How many calls the caller has left",
    shape: ApiLimit,
    result: apiLimitOf,
  }),
]
