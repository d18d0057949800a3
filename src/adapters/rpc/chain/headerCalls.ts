/** The calls that read headers, and what these show of their blocks' logs and receipts. */
import type { LogsBloom, SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf, Malformed, quote, receiptsMarkOf } from "../wire/shapes.ts"

export interface HeaderCalls {
  readonly head: RpcCall<SourceHeader>
  /** undefined where the node does not have the block. */
  readonly ofNumber: (number: number) => RpcCall<SourceHeader | undefined>
}

export interface HeaderOptions {
  /** Reads logsBloom; absent = it is passed over. */
  readonly readBloom: ((hex: string) => LogsBloom) | undefined
  /** Whether what they say of their receipts is read. */
  readonly readsReceipts: boolean
}

export const headerCallsOf = ({ readBloom, readsReceipts }: HeaderOptions): HeaderCalls => {
  const readHeader = (result: unknown): SourceHeader | undefined => {
    const header = headerOf(result, readBloom)
    const mark = readsReceipts ? receiptsMarkOf(result) : undefined
    return header && mark ? { ...header, receipts: mark } : header
  }
  return {
    head: {
      method: "eth_getBlockByNumber",
      params: ["latest", false],
      read: (result) => existing(readHeader(result), result),
    },
    ofNumber: (number) => ({
      method: "eth_getBlockByNumber",
      params: [quantity(number), false],
      read: (result) => {
        const header = readHeader(result)
        // On chains whose first block is block 1 nodes of Ethermint's kind give the newest one for block 0.
        if (number === 0 && header?.number !== 0) return undefined
        if (header !== undefined && header.number !== number) {
          throw new Malformed(`number: expected ${number}, got ${header.number}`)
        }
        return header
      },
    }),
  }
}

const existing = (header: SourceHeader | undefined, result: unknown): SourceHeader => {
  if (header === undefined) throw new Malformed(`expected the newest block, got ${quote(result)}`, "behind")
  return header
}
