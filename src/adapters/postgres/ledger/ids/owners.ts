/** ERC-721: who owns each id by the ledger, and who loses it when a log moves it. */
import { burnAccount, mintAccount, type NftMovement } from "../../../../model/event.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import { numberArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"
import type { Change } from "./change.ts"
import type { Token } from "./tokens.ts"

/** An id of a contract, as the ledger has it after the last log that moved it. */
export interface Nft {
  readonly tokenId: number
  readonly nftId: bigint
  owner: Address | undefined
  /** In the database, with the last committed owner. */
  stored: boolean
  /** The log of the open append that moved it last. */
  moved: NftMovement | undefined
  /** Its latest mint, if that is of the open append. */
  minted: NftMovement | undefined
}

/** The ids that are known, and those that the open append moved. */
export class Owners {
  /** By `tokenId:nftId`. */
  readonly known = new Map<string, Nft>()
  readonly moved: Array<Nft> = []

  clear(): void {
    this.known.clear()
    this.moved.length = 0
  }
}

/** The id of each row, in the rows' order; those that only the database knows are looked up, in one query. */
export const findNfts = async (
  session: Session,
  { known }: Owners,
  rows: ReadonlyArray<NftMovement>,
  tokens: ReadonlyMap<Address, Token>,
): Promise<ReadonlyArray<Nft>> => {
  const unknown: Array<Nft> = []
  const found = rows.map((row) => {
    const token = tokens.get(row.token)!
    const key = `${token.id}:${row.tokenId}`
    const before = known.get(key)
    if (before !== undefined) return before
    const nft: Nft = {
      tokenId: token.id,
      nftId: row.tokenId,
      owner: undefined,
      stored: false,
      moved: undefined,
      minted: undefined,
    }
    known.set(key, nft)
    if (token.born === undefined) unknown.push(nft)
    return nft
  })
  if (unknown.length > 0) await lookUp(session, unknown.sort(byKey))
  return found
}

const lookUp = async (session: Session, unknown: ReadonlyArray<Nft>): Promise<void> => {
  const rows = await session.run(
    (sql) => sql<Array<{ place: number; owner?: Address }>>`
      select wanted.place, n.owner
      from unnest(${numberArray(unknown.map(({ tokenId }) => tokenId))}::text::int4[],
                  ${numberArray(unknown.map(({ nftId }) => nftId))}::text::numeric[])
        with ordinality as wanted (token_id, nft_id, place)
      join nft n on n.token_id = wanted.token_id and n.nft_id = wanted.nft_id`,
  )
  for (const { place, owner } of rows) {
    const nft = unknown[place - 1]!
    nft.owner = owner
    nft.stored = true
  }
}

/**
 * Moves ids in log order. The ledger's owner loses, whatever the log's `from` says (none = a mint); both of the log's
 * parties count as touched.
 */
export const moveIds = (
  { moved }: Owners,
  rows: ReadonlyArray<NftMovement>,
  nfts: ReadonlyArray<Nft>,
  tokens: ReadonlyMap<Address, Token>,
): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  rows.forEach((row, place) => {
    const { token, blockNumber, from, to } = row
    const nft = nfts[place]!
    const { owner } = nft
    const next = to === zeroAddress ? undefined : to
    const counts = tokens.get(token)!
    counts.transfers++
    counts.ids += (next === undefined ? 0 : 1) - (owner === undefined ? 0 : 1)
    if (owner !== undefined || next !== undefined) {
      changes.push({
        kind: "nft",
        token,
        blockNumber,
        debit: owner ?? mintAccount,
        credit: next ?? burnAccount,
        amount: 1n,
      })
    }
    if (from !== zeroAddress && from !== owner) {
      changes.push({ kind: "nft", token, blockNumber, debit: from, credit: from, amount: 0n })
    }
    if (nft.moved === undefined) moved.push(nft)
    nft.moved = row
    nft.owner = next
    if (owner === undefined && next !== undefined) nft.minted = row
  })
  return changes
}

/** In the order of the key. */
export const byKey = (a: Nft, b: Nft): number =>
  a.tokenId - b.tokenId || (a.nftId < b.nftId ? -1 : a.nftId > b.nftId ? 1 : 0)
