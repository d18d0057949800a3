/** What a node answers when it is asked: balances, owners and texts of its own contracts. */

import type { Address } from "viem"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import { callBatch } from "../../../demo/chain/rpc.ts"

const abi = parseAbi([
  "function ask(address[] tokens, address[] holders) view returns (uint256[])",
  "function owners(address collection, uint256[] ids) view returns (address[])",
  "function amounts(address goods, address[] holders, uint256[] ids) view returns (uint256[])",
  "function tokenURI(uint256 id) view returns (string)",
])

/** What the node answers for one block. */
export interface Census {
  readonly supply: (token: string) => bigint
  readonly balance: (token: string, holder: string) => bigint
}

/**
 * Calls `totalSupply` of every token and `balanceOf` of every token and holder at each block, on the node.
 * `census`: a deployed Census contract, whose code is lent to blocks older than itself.
 */
export const askNode = async (
  url: string,
  census: string,
  blocks: ReadonlyArray<number>,
  tokens: ReadonlyArray<string>,
  holders: ReadonlyArray<string>,
): Promise<ReadonlyArray<Census>> => {
  const data = encodeFunctionData({ abi, functionName: "ask", args: [tokens as Address[], holders as Address[]] })
  const width = holders.length + 1
  const answers: Census[] = []
  for (const block of blocks) {
    const values = decodeFunctionResult({ abi, functionName: "ask", data: await call(url, census, data, block) })
    answers.push({
      supply: (token) => values[tokens.indexOf(token) * width]!,
      balance: (token, holder) => values[tokens.indexOf(token) * width + 1 + holders.indexOf(holder)]!,
    })
  }
  return answers
}

/** `ownerOf` each id; the zero address where it reverts. */
export const askOwners = async (url: string, census: string, collection: string, ids: ReadonlyArray<bigint>) => {
  const data = encodeFunctionData({ abi, functionName: "owners", args: [collection as Address, ids] })
  const owners = decodeFunctionResult({ abi, functionName: "owners", data: await call(url, census, data) })
  return owners.map((owner) => owner.toLowerCase())
}

/** `balanceOf(holder, id)` of every holder, and of each every id. */
export const askAmounts = async (
  url: string,
  census: string,
  goods: string,
  holders: ReadonlyArray<string>,
  ids: ReadonlyArray<bigint>,
) => {
  const args = [goods as Address, holders as Address[], ids] as const
  const data = encodeFunctionData({ abi, functionName: "amounts", args })
  return decodeFunctionResult({ abi, functionName: "amounts", data: await call(url, census, data) })
}

/** `tokenURI` of an id; undefined where it reverts or is empty. */
export const askUri = async (url: string, collection: string, id: bigint): Promise<string | undefined> => {
  const data = encodeFunctionData({ abi, functionName: "tokenURI", args: [id] })
  try {
    const [result] = await callBatch<`0x${string}`>(url, [
      { method: "eth_call", params: [{ to: collection, data }, "latest"] },
    ])
    return decodeFunctionResult({ abi, functionName: "tokenURI", data: result! }) || undefined
  } catch {
    return undefined
  }
}

const call = async (url: string, census: string, data: string, block?: number): Promise<`0x${string}`> => {
  const [code] = await callBatch(url, [{ method: "eth_getCode", params: [census, "latest"] }])
  const at = block === undefined ? "latest" : `0x${block.toString(16)}`
  const params = [{ to: census, data, gas: "0x3b9aca00" }, at, { [census]: { code } }]
  const [result] = await callBatch<`0x${string}`>(url, [{ method: "eth_call", params }])
  return result!
}
