/** A block of the soak: its header, logs and receipts as a node shows them, made of what is said in it. */
import { receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { type RawLog, rowsOf, wrapOf } from "../../support/judge/trueLogs.ts"
import { bloomOf } from "../../support/nodes/replayChain.ts"
import type { ReplayBlock } from "../../support/nodes/replayNode.ts"
import { plain, wrapped } from "./scene.ts"
import type { BareLog, Random } from "./traffic.ts"

export interface SoakBlock extends ReplayBlock {
  readonly hash: string
  readonly parentHash: string
  /** Seconds. */
  readonly time: number
  readonly logs: ReadonlyArray<RawLog>
  /** Contracts of one standard whose first row is here. */
  readonly born: ReadonlyArray<string>
}

const hex = (number: number) => `0x${number.toString(16)}`
const genesisTime = 1_600_000_000

interface Making {
  readonly random: Random
  readonly chainId: string
  readonly parent: SoakBlock | undefined
  /** Makes blocks of the same parent differ. */
  readonly salt: number
  readonly bareLogs: ReadonlyArray<BareLog>
  /** Whether a contract has had a row before. */
  readonly isBorn: (contract: string) => boolean
}

export const makeBlock = ({ random, chainId, parent, salt, bareLogs, isBorn }: Making): SoakBlock => {
  const number = (parent?.number ?? -1) + 1
  const parentHash = parent?.hash ?? hash(`before ${chainId}`)
  const blockHash = hash(`${parentHash} ${chainId} ${salt}`)
  const pause = random.chance(0.1) ? 0 : random.chance(0.05) ? 3600 * random.below(80) : 1 + random.below(12)
  const time = (parent?.time ?? genesisTime) + pause
  let index = random.below(3)
  const indexes = bareLogs.map(() => {
    index += 1 + (random.chance(0.1) ? random.below(50) : 0)
    return index
  })
  const logs = bareLogs.map((log, place): RawLog & { blockHash: string } => ({
    ...log,
    blockNumber: hex(number),
    blockHash,
    blockTimestamp: hex(time),
    transactionHash: hash(`tx ${blockHash} ${place}`),
    // Behind a transaction without logs.
    transactionIndex: hex(place + 1),
    logIndex: hex(indexes[place]!),
  }))
  const made = new Map<string, string>()
  for (const log of logs) {
    const contract = log.address
    if (!plain.has(contract) || isBorn(contract) || made.has(contract)) continue
    if (rowsOf(log).length > 0 || (contract === wrapped && wrapOf(log) !== undefined))
      made.set(contract, log.transactionHash)
  }
  const noise = {
    address: address(0x99),
    topics: [hash("Sync(uint112,uint112)")],
    data: "0x",
    blockNumber: hex(number),
    blockHash,
    transactionHash: hash(`noise ${blockHash}`),
    transactionIndex: hex(logs.length + 1),
    logIndex: "0xffff",
  }
  const all = random.chance(0.5) ? [...logs, noise] : logs
  const creator = new Map([...made].map(([contract, transaction]) => [transaction, contract]))
  const quiet = { transactionHash: hash(`quiet ${blockHash}`), logs: [] as ReadonlyArray<(typeof all)[number]> }
  const receipts = [quiet, ...all.map((log) => ({ transactionHash: log.transactionHash, logs: [log] }))].map(
    ({ transactionHash, logs }, place) => ({
      transactionHash,
      contractAddress: creator.get(transactionHash) ?? null,
      type: "0x2",
      status: "0x1",
      cumulativeGasUsed: hex(21_000 * (place + 1)),
      logsBloom: bloomOf(logs),
      logs,
    }),
  )
  // What a node says of itself is made as the service reads it: only the oracle must know nothing of that.
  const receiptsRoot = receiptsRootOf(receipts)
  return {
    number,
    hash: blockHash,
    parentHash,
    time,
    logs,
    born: [...made.keys()],
    header: { hash: blockHash, parentHash, timestamp: hex(time), logsBloom: bloomOf(all), receiptsRoot },
    receipts,
  }
}
