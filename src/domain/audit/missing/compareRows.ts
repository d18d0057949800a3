/** A contract's logs as nodes give them, held against what is stored of it: what the ledger lacks, and what the node does. Pure. */
import type { Log } from "../../../model/block.ts"
import { type Movement, mintAccount, type NftMovement } from "../../../model/event.ts"
import type { StoredRow } from "../../../ports/AuditStore.ts"
import { withoutRoom } from "../../ingest/decode/consecutive.ts"
import { type Contracts, movementsOf, sortLogs } from "../../ingest/decode/sorting.ts"

export interface RowsCompared {
  /** Logs of which the ledger lacks a row, in blocks of which the nodes lack none. */
  readonly missing: ReadonlyArray<Log>
  /** Rows that the ledger has and no node gives, or only otherwise. */
  readonly surplus: number
}

export const compareRows = (
  told: ReadonlyArray<Log>,
  ledger: ReadonlyArray<StoredRow>,
  contracts: Contracts,
): RowsCompared => {
  // Whether a range has room depends on the whole block, and on the version that stored it: what the ledger has of it stands.
  const isLeftOut = placesWithoutRoom(told, ledger)
  const logs = told.filter((log) => !isLeftOut(log))
  const stored = ledger.filter((row) => !isLeftOut(row))
  // Nodes may tell of one place differently.
  const given = rowsOfLogs(logs, contracts)
  const texts = new Set(given.map(textOf))
  const known = new Set(stored.map(placeOf))
  const surplus = stored.filter((row) => !texts.has(textOf(row)))
  const contradicted = new Set(surplus.map(({ blockNumber }) => blockNumber))
  const lacking = new Set(
    given
      .filter((row) => !known.has(placeOf(row)) && !contradicted.has(row.blockNumber))
      .map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`),
  )
  return {
    missing: logs.filter(({ blockNumber, logIndex }) => lacking.has(`${blockNumber} ${logIndex}`)),
    surplus: surplus.length,
  }
}

interface Placed {
  readonly blockNumber: number
  readonly logIndex: number
}

const placesWithoutRoom = (logs: ReadonlyArray<Log>, stored: ReadonlyArray<StoredRow>): ((it: Placed) => boolean) => {
  const textOf = ({ blockNumber, logIndex }: Placed): string => `${blockNumber} ${logIndex}`
  const leftOut = stored.filter(({ kind }) => kind === "withoutRoom")
  const places = new Set([...withoutRoom(logs), ...leftOut].map(textOf))
  return (it) => places.size > 0 && places.has(textOf(it))
}

/** What the store would tell of them. */
export const rowsOfLogs = (logs: ReadonlyArray<Log>, contracts: Contracts): ReadonlyArray<StoredRow> => {
  const { movements, nfts } = movementsOf(sortLogs(logs, contracts), contracts, () => 0)
  return [...movements.map(ofMovement), ...nfts.map(ofNft)]
}

const placeOf = ({ blockNumber, logIndex, sub }: StoredRow): string => `${blockNumber} ${logIndex} ${sub}`

const textOf = (row: StoredRow): string => `${placeOf(row)} ${contentOf(row)}`

/** Of whatever place in its block. */
export const contentOf = ({ kind, sub, from, to, tokenId, amount }: StoredRow): string =>
  [kind, sub, from, to, tokenId, amount].join()

/** As the store tells of it. */
const ofMovement = (movement: Movement): StoredRow => {
  const { kind, blockNumber, logIndex, debit, credit, amount } = movement
  const place = { blockNumber, logIndex, sub: 0, tokenId: 0n }
  if (kind === "transfer") return { ...place, kind: "erc20", from: movement.from, to: movement.to, amount }
  const isDeposit = debit === mintAccount
  const holder = (isDeposit ? credit : debit) as StoredRow["from"]
  return { ...place, kind: "wrap", from: holder, to: holder, amount: isDeposit ? amount : -amount }
}

const ofNft = ({ standard, blockNumber, logIndex, sub, from, to, tokenId, amount }: NftMovement): StoredRow => ({
  ...{ kind: standard, blockNumber, logIndex, sub, from, to, tokenId, amount },
})
