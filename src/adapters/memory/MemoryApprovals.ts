/** The ApprovalStore port in memory. */
import { Effect, Layer } from "effect"
import { type ApprovalKey, type ApprovalMovement, approvalKinds, type StoredApproval } from "../../model/approval.ts"
import { countUpTo } from "../../model/page.ts"
import { zeroAddress } from "../../model/primitives.ts"
import { ApprovalStore } from "../../ports/ApprovalStore.ts"
import { compareBigInts, pageOf } from "./rows.ts"
import { type MemoryChain, MemoryChains, snapshotOf, storedChains, tokenOf } from "./state.ts"

export const layer = Layer.effect(
  ApprovalStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return ApprovalStore.of({
      list: ({ chainId, owner, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const rows = stored.flatMap((chain) =>
            [...newest(chain.approvals.filter((row) => row.owner === owner)).values()]
              .filter((row) => isLive(chain, row))
              .map((row) => record(chain, row)),
          )
          return snapshotOf(stored, {
            ...pageOf(rows, keyOf, compare, page),
            isKept: stored.every(({ settings }) => settings.approvals === true),
            ...(count ? { count: countUpTo(rows.length) } : {}),
          })
        }),
    })
  }),
)

/** The last of each key. */
const newest = (rows: ReadonlyArray<ApprovalMovement>): ReadonlyMap<string, ApprovalMovement> =>
  new Map(rows.map((row) => [[row.token, row.of, row.tokenId, row.of === "tokenId" ? "" : row.spender].join(), row]))

const isLive = (
  chain: MemoryChain,
  { of, token, owner, spender, tokenId, amount, ...at }: ApprovalMovement,
): boolean => {
  if (of !== "tokenId") return amount > 0n
  if (spender === zeroAddress) return false
  const moved = tokenOf(chain, "erc721", token)?.owners.get(tokenId)?.at(-1)
  if (moved === undefined) return true
  const isBefore = moved.blockNumber - at.blockNumber || moved.logIndex - at.logIndex
  return moved.owner === owner && isBefore < 0
}

const record = ({ settings }: MemoryChain, row: ApprovalMovement): StoredApproval => ({
  chainId: settings.chainId,
  tokenAddress: row.token,
  kind: row.of,
  spender: row.spender,
  tokenId: String(row.tokenId),
  amount: String(row.amount),
  blockNumber: row.blockNumber,
  logIndex: row.logIndex,
  txHash: row.txHash,
  ...(row.txIndex === undefined ? {} : { transactionIndex: row.txIndex }),
  time: row.time,
})

const keyOf = ({ tokenAddress, kind, tokenId, spender }: StoredApproval): ApprovalKey => ({
  tokenAddress,
  kind,
  tokenId,
  spender: kind === "tokenId" ? zeroAddress : spender,
})

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compare = (a: ApprovalKey, b: ApprovalKey): number =>
  compareTexts(a.tokenAddress, b.tokenAddress) ||
  approvalKinds.indexOf(a.kind) - approvalKinds.indexOf(b.kind) ||
  compareBigInts(BigInt(a.tokenId), BigInt(b.tokenId)) ||
  compareTexts(a.spender, b.spender)
