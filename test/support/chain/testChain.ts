/** Builds chains block by block for tests: hashes, parents, times, and segments of any range. */
import { firstOfGroups } from "../../../src/domain/ingest/decode/chunk.ts"
import { movementsOf, type NewPool, sortLogs } from "../../../src/domain/ingest/decode/sorting.ts"
import type { ApprovalMovement } from "../../../src/model/approval.ts"
import type { BlockHeader, Log, OddLog } from "../../../src/model/block.ts"
import type { Movement, NftMovement, PoolFacts, Segment, SwapMovement } from "../../../src/model/event.ts"
import { isManaged, managerOf, type PoolKey } from "../../../src/model/poolKey.ts"
import { type Address, addressOfHex, type Hash, hashOfHex } from "../../../src/model/primitives.ts"
import { encodeEvent, type TestEvent } from "./events.ts"

export * from "./events.ts"

export const address = (number: number): Address => addressOfHex(`0x${number.toString(16).padStart(40, "0")}`)
export const hash = (text: string): Hash => hashOfHex(`0x${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`)

export interface TestBlock {
  readonly header: BlockHeader
  readonly logs: ReadonlyArray<Log>
  readonly movements: ReadonlyArray<Movement>
  readonly nfts: ReadonlyArray<NftMovement>
  readonly swaps: ReadonlyArray<SwapMovement>
  readonly approvals: ReadonlyArray<ApprovalMovement>
  readonly odd: ReadonlyArray<OddLog>
  readonly initialized: ReadonlyArray<NewPool>
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

  readonly swaps = true
  readonly approvals = true
  /** The facts of the pools that its swaps name. */
  readonly pools: Map<PoolKey, Omit<PoolFacts, "since">> = new Map()

  constructor(
    readonly wrappedNative: ReadonlySet<Address> = new Set(),
    readonly firstBlock = 0,
    readonly genesisTime = 1_700_000_000,
    readonly poolManagers: ReadonlySet<Address> = new Set(),
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
    const logs = events.map(
      ({ token, event, written = encodeEvent(event) }, index): Log => ({
        address: token,
        ...written,
        blockNumber: number,
        blockHash: header.hash,
        logIndex: logIndex + index,
        txHash: hash(`tx ${header.hash} ${index}`),
        txIndex: index,
      }),
    )
    const sorted = sortLogs(logs, this)
    this.blocks.push({
      header,
      logs,
      ...movementsOf(sorted, this, () => header.time),
      initialized: sorted.initialized,
    })
    return this
  }

  /** As the source would describe them: each pool that swapped or was initialized in the block. */
  private poolsOf({ header, swaps, initialized }: TestBlock): ReadonlyArray<PoolFacts> {
    const since = header.number
    const contracts = [...new Set(swaps.map(({ pool }) => pool))].flatMap((pool) => this.pools.get(pool) ?? [])
    const managed = initialized.map(({ pool, token0, token1 }) => ({
      decimals0: this.decimalsOf(token0),
      decimals1: this.decimalsOf(token1),
      factory: managerOf(pool),
      ...this.pools.get(pool),
      pool,
      token0,
      token1,
    }))
    return [...contracts.filter(({ pool }) => !isManaged(pool)), ...managed].map((facts) => ({ ...facts, since }))
  }

  /** Of a token of its pools; 18 of others. */
  decimalsOf(token: Address): number {
    for (const { token0, token1, decimals0, decimals1 } of this.pools.values()) {
      if (token0 === token) return decimals0
      if (token1 === token) return decimals1
    }
    return 18
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
      landmarks: firstOfGroups(blocks.map(({ header }) => header)),
      movements: blocks.flatMap(({ movements }) => movements),
      nfts: blocks.flatMap(({ nfts }) => nfts),
      swaps: blocks.flatMap(({ swaps }) => swaps),
      approvals: blocks.flatMap(({ approvals }) => approvals),
      odd: blocks.flatMap(({ odd }) => odd),
      pools: blocks.flatMap((block) => this.poolsOf(block)),
      counts: { malformed: 0, unknownPool: 0 },
      nodeHead: toBlock,
      finalizedBlock,
      ...overrides,
    }
  }
}
