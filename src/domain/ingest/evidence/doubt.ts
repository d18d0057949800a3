/** What is said of a chain while logs that were stored are in doubt. Pure. */
import type { ChainId } from "../../../model/primitives.ts"
import type { LostTokens } from "../status/LostTokens.ts"
import type { Evidence } from "./Evidence.ts"

/** Undefined = nothing is. */
export const doubtOf = (chainId: ChainId, evidence: Evidence, lost: LostTokens): string | undefined => {
  const { newest, doubtful, unasked, forgotten, unhealed } = evidence
  const open = doubtful.map(({ told }) => told)
  const tokens = lost.list()
  const parts = [
    ...(open.length > 0
      ? [`what it told before is asked of another node again (${blocksOf(open)}, ${open.length} questions left)`]
      : []),
    ...(forgotten !== undefined
      ? [
          `what it told of ${blocksOf([forgotten])} is too long ago to be asked about, and logs may be missing there: run cowry audit, or cowry resync ${chainId}`,
        ]
      : []),
    ...(unasked !== undefined
      ? [
          `nobody else could be asked about ${blocksOf([unasked])}, where logs may be missing: give RPC_URL_${chainId} another node and run cowry audit, or cowry resync ${chainId}`,
        ]
      : []),
    ...(tokens.length > 0
      ? [`the ledger may lack logs of ${tokens.length} tokens (${blocksOf(tokens)}): the audit looks at them`]
      : []),
    ...[...unhealed].map(
      ([kind, range]) =>
        `${kind} of ${blocksOf([range])} may be missing, which the audit does not bring back: cowry resync ${chainId}`,
    ),
  ]
  return newest === undefined || parts.length === 0 ? undefined : `${newest}; ${parts.join("; ")}`
}

const blocksOf = (ranges: ReadonlyArray<{ readonly from: number; readonly to: number }>): string => {
  const from = ranges.reduce((least, range) => Math.min(least, range.from), Number.POSITIVE_INFINITY)
  const to = ranges.reduce((most, range) => Math.max(most, range.to), 0)
  return `blocks ${from} to ${to}`
}
