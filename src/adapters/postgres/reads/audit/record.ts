/** A row of `token_audit` ↔ the record of a comparison, and the record as people see it. */
import { type AuditDifference, auditStates, neverCompared, type TokenAudit } from "../../../../model/audit.ts"
import { type Address, type ChainId, dateTimeOf } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import type { AuditRecord, FoundAudit, Partiality, WatchedFigure } from "../../../../ports/AuditStore.ts"
import type { TokenQuestion } from "../../../../ports/TokenViews.ts"
import { standardNumbers } from "../../database/chainSql.ts"

/** As `json_build_object` and rows alike have it. */
export interface RecordRow {
  readonly state: number
  readonly block_number: number
  readonly time: number
  readonly compared: number
  readonly difference?: AuditDifference | null
  readonly reason?: string | null
}

export interface AuditRow extends Partial<RecordRow> {
  readonly standard: number
  readonly address: Address
}

/** The first and the last block at which something differed, of which logs were asked again, and of rows that came in later. */
export interface DifferedRow {
  readonly differed?: readonly [number, number] | null | undefined
  readonly logs?: readonly [number, number] | null | undefined
  readonly healed?: readonly [number, number] | null | undefined
}

/** Amounts beyond 2⁵³ are texts in JSON. */
interface WatchedRow {
  readonly of: TokenQuestion["of"]
  readonly holder?: Address
  readonly tokenId?: string
  readonly ledger: string
  readonly node?: string
  readonly touched: number
}

export const standardOf = (number: number): Standard =>
  standards.find((standard) => standardNumbers[standard] === number)!

export const stateNumber = (state: TokenAudit["state"]): number => auditStates.indexOf(state)

/** A row without a state is of a token that was never compared. */
export const auditOf = (chainId: ChainId, { standard, address, state, ...row }: AuditRow): TokenAudit => ({
  chainId,
  address,
  standard: standardOf(standard),
  ...(state === undefined || state === null
    ? { state: "unverified", reason: neverCompared }
    : {
        state: auditStates[state]!,
        blockNumber: row.block_number!,
        timestamp: dateTimeOf(row.time!),
        compared: row.compared!,
        ...(row.difference ? { difference: row.difference } : {}),
        ...(row.reason ? { reason: row.reason } : {}),
      }),
})

export type FoundRow = AuditRow & DifferedRow & { readonly partial: Partiality | null }

export const foundAudit = (chainId: ChainId, { differed, partial, ...row }: FoundRow): FoundAudit => ({
  ...auditOf(chainId, row),
  ...differedOf({ differed }),
  ...(partial === null ? {} : { partial }),
})

const differedOf = ({ differed }: DifferedRow) => (differed ? { differed: { from: differed[0], to: differed[1] } } : {})

export const recordOf = (
  token: Address,
  row: RecordRow & DifferedRow & { readonly watched: ReadonlyArray<WatchedRow> },
): AuditRecord => ({
  state: auditStates[row.state]!,
  blockNumber: row.block_number,
  time: row.time,
  compared: row.compared,
  ...(row.difference ? { difference: row.difference } : {}),
  ...(row.reason ? { reason: row.reason } : {}),
  watched: row.watched.map(({ ledger, node, ...question }) => ({
    ...(question as Omit<WatchedFigure, "token" | "ledger" | "node"> & { touched: number }),
    token,
    ledger: BigInt(ledger),
    ...(node === undefined ? {} : { node: BigInt(node) }),
  })) as ReadonlyArray<WatchedFigure>,
  ...differedOf(row),
  ...(row.logs ? { logs: { from: row.logs[0], to: row.logs[1] } } : {}),
  ...(row.healed ? { healed: { from: row.healed[0], to: row.healed[1] } } : {}),
})

/** Without the token, which the row has. */
export const watchedRow = ({ token: _, ledger, node, ...rest }: WatchedFigure): WatchedRow => ({
  ...rest,
  ledger: String(ledger),
  ...(node === undefined ? {} : { node: String(node) }),
})
