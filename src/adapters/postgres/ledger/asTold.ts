/** Approvals and odd logs into the open append: rows as the logs say them, nothing is derived of them. */
import { approvalKinds } from "../../../model/approval.ts"
import type { Segment } from "../../../model/event.ts"
import { zeroAddress } from "../../../model/primitives.ts"
import { sendRows } from "./flush.ts"
import { slicesOfCopy } from "./wire/copy.ts"
import type { Session } from "./wire/session.ts"
import type { OpenAppend, WriterState } from "./writerState.ts"

/** Whole chunks go out, the rest with what is sent next. */
export const storeApprovals = async (
  { session, limits }: Pick<WriterState, "limits"> & { readonly session: Session },
  open: OpenAppend,
  { approvals = [] }: Segment,
): Promise<void> => {
  const rows = open.folding.approvals
  for (const each of approvals) {
    const isOfId = each.of === "tokenId"
    rows.row()
    rows.pos(each.blockNumber, each.logIndex)
    rows.int8(each.time)
    rows.optionalInt4(each.txIndex)
    rows.int2(approvalKinds.indexOf(each.of))
    rows.bytea(each.token, 20)
    rows.bytea(each.owner, 20)
    rows.bytea(isOfId ? zeroAddress : each.spender, 20)
    rows.bigNumeric(each.tokenId)
    if (isOfId) rows.bytea(each.spender, 20)
    else rows.zeros(0)
    rows.bigNumeric(each.amount)
    rows.bytea(each.txHash, 32)
    if (rows.rows >= limits.chunkSize) await sendRows(session, open)
  }
}

/** The same of logs that rows do not give back. They may be long: what is encoded goes out as it fills. */
export const storeOddLogs = async (
  { session, limits }: Pick<WriterState, "limits"> & { readonly session: Session },
  open: OpenAppend,
  { odd = [] }: Segment,
): Promise<void> => {
  const rows = open.folding.oddLogs
  for (const log of odd) {
    rows.row()
    rows.pos(log.blockNumber, log.logIndex)
    rows.int8(log.time)
    rows.optionalInt4(log.txIndex)
    rows.boolean(log.hasRows)
    rows.bytea(log.contract, 20)
    rows.bytea(log.txHash, 32)
    for (const place of [0, 1, 2, 3]) {
      const topic = log.topics[place]
      if (topic === undefined) rows.none()
      else rows.bytea(topic, 32)
    }
    rows.lastBytes(log.data)
    if (rows.rows >= limits.chunkSize || rows.slices.length >= slicesOfCopy) await sendRows(session, open)
  }
}
