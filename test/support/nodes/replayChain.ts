/** Blocks for the replay node: of a TestChain, with receipts and blooms as a real node has them. */
import { keccak256 } from "viem"
import { receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { hash, type TestChain } from "../chain/testChain.ts"
import type { ReplayBlock, ReplayChain, ReplayLog } from "./replayNode.ts"

const hex = (number: number) => `0x${number.toString(16)}`

/** 256 bytes in hex: the bloom of these logs, with every address and topic. */
export const bloomOf = (logs: ReadonlyArray<Pick<ReplayLog, "address" | "topics">>): string => {
  const bytes = new Uint8Array(256)
  for (const value of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const digest = Buffer.from(keccak256(value as `0x${string}`).slice(2), "hex")
    for (const at of [0, 2, 4]) {
      const bit = digest.readUInt16BE(at) & 2047
      bytes[255 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return `0x${Buffer.from(bytes).toString("hex")}`
}

/** A chain of these blocks, by number and hash. */
export const chainOf = (chainId: string, blocks: ReadonlyArray<ReplayBlock>): ReplayChain => {
  const byKey = new Map<number | string, ReplayBlock>(
    blocks.flatMap((block) => [
      [block.number, block],
      [block.header.hash, block],
    ]),
  )
  const full = blocks.filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))
  return {
    chainId,
    head: blocks.at(-1)!.number,
    find: (key) => byKey.get(key),
    withLogs: (from, to) => full.slice(firstFrom(full, from), firstFrom(full, to + 1)),
  }
}

/** The place of the first block from this number on. */
const firstFrom = (blocks: ReadonlyArray<ReplayBlock>, number: number): number => {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (blocks[middle]!.number < number) low = middle + 1
    else high = middle
  }
  return low
}

/** The same chain, its receipts whole and their root in each header, as a node's are. */
export const withReceipts = (chain: ReplayChain): ReplayChain => {
  const blocks = Array.from({ length: chain.head + 1 }, (_, number) => chain.find(number)!)
  return chainOf(
    chain.chainId,
    blocks.map((block): ReplayBlock => {
      const receipts = block.receipts.map((receipt, place) => ({
        ...receipt,
        type: place % 3 === 0 ? "0x0" : "0x2",
        status: "0x1",
        cumulativeGasUsed: hex(21_000 * (place + 1)),
        logsBloom: bloomOf(receipt.logs),
      }))
      return { ...block, header: { ...block.header, receiptsRoot: receiptsRootOf(receipts) }, receipts }
    }),
  )
}

/**
 * In every block besides: a log of no interest, and a transaction without any.
 * `bloom`: `zero` = no bit set, whatever the block holds.
 */
export const replayOf = (chainId: string, chain: TestChain, bloom: "true" | "zero" = "true"): ReplayChain =>
  chainOf(
    chainId,
    chain.blocks.map(({ header, logs }): ReplayBlock => {
      const own = logs.map((log): ReplayLog => {
        const { address, topics, data, logIndex, txHash: transactionHash, txIndex = 0 } = log
        return {
          address,
          topics,
          data,
          blockNumber: hex(header.number),
          blockHash: header.hash,
          transactionHash,
          transactionIndex: hex(txIndex),
          logIndex: hex(logIndex),
        }
      })
      const other: ReplayLog = {
        address: `0x${"99".repeat(20)}`,
        topics: [hash("Sync(uint112,uint112)")],
        data: "0x",
        blockNumber: hex(header.number),
        blockHash: header.hash,
        transactionHash: hash(`other ${header.hash}`),
        logIndex: "0xffff",
      }
      const byTransaction = Map.groupBy([...own, other], ({ transactionHash }) => transactionHash)
      return {
        number: header.number,
        header: {
          hash: header.hash,
          parentHash: header.parentHash,
          timestamp: hex(header.time),
          logsBloom: bloom === "true" ? bloomOf([...own, other]) : bloomOf([]),
        },
        receipts: [
          ...[...byTransaction].map(([transactionHash, logs]) => ({ transactionHash, logs })),
          { transactionHash: hash(`quiet ${header.hash}`), logs: [] },
        ],
      }
    }),
  )
