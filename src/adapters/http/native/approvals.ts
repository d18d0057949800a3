/** What an address allows others: allowances, approved ids and operators, where approvals are stored. */
import { listApprovals } from "../../../domain/audit/approvals.ts"
import { Approval } from "../../../model/approval.ts"
import { approvalCursor } from "./cursors.ts"
import { listOfAddress } from "./list.ts"
import { limit } from "./parameters.ts"

export const approvals = listOfAddress({
  id: "address/approvals",
  path: "/address/{address}/approvals",
  tag: "Addresses",
  summary: "What an address allows others to move, by contract",
  description:
    "Which approvals there are is told by the logs; what is left of each by its contract at the as-of block (`source` is `node`), or else by the last log (`ledger`). Approvals of before `START_BLOCK`, and with `TOKENS` of other contracts, are not listed, though they may stand. Needs `APPROVALS_<chain id>=on`.",
  faults: ["ApprovalsNotKept"],
  record: Approval,
  parameters: { limit },
  cursor: () => approvalCursor,
  list: listApprovals,
})
