/** An append's end for ERC-721: the ids that were moved go into `nft`. */
import type { Fragment, Sql } from "postgres"
import { optionalArray, optionalHexArray } from "../../database/arrays.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import { copyChanged } from "../wire/copyChanged.ts"
import type { Session } from "../wire/session.ts"
import { byKey, type Nft, type Owners } from "./owners.ts"
import { sortStored } from "./sortStored.ts"

/** New ids by COPY straight into the table, moved ones by COPY and one update, in the order of the key. */
export const storeOwners = async (session: Session, { moved }: Owners): Promise<void> => {
  const { created, changed } = sortStored(moved, byKey)
  const columns = "token_id, nft_id, owner, pos, mint_pos, mint_time"
  if (created.length > 0) await copyIn(session, `nft (${columns})`, encode(created))
  if (changed.length === 0) return
  await copyChanged(session, "changed_nft", columns, encode(changed))
  await updateNfts(session, (sql) => sql`changed_nft c`)
}

/** The same of a few, as two statements that are sent one behind the other. */
export const storeFewOwners = async (session: Session, { moved }: Owners): Promise<void> => {
  const { created, changed } = sortStored(moved, byKey)
  await Promise.all([
    created.length > 0 &&
      session.run(
        (sql) => sql`
          insert into nft (token_id, nft_id, owner, pos, mint_pos, mint_time)
          select c.token_id, c.nft_id, c.owner, c.pos, c.mint_pos, c.mint_time from ${rowsOf(sql, created)}`,
      ),
    changed.length > 0 && updateNfts(session, (sql) => rowsOf(sql, changed)),
  ])
}

const rowsOf = (sql: Sql, nfts: ReadonlyArray<Nft>): Fragment => {
  const of = (value: (nft: Nft) => number | bigint | undefined) => optionalArray(nfts.map(value))
  const owners = optionalHexArray(nfts.map(({ owner }) => owner))
  return sql`(
    select w.token_id, w.nft_id, w.owner, w.block << 24 | w.log_index as pos,
           w.mint_block << 24 | w.mint_index as mint_pos, w.mint_time
    from unnest(${of(({ tokenId }) => tokenId)}::text::int4[], ${of(({ nftId }) => nftId)}::text::numeric[],
                ${owners}::text::bytea[], ${of(({ moved }) => moved!.blockNumber)}::text::int8[],
                ${of(({ moved }) => moved!.logIndex)}::text::int8[], ${of(({ minted }) => minted?.blockNumber)}::text::int8[],
                ${of(({ minted }) => minted?.logIndex)}::text::int8[], ${of(({ minted }) => minted?.time)}::text::int8[])
      as w (token_id, nft_id, owner, block, log_index, mint_block, mint_index, mint_time)) c`
}

const updateNfts = (session: Session, changed: (sql: Sql) => Fragment) =>
  // What an id answered for its uri was said of its mint: a later mint of it is asked anew.
  session.run(
    (sql) => sql`
      update nft n set
        owner = c.owner, pos = c.pos,
        mint_pos = coalesce(c.mint_pos, n.mint_pos), mint_time = coalesce(c.mint_time, n.mint_time),
        uri = case when c.mint_pos is null then n.uri end, uri_known = c.mint_pos is null and n.uri_known
      from ${changed(sql)} where n.token_id = c.token_id and n.nft_id = c.nft_id`,
  )

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
