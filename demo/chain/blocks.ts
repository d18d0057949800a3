/** Mining by hand: a block holds exactly the transactions it is given. */

import type { Hash } from "../../src/model/primitives.ts"
import { type Call, callBatch } from "./rpc.ts"

export interface Transaction {
  /** One of the node's own accounts. */
  readonly from: string
  /** Absent = create a contract. */
  readonly to?: string
  readonly data?: string
  readonly value?: bigint
}

/**
 * Mines one block with `transactions`, in their order, and returns their hashes. One that reverts is mined as a failed one.
 * `time` (seconds) is the block's; by default one that follows the clock.
 */
export const mineBlock = async (
  url: string,
  transactions: ReadonlyArray<Transaction>,
  time?: number,
): Promise<ReadonlyArray<Hash>> => {
  const hashes: Hash[] = []
  // One after the other: in a batch two of one account would take the same nonce.
  for (const transaction of transactions) hashes.push((await callBatch<Hash>(url, [sendCall(transaction)]))[0]!)
  await callBatch(url, [{ method: "evm_mine", params: time === undefined ? [] : [{ timestamp: time }] }])
  return hashes
}

/** With gas given the node does not try the transaction first, so that failing ones are mined too. */
const sendCall = ({ from, to, data = "0x", value = 0n }: Transaction): Call => ({
  method: "eth_sendTransaction",
  params: [{ from, ...(to === undefined ? {} : { to }), data, value: `0x${value.toString(16)}`, gas: "0x7a1200" }],
})

/** Addresses of the contracts that these mined transactions created. */
export const createdContracts = async (url: string, hashes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const receipts = await callBatch<{ status: string; contractAddress: string | null }>(
    url,
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  )
  return receipts.map(({ status, contractAddress }) => {
    if (status !== "0x1" || contractAddress === null) throw new Error("A contract could not be created.")
    return contractAddress
  })
}
