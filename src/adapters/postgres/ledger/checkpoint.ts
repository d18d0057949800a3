/** The `state` row: where the ledger stands, and the fence that lets one writer at a time move it. */
import { maxBlockNumber } from "../../../domain/ingest/segmentRules.ts"
import type { BlockHeader } from "../../../domain/model/block.ts"
import type { Checkpoint } from "../../../domain/model/event.ts"
import type { Hash } from "../../../domain/model/primitives.ts"
import { bytesOf } from "../client.ts"
import type { Joined } from "./joined.ts"
import type { Session } from "./session.ts"

export interface Position {
  readonly checkpoint: Checkpoint
  /** +1 at every append and rollback. */
  readonly epoch: number
  /** Last token_id given out. */
  readonly tokenSequence: number
  /** block >> 8 of the newest `clock` row; −1 = none. */
  readonly clockGroup: number
}

interface StateRow {
  readonly epoch: number
  readonly first_block: number
  readonly next_block: number
  readonly finalized_block: number
  readonly token_seq: number
  readonly head_hash?: Hash
  readonly head_parent: Hash
  readonly head_time: number
  readonly clock_block?: number
}

export const loadPosition = async (session: Session): Promise<Position> => {
  const [row] = await session.run(
    (sql) => sql<[StateRow]>`
      select epoch, first_block, next_block, finalized_block, token_seq, head_hash, head_parent, head_time,
             (select max(block) from clock) as clock_block
      from state`,
  )
  return {
    checkpoint: {
      nextBlock: row.next_block,
      firstBlock: row.first_block,
      finalizedBlock: row.finalized_block,
      ...(row.head_hash === undefined
        ? {}
        : {
            head: {
              number: row.next_block - 1,
              hash: row.head_hash,
              parentHash: row.head_parent,
              time: row.head_time,
            },
          }),
    },
    epoch: row.epoch,
    tokenSequence: row.token_seq,
    clockGroup: row.clock_block === undefined ? -1 : row.clock_block >> 8,
  }
}

/** Somebody else moved this ledger: the lock was not held after all. */
export class FenceBroken extends Error {
  constructor() {
    super("another writer moved this ledger: its state is not what this writer left")
  }
}

export interface Advance {
  readonly joined: Joined
  readonly tokens: number
  readonly transfers: number
  readonly tokenSequence: number
}

/** Moves `state` past the append; breaks when the row is not as this writer left it. Gives the new checkpoint. */
export const advance = async (
  session: Session,
  { checkpoint, epoch }: Position,
  { joined, tokens, transfers, tokenSequence }: Advance,
): Promise<Checkpoint> => {
  const { head, counts } = joined
  const [row] = await session.run(
    (sql) => sql<Array<{ finalized_block: number }>>`
      update state set
        epoch = epoch + 1, revision = revision + 1,
        next_block = ${head.number + 1}, head_hash = ${bytesOf(head.hash)},
        head_parent = ${bytesOf(head.parentHash)}, head_time = ${head.time},
        finalized_block = greatest(finalized_block, ${stored(joined.finalizedBlock)}),
        node_head = ${stored(joined.nodeHead)},
        token_seq = ${tokenSequence},
        erc20_tokens = erc20_tokens + ${tokens}, erc20_transfers = erc20_transfers + ${transfers},
        skipped_odd = skipped_odd + ${counts.odd}
      where next_block = ${checkpoint.nextBlock} and epoch = ${epoch}
        and head_hash is not distinct from ${checkpoint.head === undefined ? null : bytesOf(checkpoint.head.hash)}::bytea
      returning finalized_block`,
  )
  if (row === undefined) throw new FenceBroken()
  return {
    nextBlock: head.number + 1,
    firstBlock: checkpoint.firstBlock,
    head,
    finalizedBlock: row.finalized_block,
  }
}

/** The node may announce any number; a block beyond the store's is refused when it comes. */
const stored = (block: number): number => Math.min(block, maxBlockNumber)

/** Headers kept for reorgs, ascending. */
export const loadHeaders = async (session: Session): Promise<ReadonlyArray<BlockHeader>> =>
  (
    await session.run(
      (sql) => sql<Array<{ number: number; hash: Hash; parent_hash: Hash; time: number }>>`
        select number, hash, parent_hash, time from block order by number`,
    )
  ).map(({ number, hash, parent_hash, time }) => ({ number, hash, parentHash: parent_hash, time }))
