/** Which block a node has at a number. */
import type { Hash } from "../../../model/primitives.ts"
import type { RpcCall } from "../transport/answers.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf } from "../wire/shapes.ts"

/** Of the block of that number; undefined = there is none. */
export const hashCall = (blockNumber: number): RpcCall<Hash | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(blockNumber), false],
  read: (result) => headerOf(result)?.hash,
})
