/** ERC-721: who owns each id by the ledger, and who loses it when a log moves it. */
import { burnAccount, mintAccount, type NftMovement } from "../../../../model/event.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import { numberArray } from "../../database/arrays.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
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

/** New ids by COPY straight into the table, moved ones by COPY and one update, in the order of the key. */
export const storeOwners = async (session: Session, { moved }: Owners): Promise<void> => {
  moved.sort(byKey)
  const created = moved.filter(({ stored }) => !stored)
  const changed = moved.filter(({ stored }) => stored)
  const columns = "(token_id, nft_id, owner, pos, mint_pos, mint_time)"
  if (created.length > 0) await copyIn(session, `nft ${columns}`, encode(created))
  if (changed.length === 0) return
  await copyIn(session, `changed_nft ${columns}`, encode(changed))
  // What an id answered for its uri was said of its mint: a later mint of it is asked anew.
  await session.run(
    (sql) => sql`
      update nft n set
        owner = c.owner, pos = c.pos,
        mint_pos = coalesce(c.mint_pos, n.mint_pos), mint_time = coalesce(c.mint_time, n.mint_time),
        uri = case when c.mint_pos is null then n.uri end, uri_known = c.mint_pos is null and n.uri_known
      from changed_nft c where n.token_id = c.token_id and n.nft_id = c.nft_id`,
  )
}

function* encode(nfts: ReadonlyArray<Nft>): Iterable<Uint8Array> {
  const rows = new CopyRows(6)
  for (const { tokenId, nftId, owner, moved, minted } of nfts) {
    rows.row()
    rows.int4(tokenId)
    rows.bigNumeric(nftId)
    if (owner === undefined) rows.none()
    else rows.bytea(owner, 20)
    rows.pos(moved!.blockNumber, moved!.logIndex)
    if (minted === undefined) {
      rows.none()
      rows.none()
    } else {
      rows.pos(minted.blockNumber, minted.logIndex)
      rows.int8(minted.time)
    }
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

/** After the commit: what was written is stored. Beyond `maxIds` all are forgotten. */
export const settleOwners = (owners: Owners, maxIds: number): void => {
  for (const nft of owners.moved) {
    nft.stored = true
    nft.moved = undefined
    nft.minted = undefined
  }
  owners.moved.length = 0
  if (owners.known.size > maxIds) owners.clear()
}

const byKey = (a: Nft, b: Nft): number => a.tokenId - b.tokenId || (a.nftId < b.nftId ? -1 : a.nftId > b.nftId ? 1 : 0)
