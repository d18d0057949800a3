/** Reads what owners have allowed others, by the logs. */
import { Context, type Effect } from "effect"
import type { ApprovalKey, StoredApproval } from "../model/approval.ts"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, ChainId } from "../model/primitives.ts"

export interface ApprovalsQuery {
  readonly chainId: ChainId
  readonly owner: Address
  /** Display order: contract, kind, id, spender, all ascending. */
  readonly page: PageRequest<ApprovalKey>
  /** Exact up to `countCap`, then `lowerBound`. */
  readonly count: boolean
}

export class ApprovalStore extends Context.Service<
  ApprovalStore,
  {
    /**
     * What was allowed last and not taken back: allowances above zero, operators, ERC-721 ids that the owner still has
     * and that were not moved since. `isKept`: false = the stored ledger was made without approvals, and has no rows.
     */
    list(
      query: ApprovalsQuery,
    ): Effect.Effect<Snapshot<Rows<StoredApproval, ApprovalKey> & { readonly isKept: boolean }>, StoreError>
  }
>()("cowry/ApprovalStore") {}
