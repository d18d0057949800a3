/** Builds chains block by block for tests: hashes, parents, times, and segments of any range. */
import { movementOf } from "../../src/domain/ingest/movements.ts"
import type { BlockHeader, Log } from "../../src/domain/model/block.ts"
import type { Movement, Segment, TokenEvent } from "../../src/domain/model/event.ts"
import type { Address, Hash } from "../../src/domain/model/primitives.ts"

/** A token event at a contract, before it has a place in a block. */
export interface TestEvent {
  readonly token: Address
  readonly event: TokenEvent
}

export const address = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`
export const hash = (text: string): Hash => `0x${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`

export const transfer = (token: Address, from: Address, to: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "erc20Transfer", from, to, amount },
})
export const deposit = (token: Address, holder: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "deposit", holder, amount },
})
export const withdrawal = (token: Address, holder: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "withdrawal", holder, amount },
})

export interface TestBlock {
  readonly header: BlockHeader
  readonly movements: ReadonlyArray<Movement>
}

export interface BlockOptions {
  /** Seconds; default: 12 after the block before. */
  readonly time?: number
  /** First log index, then +1 a log; default 0. */
  readonly logIndex?: number
  /** Makes the block's hash another one than that of an equal block on another fork. */
  readonly salt?: string
}

/** A growing chain. `truncate` and further `block` calls make a fork. */
export class TestChain {
  readonly blocks: Array<TestBlock> = []

  constructor(
    readonly wrappedNative: ReadonlySet<Address> = new Set(),
    readonly firstBlock = 0,
    readonly genesisTime = 1_700_000_000,
  ) {}

  get nextBlock(): number {
    return this.firstBlock + this.blocks.length
  }

  block(events: ReadonlyArray<TestEvent> = [], { time, logIndex = 0, salt = "" }: BlockOptions = {}): this {
    const parent = this.blocks.at(-1)?.header
    const number = this.nextBlock
    const parentHash = parent?.hash ?? hash(`before ${number}`)
    const header: BlockHeader = {
      number,
      parentHash,
      hash: hash(`${parentHash} ${number} ${salt}`),
      time: time ?? (parent?.time ?? this.genesisTime) + 12,
    }
    const movements = events.flatMap(({ token, event }, index) => {
      const log: Log = {
        address: token,
        topics: [],
        data: "0x",
        blockNumber: number,
        blockHash: header.hash,
        logIndex: logIndex + index,
        txHash: hash(`tx ${header.hash} ${index}`),
      }
      return movementOf(event, log, header.time, this.wrappedNative) ?? []
    })
    this.blocks.push({ header, movements })
    return this
  }

  /** Forgets `fromBlock` and all above it. */
  truncate(fromBlock: number): this {
    this.blocks.length = Math.max(0, fromBlock - this.firstBlock)
    return this
  }

  /** Blocks `fromBlock` to `toBlock` (default: the head) as one segment; by default nothing is final and every header is kept. */
  segment(fromBlock: number, toBlock = this.nextBlock - 1, overrides: Partial<Segment> = {}): Segment {
    const blocks = this.blocks.slice(fromBlock - this.firstBlock, toBlock + 1 - this.firstBlock)
    const finalizedBlock = overrides.finalizedBlock ?? -1
    return {
      fromBlock,
      toBlock,
      parentHash: blocks[0]!.header.parentHash,
      head: blocks.at(-1)!.header,
      headers: blocks.map(({ header }) => header).filter(({ number }) => number >= finalizedBlock),
      movements: blocks.flatMap(({ movements }) => movements),
      counts: { erc721: 0, erc1155: 0, odd: 0 },
      nodeHead: toBlock,
      finalizedBlock,
      ...overrides,
    }
  }
}
