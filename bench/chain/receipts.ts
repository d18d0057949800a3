/** Logs of a block as objects, and the receipts that hold them. */
import type { Block, Chain } from "./Chain.ts"
import { hexOf, quantity } from "./hex.ts"
import { joinRuns } from "./renderer.ts"

type Blocks = Pick<Chain, "headerOf" | "blockOf">

export interface RenderedLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
}

export const logsOf = ({ listed, others }: Block): ReadonlyArray<RenderedLog> =>
  [listed, others]
    .flatMap((run) => JSON.parse(`[${Buffer.concat(joinRuns([run])).toString("latin1")}]`) as Array<RenderedLog>)
    .sort((a, b) => Number(a.logIndex) - Number(b.logIndex))

/** All of a block's, as JSON; `null` beyond the head. */
export const receiptsOf = (chain: Blocks, number: number, head: number): ReadonlyArray<string> => {
  const block = number > head ? undefined : chain.blockOf(number)
  if (block === undefined) return ["null"]
  const byTransaction = Map.groupBy(logsOf(block), ({ transactionHash }) => transactionHash)
  const receipts = [...byTransaction].map(([transactionHash, logs]) => ({
    transactionHash,
    transactionIndex: logs[0]!.transactionIndex,
    blockHash: hexOf(block.header.hash),
    blockNumber: quantity(block.header.number),
    status: "0x1",
    logs,
  }))
  return [JSON.stringify(receipts)]
}

/** Of a contract's first transactions alone, without logs; of others the node knows nothing. */
export const receiptOf = (
  chain: Blocks & Pick<Chain, "firstTransactions">,
  transactionHash: string,
  head: number,
): ReadonlyArray<string> => {
  const found = chain.firstTransactions.find(transactionHash)
  if (found === undefined || found.block > head) return ["null"]
  const { block, contract } = found
  const blockHash = hexOf(chain.headerOf(block)!.hash)
  const contractAddress = contract ?? null
  return [JSON.stringify({ transactionHash, blockHash, blockNumber: quantity(block), contractAddress, status: "0x1" })]
}
