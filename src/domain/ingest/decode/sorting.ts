/** Logs → what the ledger takes and what is only counted. Pure. */
import type { ApprovalMovement } from "../../../model/approval.ts"
import type { Log, OddLog } from "../../../model/block.ts"
import type { EventCounts, Movement, NftMovement, SwapMovement, TokenEvent } from "../../../model/event.ts"
import type { ManagedPool } from "../../../model/poolKey.ts"
import type { Address } from "../../../model/primitives.ts"
import { withoutRoom } from "./consecutive.ts"
import { decode, type KnownContracts, malformed } from "./decode.ts"
import { approvalMovementOf, movementOf, nftMovementsOf, swapMovementOf } from "./ledgerRules.ts"
import { isOdd, oddLogOf } from "./oddLogs.ts"

/** Which contracts a chain's ledger follows, and which of them mean more than others. */
export interface Contracts extends KnownContracts {
  /** Absent = every token. */
  readonly tokens?: ReadonlySet<Address>
}

interface Decoded {
  readonly event: TokenEvent
  readonly log: Log
}

/** A pool whose tokens its own log tells. */
export interface NewPool {
  readonly pool: ManagedPool
  readonly token0: Address
  readonly token1: Address
  readonly blockNumber: number
}

/** Events that move a token, in the order of their logs, and counts of those that do not. */
export interface Sorted {
  readonly moving: ReadonlyArray<Decoded>
  readonly nfts: ReadonlyArray<Decoded>
  readonly swaps: ReadonlyArray<Decoded>
  readonly approvals: ReadonlyArray<Decoded>
  /** Kept as they are told, some of them beside their rows. */
  readonly odd: ReadonlyArray<Decoded>
  /** Uniswap V4 pools that begin here. */
  readonly initialized: ReadonlyArray<NewPool>
  /** Logs of malformed shapes, and ranges of ids that find no room in their block. */
  readonly malformed: number
}

export const noCounts: EventCounts = { malformed: 0, unknownPool: 0 }
export const addCounts = (a: EventCounts, b: EventCounts): EventCounts => ({
  malformed: a.malformed + b.malformed,
  unknownPool: a.unknownPool + b.unknownPool,
})

/** A log of a contract that is not followed is neither moved nor counted, whatever the node was asked for. */
export const sortLogs = (logs: ReadonlyArray<Log>, contracts: Contracts): Sorted => {
  const { tokens } = contracts
  const moving: Array<Decoded> = []
  const nfts: Array<Decoded> = []
  const swaps: Array<Decoded> = []
  const approvals: Array<Decoded> = []
  const odd: Array<Decoded> = []
  const initialized: Array<NewPool> = []
  let leftOut = 0
  const followed = tokens === undefined ? logs : logs.filter(({ address }) => tokens.has(address))
  const crowdedOut = withoutRoom(followed)
  for (const log of followed) {
    const event = crowdedOut.has(log) ? malformed : decode(log, contracts)
    if (isOdd(log, event)) odd.push({ event, log })
    if (event.kind === "malformed") leftOut++
    else if (event.kind === "nftTransfer") nfts.push({ event, log })
    else if (event.kind === "swap") swaps.push({ event, log })
    else if (event.kind === "approval") approvals.push({ event, log })
    else if (event.kind === "poolInitialized") initialized.push(newPool(event, log))
    else if (event.kind !== "other") moving.push({ event, log })
  }
  return { moving, nfts, swaps, approvals, odd, initialized, malformed: leftOut }
}

const newPool = ({ pool, token0, token1 }: Omit<NewPool, "blockNumber">, { blockNumber }: Log): NewPool => ({
  pool,
  token0,
  token1,
  blockNumber,
})

/** `timeOf`: the block time in seconds of a log. */
export const movementsOf = (
  { moving, nfts, swaps, approvals, odd }: Sorted,
  { wrappedNative }: Contracts,
  timeOf: (log: Log) => number,
): {
  readonly movements: ReadonlyArray<Movement>
  readonly nfts: ReadonlyArray<NftMovement>
  readonly swaps: ReadonlyArray<SwapMovement>
  readonly approvals: ReadonlyArray<ApprovalMovement>
  readonly odd: ReadonlyArray<OddLog>
} => ({
  movements: allMovements(moving, wrappedNative, timeOf),
  nfts: nfts.flatMap(({ event, log }) => nftMovementsOf(event, log, timeOf(log))),
  swaps: swaps.flatMap(({ event, log }) => swapMovementOf(event, log, timeOf(log)) ?? []),
  approvals: approvals.flatMap(({ event, log }) => approvalMovementOf(event, log, timeOf(log)) ?? []),
  odd: odd.map(({ event, log }) => oddLogOf(log, event, timeOf(log))),
})

/** A loop: this runs for every transfer of a chain. */
const allMovements = (
  moving: ReadonlyArray<Decoded>,
  wrappedNative: Contracts["wrappedNative"],
  timeOf: (log: Log) => number,
): ReadonlyArray<Movement> => {
  const movements: Array<Movement> = []
  for (const { event, log } of moving) {
    const movement = movementOf(event, log, timeOf(log), wrappedNative)
    if (movement !== undefined) movements.push(movement)
  }
  return movements
}
