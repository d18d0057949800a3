/** A chain as its node shows it. */
import { Context, type Effect, Schema } from "effect"
import type { BlockHeader, Log } from "../model/block.ts"
import { type FaultCounts, FaultKind, type FaultTexts } from "../model/fault.ts"
import type { Address, ChainId, Hash } from "../model/primitives.ts"

/**
 * The node failed, after retries, or said something that cannot be. `kind` absent: the source has counted it itself. `noNode`: this process has none
 * of the chain, so that trying again is in vain.
 */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", {
  message: Schema.String,
  noNode: Schema.optionalKey(Schema.Literal(true)),
  kind: Schema.optionalKey(FaultKind),
  cause: Schema.optionalKey(Schema.Defect()),
}) {}

/** The node will not answer for so many blocks or logs at once: ask for fewer. `suggestedTo`: the end the node itself proposed. */
export class RangeRefused extends Schema.TaggedError<RangeRefused>()("RangeRefused", {
  message: Schema.String,
  suggestedTo: Schema.optionalKey(Schema.Finite),
}) {}

/** What a header's bloom says of the block's logs: a hint, which may say yes wrongly, and on some chains says nothing. */
export interface LogsBloom {
  /** No bit is set. */
  readonly empty: boolean
  /** False: by the bloom, this log cannot be in the block. */
  mayHold(log: Log): boolean
  /** True: by the bloom, logs of those that are asked for are in the block, and it would not say so of most blocks. */
  suggestsLogs(): boolean
  /** True: by the bloom, no log of those that are asked for can be in the block. */
  excludesLogs(): boolean
  /** True: by the bloom, logs of a kind (of those that are asked for a signature, or an address) that none of these has are in the block, and it would say so by chance of very few blocks. */
  suggestsOthers(logs: ReadonlyArray<Log>): boolean
}

/** What a header says of its block's receipts. */
export interface ReceiptsMark {
  /** Their root, 32 bytes. */
  readonly root: Hash
  /** Transactions of the block. */
  readonly count: number
  /** The header's logsBloom, 256 bytes in hex. */
  readonly bloom: string
}

/** The followed logs of a block, all of them and in order, with its transactions by their places (`isOrdered`: the block has them at these; `indexed`: the logs' indexes are the chain's too, not only their order; `denied`: what is wrong with the receipts that other nodes gave); or why its receipts are none of the block's; or why no node gave them. */
export type ReceiptsProof =
  | {
      readonly logs: ReadonlyArray<Log>
      readonly indexed: boolean
      readonly transactions: ReadonlyMap<Hash, number>
      readonly isOrdered: boolean
      readonly denied?: string
      /** Only the bloom shows that they are the block's: some may lack, where others set the same bits. */
      readonly isWeak?: boolean
    }
  | { readonly complaint: string }
  | { readonly unread: string }

/** Where there are such logs. */
export type ProvenReceipts = Extract<ReceiptsProof, { readonly logs: unknown }>

/** A header as the node gives it. */
export interface SourceHeader extends BlockHeader {
  /** Absent = the node gives none, there are no transactions, or receipts are not to be read. */
  readonly receipts?: ReceiptsMark
  /** Absent = the node gives none, or it is not to be read. */
  readonly bloom?: LogsBloom
}

/** A block's token logs as learned in other ways than by the question before; absent where that way is not open. */
export interface CrossCheck {
  /** From another node. */
  readonly second?: ReadonlyArray<Log>
  /** From the receipts of all of the block's transactions. */
  readonly receipts?: ReadonlyArray<Log>
}

/** A question that no node answers. `id`: the same for as long as that goes on. */
export interface Unanswered {
  readonly id: number
  /** In plain words without secrets. */
  readonly why: string
}

