/** The ledger of every chain in plain maps: what the memory adapters share. */
import { Context, Layer, Semaphore } from "effect"
import type { AsOf, BlockHeader } from "../../domain/model/block.ts"
import { type Account, isReserved, issuer, type Movement, sink } from "../../domain/model/event.ts"
import type { Snapshot } from "../../domain/model/page.ts"
import type { Address, ChainId } from "../../domain/model/primitives.ts"
import type { TokenDescription } from "../../domain/model/token.ts"
import type { LedgerSettings } from "../../ports/Ledger.ts"

/** A pair's balance after `blockNumber`. */
export interface Version {
  readonly blockNumber: number
  readonly balance: bigint
}

export interface MemoryToken {
  readonly address: Address
  readonly firstBlock: number
  readonly firstLogIndex: number
  /** Seconds. */
  readonly firstTime: number
  /** Absent = not asked yet. */
  description?: TokenDescription
  /** One version per touched block, ascending. */
  readonly balances: Map<Account, Array<Version>>
}

export interface MemoryChain {
  readonly settings: LedgerSettings
  readonly writerLock: Semaphore.Semaphore
  nextBlock: number
  head: BlockHeader | undefined
  finalizedBlock: number
  nodeHead: number
  revision: number
  headers: Array<BlockHeader>
  readonly tokens: Map<Address, MemoryToken>
  /** Listed transfers, in feed order. */
  readonly transfers: Array<Movement>
}

/** Every opened chain. */
export class MemoryChains extends Context.Service<MemoryChains, Map<ChainId, MemoryChain>>()(
  "cowry/adapters/memory/MemoryChains",
) {}

export const layer = Layer.sync(MemoryChains, () => new Map())

export const newChain = (settings: LedgerSettings): MemoryChain => ({
  settings,
  writerLock: Semaphore.makeUnsafe(1),
  nextBlock: settings.firstBlock,
  head: undefined,
  finalizedBlock: -1,
  nodeHead: -1,
  revision: 0,
  headers: [],
  tokens: new Map(),
  transfers: [],
})

/** The chains asked for that have a stored block. */
export const storedChains = (
  chains: Map<ChainId, MemoryChain>,
  ids: ReadonlyArray<ChainId>,
): ReadonlyArray<MemoryChain> =>
  ids.flatMap((id) => {
    const chain = chains.get(id)
    return chain?.head === undefined ? [] : [chain]
  })

export const snapshotOf = <Value>(chains: ReadonlyArray<MemoryChain>, value: Value): Snapshot<Value> => ({
  asOf: chains.flatMap(asOf),
  value,
})

const asOf = ({ settings, head, finalizedBlock, nodeHead, revision }: MemoryChain): ReadonlyArray<AsOf> =>
  head === undefined
    ? []
    : [
        {
          chainId: settings.chainId,
          blockNumber: head.number,
          hash: head.hash,
          time: head.time,
          finality: head.number <= finalizedBlock ? "finalized" : "latest",
          nodeHead,
          firstBlock: settings.firstBlock,
          revision,
        },
      ]

/** The pair's balance after `blockNumber` (absent = newest); 0 if never touched. */
export const balanceOf = (token: MemoryToken | undefined, account: Account, blockNumber = Infinity): bigint =>
  token?.balances.get(account)?.findLast((version) => version.blockNumber <= blockNumber)?.balance ?? 0n

export const supplyOf = (token: MemoryToken | undefined, blockNumber?: number): bigint =>
  -balanceOf(token, issuer, blockNumber) - balanceOf(token, sink, blockNumber)

/** Addresses with a balance above zero, in no order. */
export const holdersOf = (token: MemoryToken | undefined): ReadonlyArray<{ address: Address; balance: bigint }> =>
  [...(token?.balances.keys() ?? [])]
    .filter((account) => !isReserved(account))
    .map((address) => ({ address, balance: balanceOf(token, address) }))
    .filter(({ balance }) => balance > 0n)
