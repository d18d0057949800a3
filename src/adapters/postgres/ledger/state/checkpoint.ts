/** The `state` row: where the ledger stands, and the fence that lets one writer at a time move it. */
import { finalAfter } from "../../../../domain/ingest/decode/segmentRefusals.ts"
import { maxBlockNumber } from "../../../../model/block.ts"
import type { Checkpoint } from "../../../../model/event.ts"
import type { Hash } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { bytesOf } from "../../database/client.ts"
import type { PoolSequence } from "../ids/pools.ts"
import type { Session } from "../wire/session.ts"
import type { AppendSummary } from "./appendSummary.ts"
import type { Edges } from "./windows.ts"

export interface Position {
  readonly checkpoint: Checkpoint
  /** +1 at every append and rollback. */
  readonly epoch: number
  /** Last token_id given out. */
  readonly tokenSequence: number
  /** Last pool_no and asset_no given out. */
  readonly poolSequence: PoolSequence
  /** block >> 8 of the newest `clock` row; −1 = none. */
  readonly clockGroup: number
  /** Of the rolling counts. */
  readonly edges: Edges
}

interface StateRow {
  readonly epoch: number
  readonly first_block: number
  readonly next_block: number
  readonly finalized_block: number
  readonly token_seq: number
  readonly pool_seq: number
  readonly asset_seq: number
  readonly head_hash?: Hash
  readonly head_parent: Hash
  readonly head_time: number
  readonly clock_block?: number
  readonly edge_24h: number
  readonly edge_48h: number
  readonly edge_72h: number
}

export const loadPosition = async (session: Session): Promise<Position> => {
  const [row] = await session.run(
    (sql) => sql<[StateRow]>`
      select epoch, first_block, next_block, finalized_block, token_seq, pool_seq, asset_seq,
             head_hash, head_parent, head_time, edge_24h, edge_48h, edge_72h,
             (select max(block) from clock) as clock_block
      from state`,
  )
  return {
    checkpoint: {
      nextBlock: row.next_block,
      firstBlock: row.first_block,
      // A version before this one took a block that was announced, and never came, for final.
      finalizedBlock: Math.min(row.finalized_block, row.next_block - 1),
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
    poolSequence: { pool: row.pool_seq, asset: row.asset_seq },
    clockGroup: row.clock_block === undefined ? -1 : row.clock_block >> 8,
    edges: [row.edge_24h, row.edge_48h, row.edge_72h],
  }
}

/** What rows of an older version lack, in words that end in what mends it; undefined = nothing. */
export const rowsWithoutPlaces = async (session: Session): Promise<string | undefined> => {
  const [{ full_from: from, first_block: first }] = await session.run(
    (sql) => sql<[{ full_from: number; first_block: number }]>`select full_from, first_block from state`,
  )
  return from <= first
    ? undefined
    : `rows of blocks before ${from} were stored by a version that kept neither the transaction's index nor the ` +
        "operator of an ERC-1155 transfer, and they stay without; to have the chain built anew with them"
}

/** Somebody else moved this ledger: the lock was not held after all. */
export class FenceBroken extends Error {
  constructor() {
    super("another writer moved this ledger: its state is not what this writer left")
  }
}

/** Breaks when the row is not as this writer left it. */
export const confirmPosition = async (session: Session, { checkpoint, epoch }: Position): Promise<void> => {
  const [row] = await session.run(
    (sql) => sql`select from state where next_block = ${checkpoint.nextBlock} and epoch = ${epoch}`,
  )
  if (row === undefined) throw new FenceBroken()
}

export interface Advance {
  readonly summary: AppendSummary
  /** Of each standard, how many are new. */
  readonly tokens: Readonly<Record<Standard, number>>
  readonly transfers: Readonly<Record<Standard, number>>
  readonly tokenSequence: number
  readonly poolSequence: PoolSequence
  readonly swaps: { readonly stored: number; readonly skipped: number }
  readonly edges: Edges
}

/** Moves `state` past the append; breaks when the row is not as this writer left it. Gives the new checkpoint. */
export const advance = async (
  session: Session,
  { checkpoint, epoch }: Position,
  { summary, tokens, transfers, tokenSequence, poolSequence, swaps, edges }: Advance,
): Promise<Checkpoint> => {
  const { head, counts } = summary
  const [row] = await session.run(
    (sql) => sql<Array<{ finalized_block: number }>>`
      update state set
        epoch = epoch + 1, revision = revision + 1, appended = appended + 1,
        next_block = ${head.number + 1}, head_hash = ${bytesOf(head.hash)},
        head_parent = ${bytesOf(head.parentHash)}, head_time = ${head.time},
        finalized_block = ${finalAfter(checkpoint.finalizedBlock, summary)},
        node_head = ${stored(summary.nodeHead)},
        token_seq = ${tokenSequence}, pool_seq = ${poolSequence.pool}, asset_seq = ${poolSequence.asset},
        erc20_tokens = erc20_tokens + ${tokens.erc20}, erc20_transfers = erc20_transfers + ${transfers.erc20},
        erc721_tokens = erc721_tokens + ${tokens.erc721}, erc721_transfers = erc721_transfers + ${transfers.erc721},
        erc1155_tokens = erc1155_tokens + ${tokens.erc1155}, erc1155_transfers = erc1155_transfers + ${transfers.erc1155},
        swaps = swaps + ${swaps.stored}, skipped_swaps = skipped_swaps + ${swaps.skipped + counts.unknownPool},
        edge_24h = ${edges[0]}, edge_48h = ${edges[1]}, edge_72h = ${edges[2]},
        skipped_odd = skipped_odd + ${counts.malformed}
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

export const loadBirth = async (session: Session): Promise<string> => {
  const [{ birth }] = await session.run((sql) => sql<[{ birth: string }]>`select birth from state`)
  return birth
}
