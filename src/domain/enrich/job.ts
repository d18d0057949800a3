/** What may be learned beside the ledger: one kind of question each. */
import type { Effect } from "effect"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { LedgerUnavailable } from "../../ports/Ledger.ts"

/** Which things it is open for, who is asked, and where the answer goes. */
export interface Job<Item, Answer> {
  /** Things asked about at once. */
  readonly batchSize: number
  /** So many answers are recorded together while there is more to ask: what is recorded makes kept answers of the chain be made anew. */
  readonly recordSize: number
  /** Rest after each batch. */
  readonly restMs: number
  /** What nobody has recorded an answer for; those to be asked first come first. */
  list(limit: number): Effect.Effect<ReadonlyArray<Item>, LedgerUnavailable>
  keyOf(item: Item): string
  /** Items of a group fail for the same reason: where some have and none has not, the others of the batch are not tried. */
  groupOf(item: Item): string
  /** In order; undefined = no answer about this one now. Fails where one item spoils the batch, or the node is down. */
  ask(items: ReadonlyArray<Item>): Effect.Effect<ReadonlyArray<Answer | undefined>, SourceUnavailable>
  /** The store may leave out what its writer is at work on: that is listed again. */
  record(learned: ReadonlyArray<Learned<Item, Answer>>): Effect.Effect<void, LedgerUnavailable>
  /** Its block is final. Of one that is not, a node may say nothing because it is behind. */
  isFinal(item: Item): boolean
  /** An answer that a node which is behind gives too: of an item that is not final it is believed only when it comes again. */
  saysNothing(answer: Answer): boolean
  /** Recorded of a final item that failed so often while others did not. Absent: it is asked for ever. */
  readonly giveUp?: { readonly tries: number; readonly answer: Answer }
}

export interface Learned<Item, Answer> {
  readonly item: Item
  readonly answer: Answer
}
