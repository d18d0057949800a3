/** The compatibility actions about tokens that Etherscan's other clients and Blockscout's know. */
import { Schema } from "effect"
import {
  addressToken1155Balance,
  addressToken1155Inventory,
  blockscoutHolders,
  blockscoutToken,
  tokenList,
  topHolders,
} from "../../../domain/audit/compatTokens.ts"
import {
  AddressErc1155Holding,
  BlockscoutHolder,
  BlockscoutHolding,
  BlockscoutToken,
  Erc1155InventoryEntry,
  TopHolderEntry,
} from "../../../model/compat.ts"
import { type CompatAction, compatAction } from "./action.ts"
import { address, blocknoOrNewest, contractaddress, window } from "./parameters.ts"

export const tokenActions: ReadonlyArray<CompatAction> = [
  compatAction({
    module: "token",
    action: "topholders",
    summary: "The largest holders of a token, in whole tokens",
    shape: Schema.Array(TopHolderEntry),
    about: "first",
    parameters: { contractaddress, blockno: blocknoOrNewest, window: window(10) },
    result: ({ chainId, contractaddress: token, blockno: blockNumber, window, auditRead }) =>
      topHolders({ chainId, token, window, blockNumber }, auditRead),
  }),
  compatAction({
    module: "account",
    action: "addresstoken1155balance",
    summary: "ERC-1155 contracts of which an address holds ids, by contract address",
    shape: Schema.Array(AddressErc1155Holding),
    parameters: { address, blockno: blocknoOrNewest, window: window(100) },
    result: ({ chainId, address: holder, blockno: blockNumber, window }) =>
      addressToken1155Balance({ chainId, holder, window, blockNumber }),
  }),
  compatAction({
    module: "account",
    action: "addresstoken1155inventory",
    summary: "Ids of an ERC-1155 contract that an address holds, ascending, with how much of each",
    shape: Schema.Array(Erc1155InventoryEntry),
    about: "erc1155",
    parameters: { address, contractaddress, blockno: blocknoOrNewest, window: window(100) },
    result: ({ chainId, address: holder, contractaddress: token, blockno: blockNumber, window, auditRead }) =>
      addressToken1155Inventory({ chainId, token, holder, window, blockNumber }, auditRead),
  }),
  compatAction({
    module: "account",
    action: "tokenlist",
    summary: "What an address holds of every standard, as Blockscout tells it",
    shape: Schema.Array(BlockscoutHolding),
    isCostly: true,
    parameters: { address, blockno: blocknoOrNewest },
    result: ({ chainId, address: holder, blockno: blockNumber }) => tokenList({ chainId, holder, blockNumber }),
  }),
  compatAction({
    module: "token",
    action: "getToken",
    summary: "What a token is, as Blockscout tells it",
    shape: BlockscoutToken,
    about: "first",
    parameters: { contractaddress },
    result: ({ chainId, contractaddress: token }) => blockscoutToken(chainId, token),
  }),
  compatAction({
    module: "token",
    action: "getTokenHolders",
    summary: "Holders of a token, largest first, as Blockscout tells them",
    shape: Schema.Array(BlockscoutHolder),
    about: "first",
    parameters: { contractaddress, blockno: blocknoOrNewest, window: window(10) },
    result: ({ chainId, contractaddress: token, blockno: blockNumber, window, auditRead }) =>
      blockscoutHolders({ chainId, token, window, blockNumber }, auditRead),
  }),
]
