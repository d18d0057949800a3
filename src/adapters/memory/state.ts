/** The ledger of every chain in plain maps: what the memory adapters share. */
import { Context, Layer, Semaphore } from "effect"
import type { ApprovalMovement } from "../../model/approval.ts"
import type { AsOf, BlockHeader, OddLog } from "../../model/block.ts"
import type {
  Account,
  NftMovement,
  PoolFacts,
  SentToZero,
  SwapMovement,
  TransferMovement,
  WrapMovement,
} from "../../model/event.ts"
import type { Snapshot } from "../../model/page.ts"
import type { PoolKey } from "../../model/poolKey.ts"
import type { Address, ChainId, Hash } from "../../model/primitives.ts"
import { type Standard, standards, type TokenDescription, type TokenOrigin } from "../../model/token.ts"
import type { TokenNote } from "../../model/tokenNote.ts"
import type { AuditRecord } from "../../ports/AuditStore.ts"
import type { Correction } from "../../ports/EventStore.ts"
import type { Landmark, LedgerSettings } from "../../ports/Ledger.ts"

/** A pair's balance after `blockNumber`. */
export interface Version {
  readonly blockNumber: number
  readonly balance: bigint
}

/** Balances by account, one version per touched block, ascending. */
export type Balances<Of extends Account = Account> = Map<Of, Array<Version>>

/** An ERC-721 id after a log that moved it. Absent owner = nobody's. */
export interface OwnerVersion {
  readonly blockNumber: number
  readonly logIndex: number
  readonly owner?: Address
  /** Its latest mint. */
  readonly mint?: { readonly blockNumber: number; readonly logIndex: number; readonly time: number }
}

export interface MemoryToken {
  readonly standard: Standard
  readonly address: Address
  readonly firstBlock: number
  readonly firstLogIndex: number
  readonly firstTxHash: Hash
  /** Seconds. */
  readonly firstTime: number
  /** As it was found (LedgerWriter.letZeroAddressHold); absent = `burnt`. */
  sentToZero?: SentToZero
  /** What comparing it with the node came to; absent = nobody has. */
  audit?: AuditRecord
  /** Absent = not asked yet. */
  description?: TokenDescription
  origin?: TokenOrigin
  /** US dollars with 18 decimals; absent = no trustworthy price. */
  price?: bigint
  marketCap?: bigint
  /** By the hour (since 1970) at whose beginning it was the price; 0 = at all times. */
  readonly pricePoints: Map<number, { readonly price: bigint; readonly untilHour: number }>
  /** Amounts of ERC-20, numbers of ids of ERC-721, sums over the ids held of ERC-1155. */
  readonly balances: Balances
  /** ERC-1155: balances by id. */
  readonly units: Map<bigint, Balances<Address>>
  /** ERC-721: owners by id. */
  readonly owners: Map<bigint, Array<OwnerVersion>>
  /** ERC-721: answers by mint (`tokenId:block:logIndex`); absent uri = it has none. */
  readonly uris: Map<string, { readonly uri?: string }>
}

/** A row of a feed, ERC-20 transfers with the `sub` that all rows have. */
export type FeedRow = (TransferMovement | NftMovement) & { readonly standard: Standard; readonly sub: number }

export interface MemoryChain {
  readonly settings: LedgerSettings
  readonly writerLock: Semaphore.Semaphore
  nextBlock: number
  head: BlockHeader | undefined
  finalizedBlock: number
  nodeHead: number
  revision: number
  /** So many of its moves changed no figure. */
  learned: number
  /** So many were further blocks. */
  appended: number
  /** Of holders; `askedAt`: seconds since 1970. */
  readonly codes: Map<Address, { isContract: boolean; blockNumber: number; askedAt: number }>
  headers: Array<BlockHeader>
  /** Of each group of 256 blocks the first that is known. */
  landmarks: Array<Landmark>
  /** The first block of each rollback so far. */
  readonly rollbacks: Array<number>
  /** What each of them changed, by their numbers from 1 on. */
  readonly corrections: Array<Omit<Correction, "number" | "isForgotten">>
  /** Six hex digits: another chain object is another ledger. */
  readonly birth: string
  /** By `tokenKey`, in the order of their first events within a standard. */
  readonly tokens: Map<string, MemoryToken>
  /** The first hour without price points. */
  nextPriceHour?: number
  /** Hours before it that are left for later, by their first: up to, and not with. */
  readonly priceGaps: Map<number, number>
  /** What people say of contracts, known to the ledger or not. */
  notes: ReadonlyMap<Address, TokenNote>
  /** Every pool that had a swap, or (V4) was initialized. */
  readonly pools: Map<PoolKey, PoolFacts>
  readonly swaps: Array<SwapMovement>
  /** In log order. */
  readonly approvals: Array<ApprovalMovement>
  /** In the order of their places. */
  readonly oddLogs: Array<OddLog>
  /** Listed transfers, ERC-20 and the others of a segment one after the other. */
  readonly transfers: Array<FeedRow>
  /** Deposits and Withdrawals of wrapped native, which are not listed. */
  readonly wraps: Array<WrapMovement>
}

/** Every opened chain. */
export class MemoryChains extends Context.Service<MemoryChains, Map<ChainId, MemoryChain>>()(
  "cowry/adapters/memory/MemoryChains",
) {}

export const layer = Layer.sync(MemoryChains, () => new Map())

let births = 0

export const newChain = (settings: LedgerSettings): MemoryChain => ({
  settings,
  writerLock: Semaphore.makeUnsafe(1),
  nextBlock: settings.firstBlock,
  head: undefined,
  finalizedBlock: -1,
  nodeHead: -1,
  revision: 0,
  learned: 0,
  appended: 0,
  codes: new Map(),
  headers: [],
  landmarks: [],
  rollbacks: [],
  corrections: [],
  birth: (++births).toString(16).padStart(6, "0"),
  tokens: new Map(),
  priceGaps: new Map(),
  notes: new Map(),
  pools: new Map(),
  swaps: [],
  approvals: [],
  oddLogs: [],
  transfers: [],
  wraps: [],
})

/** Something was learned that changes no figure. */
export const moveLearned = (chain: MemoryChain): void => {
  chain.revision++
  chain.learned++
}

/** Blocks were appended. */
export const moveAppended = (chain: MemoryChain): void => {
  chain.revision++
  chain.appended++
}

export const tokenKey = (standard: Standard, address: Address): string => `${standard}:${address}`

/** The token of that standard at an address. */
export const tokenOf = (
  chain: MemoryChain | undefined,
  standard: Standard,
  address: Address,
): MemoryToken | undefined => chain?.tokens.get(tokenKey(standard, address))

/** The tokens at an address, in the order of the standards. */
export const tokensAt = (chain: MemoryChain | undefined, address: Address): ReadonlyArray<MemoryToken> =>
  standards.flatMap((standard) => tokenOf(chain, standard, address) ?? [])

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

const asOf = ({
  settings,
  head,
  finalizedBlock,
  nodeHead,
  revision,
  learned,
  appended,
}: MemoryChain): ReadonlyArray<AsOf> =>
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
          figures: revision - learned,
          rewrites: revision - learned - appended,
        },
      ]
