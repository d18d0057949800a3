/** What an owner allows others: which approvals there are is the ledger's to say, what is left of them the contracts'. */
import { Effect } from "effect"
import type { Approval, StoredApproval } from "../../model/approval.ts"
import { ApprovalsNotKept } from "../../model/errors.ts"
import { toListPage } from "../../model/page.ts"
import { type Address, type ChainId, dateTimeOf } from "../../model/primitives.ts"
import { ApprovalStore, type ApprovalsQuery } from "../../ports/ApprovalStore.ts"
import { rebuildCommand } from "../../ports/Ledger.ts"
import { Networks } from "../../ports/Networks.ts"
import type { ApprovalQuestion } from "../../ports/TokenViews.ts"
import { askNode, type BalanceSource } from "./askNode.ts"

/** Each with the contract's own answer after the as-of block, where it gives one. `source`: whether it did so of all. */
export const listApprovals = Effect.fnUntraced(function* (query: ApprovalsQuery) {
  const { chainId, owner, page } = query
  const { chains } = yield* Networks
  if (chains.find((chain) => chain.chainId === chainId)?.approvals !== true) return yield* notKept(chainId, false)
  const store = yield* ApprovalStore
  const { asOf, value } = yield* store.list(query)
  if (!value.isKept) return yield* notKept(chainId, true)
  const questions = value.items.map((approval) => questionOf(owner, approval))
  const answers = questions.length === 0 ? [] : ((yield* askNode({ unaskable: false }, asOf, questions)) ?? [])
  const items = value.items.map((approval, place) => shown(owner, approval, answers[place]))
  const source: BalanceSource = items.every((item) => item.source === "node") ? "node" : "ledger"
  return { ...toListPage(page, { asOf, value: { ...value, items } }), ...(items.length > 0 && { source }) }
})

const notKept = (chainId: ChainId, isSet: boolean) =>
  new ApprovalsNotKept({
    message: isSet
      ? `approvals of chain ${chainId} are not in the stored ledger, which was made without them: ${rebuildCommand(chainId)}`
      : `approvals of chain ${chainId} are not stored: set APPROVALS_${chainId}=on and run ${rebuildCommand(chainId)}`,
  })

const questionOf = (
  holder: Address,
  { kind, tokenAddress: token, spender, tokenId }: StoredApproval,
): ApprovalQuestion => {
  switch (kind) {
    case "amount":
      return { of: "allowance", token, holder, spender }
    case "tokenId":
      return { of: "approved", token, tokenId }
    case "operator":
      return { of: "operator", token, holder, spender }
  }
}

/** `answer`: undefined = the contract gave none. */
const shown = (owner: Address, stored: StoredApproval, answer: bigint | undefined): Approval => {
  const { kind, amount, time, tokenId, chainId, tokenAddress, spender, ...at } = stored
  const isOfNode = answer !== undefined
  const holds = kind === "tokenId" ? answer === BigInt(spender) : answer === 1n
  return {
    chainId,
    tokenAddress,
    kind,
    owner,
    spender,
    ...(kind === "tokenId" ? { tokenId } : {}),
    ...(kind === "amount"
      ? { amount: isOfNode ? String(answer) : amount, approvedAmount: amount }
      : { isApproved: isOfNode ? holds : true }),
    source: isOfNode ? "node" : "ledger",
    ...at,
    timestamp: dateTimeOf(time),
  }
}
