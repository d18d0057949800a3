/** Takes blocks back: what the removed rows touched returns to its last version before them. */
import { bytesOf } from "../database/client.ts"
import { type Removed, removeBlocks } from "./removal.ts"
import { FenceBroken, loadPosition } from "./state/checkpoint.ts"
import { findRows, keepCorrection, notify } from "./state/corrections.ts"
import { storeCounters } from "./state/tokenCounters.ts"
import { type Edges, findEdges, returning } from "./state/windows.ts"
import { removeSwaps } from "./swaps.ts"
import { transaction } from "./wire/session.ts"
import { clearCaches, type WriterState } from "./writerState.ts"

/** Removes block `fromBlock` and all above it, in one transaction; the caller has checked that it may. */
export const rollbackTo = async (writer: WriterState, fromBlock: number): Promise<void> => {
  const { session, position, limits } = writer
  await transaction(session, async () => {
    const rows = await findRows(session, fromBlock)
    const removed = await removeBlocks(session, position.edges, fromBlock)
    const swaps = await removeSwaps(session, fromBlock)
    const edges = await moveEdgesBack(writer, fromBlock)
    await moveStateBack(writer, fromBlock, { ...removed, swaps, edges })
    const [{ number }] = await session.run(
      (sql) => sql<[{ number: number }]>`
        insert into rollback (rollback_no, from_block)
        select coalesce(max(rollback_no), 0) + 1, ${fromBlock} from rollback returning rollback_no as number`,
    )
    await keepCorrection(session, { number, isHeal: false, removed: rows, added: [] }, limits.eventsDays)
    await notify(session)
  })
  clearCaches(writer)
  writer.position = await loadPosition(session)
}

/** The windows end with an older head: they begin earlier, and count what that uncovers. */
const moveEdgesBack = async ({ session, position }: WriterState, fromBlock: number): Promise<Edges> => {
  const [head] = await session.run(
    (sql) => sql<Array<{ time: number }>>`select time from block where number = ${fromBlock - 1}`,
  )
  if (head === undefined) return [0, 0, 0]
  const before = position.edges
  const [day, two, three] = before
  const highest: Edges = [Math.min(day, fromBlock), Math.min(two, fromBlock), Math.min(three, fromBlock)]
  const edges = await findEdges(session, head.time, [0, 0, 0], highest)
  await storeCounters(session, [], [false, false, false], returning(before, edges))
  return edges
}

/** Back to the header of the block before; to the empty ledger where that is before the first. */
const moveStateBack = async (
  { session, position }: WriterState,
  fromBlock: number,
  { tokens, transfers, swaps, edges }: Removed & { readonly swaps: number; readonly edges: Edges },
): Promise<void> => {
  const { nextBlock, head, firstBlock } = position.checkpoint
  const rows = await session.run(
    (sql) => sql`
      update state s set
        epoch = s.epoch + 1, revision = s.revision + 1, next_block = ${fromBlock},
        head_hash = b.hash, head_parent = b.parent_hash, head_time = b.time,
        erc20_tokens = s.erc20_tokens - ${tokens.erc20}, erc20_transfers = s.erc20_transfers - ${transfers.erc20},
        erc721_tokens = s.erc721_tokens - ${tokens.erc721}, erc721_transfers = s.erc721_transfers - ${transfers.erc721},
        erc1155_tokens = s.erc1155_tokens - ${tokens.erc1155},
        erc1155_transfers = s.erc1155_transfers - ${transfers.erc1155},
        swaps = s.swaps - ${swaps},
        edge_24h = ${edges[0]}, edge_48h = ${edges[1]}, edge_72h = ${edges[2]}
      from (values (1)) one left join block b on b.number = ${fromBlock - 1}
      where s.next_block = ${nextBlock} and s.epoch = ${position.epoch}
        and s.head_hash is not distinct from ${head === undefined ? null : bytesOf(head.hash)}::bytea
        and (b.number is not null or ${fromBlock} = ${firstBlock}::int4)
      returning s.next_block`,
  )
  if (rows.length !== 1) throw new FenceBroken()
}
