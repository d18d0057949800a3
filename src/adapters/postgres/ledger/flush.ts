/** The rows that a fold has encoded, on their way to their tables. */
import type { Folding } from "./balances/fold.ts"
import { copyIn } from "./wire/copy.ts"
import type { Session } from "./wire/session.ts"
import type { OpenAppend } from "./writerState.ts"

const targets = {
  transfers: "erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount, tx_index)",
  wraps: "wrap (pos, token_id, holder, amount, tx_index, is_deposit, tx_hash, time)",
  erc721: "erc721_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, tx_index)",
  erc1155:
    "erc1155_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, amount, operator, tx_index)",
  unitHistory: "unit_balance_history (token_id, unit_no, block_number, balance)",
  swaps: "swap (pos, time, in_no, out_no, pool_no, tx_hash, qty_in, qty_out, tx_index)",
  approvals: "approval (pos, time, tx_index, kind, contract, owner, spender, nft_id, approved, amount, tx_hash)",
  oddLogs: "odd_log (pos, time, tx_index, has_rows, contract, tx_hash, topic0, topic1, topic2, topic3, data)",
  history: "balance_history (token_id, holder_no, block_number, balance)",
} as const

const names = Object.keys(targets) as ReadonlyArray<keyof typeof targets>

/** What is encoded so far goes out behind what is on its way, once there is as much as the append sends at a time. Not waited for. */
export const sendRows = async (session: Session, open: OpenAppend): Promise<void> => {
  const { folding } = open
  if (names.reduce((sum, name) => sum + folding[name].slices.length, 0) >= open.slicesAtOnce)
    await sendRest(session, open)
}

/** The same, however little there is. */
export const sendRest = async (session: Session, open: OpenAppend): Promise<void> => {
  await open.flushed
  open.flushed = flushRows(session, open.folding)
  // Awaited by whoever sends next.
  open.flushed.catch(() => {})
}

/** One COPY a table. */
const flushRows = async (session: Session, folding: Folding): Promise<void> => {
  // Taken now: the next chunk is encoded into the same buffers while these go out.
  const parts = names
    .filter((name) => folding[name].rows > 0)
    .map((name) => [targets[name], folding[name].take()] as const)
  for (const [target, slices] of parts) await copyIn(session, target, slices)
}
