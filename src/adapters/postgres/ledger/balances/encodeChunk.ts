/** A chunk's movements as rows for COPY. */
import { type Movement, mintAccount } from "../../../../model/event.ts"
import type { Chunk } from "./chunk.ts"
import type { Folding } from "./fold.ts"

/** Movements with the ids of their tokens, and their amounts as words. */
export type MovementRows = Pick<Chunk<Movement>, "movements" | "ids" | "narrow" | "amounts">

/** The feed's rows, in log order; Deposits and Withdrawals go to their own table. */
export const encodeChunk = ({ transfers, wraps }: Folding, rows: MovementRows): void => {
  const { movements, ids, narrow, amounts } = rows
  for (let place = 0; place < movements.length; place++) {
    const { kind, blockNumber, logIndex, time, txHash, txIndex, from, to, debit, credit, amount } = movements[place]!
    if (kind === "wrap") {
      const deposited = debit === mintAccount
      wraps.row()
      wraps.pos(blockNumber, logIndex)
      wraps.int4(ids[place]!)
      wraps.bytea(deposited ? credit : debit, 20)
      wraps.bigNumeric(deposited ? amount : -amount)
      wraps.optionalInt4(txIndex)
      wraps.boolean(deposited)
      wraps.bytea(txHash, 32)
      wraps.int8(time)
      continue
    }
    transfers.row()
    transfers.pos(blockNumber, logIndex)
    transfers.int8(time)
    transfers.int4(ids[place]!)
    transfers.bytea(txHash, 32)
    transfers.bytea(from, 20)
    transfers.bytea(to, 20)
    if (narrow[place] === 1) transfers.numeric(amounts, place * 4)
    else transfers.bigNumeric(amount)
    transfers.optionalInt4(txIndex)
  }
}