/** The nodes of a chain, each by its place (from 0) in the order of preference. */
export interface SourceNodes {
  /** Scheme and host of each. */
  readonly labels: ReadonlyArray<string>
  /** The one that is asked first at the moment. */
  readonly current: () => number
  /** Who told this very answer of `logs`. Undefined = not known. */
  tellerOf(logs: ReadonlyArray<Log>): number | undefined
  /** As `logs`, asked of this one alone, with the header of the last block; undefined where it does not answer or has not that block. */
  logs(node: number, fromBlock: number, toBlock: number): Effect.Effect<RangeOfNode | RangeRefused | undefined>
  /** The followed logs of this very block, asked of this one alone; undefined where it does not answer, has not the block or does not give its logs. */
  logsOfBlock(node: number, hash: Hash): Effect.Effect<ReadonlyArray<Log> | undefined>
}

export interface RangeOfNode {
  readonly head: SourceHeader
  readonly logs: ReadonlyArray<Log>
}

/** A contract's own logs as nodes give them, each by itself (scheme and host). */
export interface ContractLogs {
  /** At least one. */
  readonly answers: ReadonlyArray<{ readonly node: string; readonly logs: ReadonlyArray<Log> }>
  /** Nodes that were asked in vain; `why` in plain words without secrets. */
  readonly silent: ReadonlyArray<{ readonly node: string; readonly why: string }>
}

export interface ChainSourceClient {
  /** The chain id the node itself reports. */
  readonly chainId: Effect.Effect<ChainId, SourceUnavailable>
  readonly head: Effect.Effect<SourceHeader, SourceUnavailable>
  /** Headers of these blocks, in order; undefined for a block the node does not have. */
  headers(numbers: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<SourceHeader | undefined>, SourceUnavailable>
  /** Token logs of a range (inclusive), ascending by (blockNumber, logIndex). */
  logs(fromBlock: number, toBlock: number): Effect.Effect<ReadonlyArray<Log>, RangeRefused | SourceUnavailable>
  /** Token logs of these very blocks, one list per hash; undefined for a block the node does not (or no longer) have. */
  logsOfBlocks(
    hashes: ReadonlyArray<Hash>,
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<Log> | undefined>, SourceUnavailable>
  /** What else can be learned of the token logs of these blocks, one answer per hash. Never fails: what fails is absent. */
  crossCheck(hashes: ReadonlyArray<Hash>): Effect.Effect<ReadonlyArray<CrossCheck>>
  /** A contract's own token logs of a range, without those of pools, of every node: others than the one in use first. Each ascends. Fails where none answers, or one would of fewer blocks. Absent = nobody can be asked. */
  readonly contractLogs?: (
    address: Address,
    fromBlock: number,
    toBlock: number,
  ) => Effect.Effect<ContractLogs, RangeRefused | SourceUnavailable>
  /** What receipts prove of these blocks' logs, in order; undefined where nothing can be known: no node knows the method, or the chain is of another kind. Never fails. Absent = nothing is proven. */
  readonly prove?: (headers: ReadonlyArray<SourceHeader>) => Effect.Effect<ReadonlyArray<ReceiptsProof | undefined>>
  /** The same of blocks far below the head, which old kinds of blocks may teach nothing about the newest. Absent = nothing is proven. */
  readonly proveFinal?: ChainSourceClient["prove"]
  /** Absent = they cannot be asked one by one. */
  readonly nodes?: SourceNodes
  /** When a node last answered anything, steady milliseconds: questions may wait in a queue of our own for long. Absent = not known. */
  readonly heardAt?: () => number | undefined
  /** Answers that the source itself refused so far, also where asking again helped. Absent = none are counted. */
  readonly refusals?: () => FaultCounts
  /** Of these, those to callers' questions. Absent = none. */
  readonly refusalsOfCallers?: () => FaultCounts
  /** What was wrong with the newest of the others. */
  readonly newestRefusals?: () => FaultTexts
  /** What it asks for again and again for the moment, the longest of it: whoever asked does not hear of that yet. */
  readonly unanswered?: () => Unanswered | undefined
  /** Another node, if there is one, is asked first from now on, for a while. */
  readonly failover: Effect.Effect<void>
}

export class ChainSource extends Context.Service<
  ChainSource,
  {
    /** The client of a configured chain. */
    of(chainId: ChainId): ChainSourceClient
  }
>()("cowry/ChainSource") {}
