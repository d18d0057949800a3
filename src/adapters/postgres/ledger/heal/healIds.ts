/** ERC-721 ids under rows that were missed: each id's whole story is told anew, and what differs from the story that was known is healed. */
import { type Account, burnAccount, mintAccount, type NftMovement } from "../../../../model/event.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import { bytesOf } from "../../database/client.ts"
import type { Token } from "../ids/tokens.ts"
import type { Session } from "../wire/session.ts"
import type { Changes } from "./changes.ts"

/** A row of an id, missed or stored. */
type IdRow = Pick<NftMovement, "blockNumber" | "logIndex" | "sub" | "time" | "from" | "to">

interface Story {
  readonly token: Token
  readonly nftId: bigint
  readonly known: Array<IdRow>
  readonly missed: Array<IdRow>
}

/** An account that a block touched by the story that was known, and does not by the true one. */
export interface Untouched {
  readonly tokenId: number
  readonly account: Account
  readonly block: number
}

/** Before the missed rows are stored. Gives what the true stories no longer touch, as far as these ids go. */
export const healIds = async (
  session: Session,
  rows: ReadonlyArray<NftMovement>,
  tokens: ReadonlyMap<Address, Token>,
  changes: Changes,
): Promise<ReadonlyArray<Untouched>> => {
  const stories = new Map<string, Story>()
  for (const row of rows) {
    const token = tokens.get(row.token)!
    const key = `${token.id}:${row.tokenId}`
    const story = stories.get(key) ?? { token, nftId: row.tokenId, known: [], missed: [] }
    story.missed.push(row)
    stories.set(key, story)
  }
  const all = [...stories.values()]
  if (all.length === 0) return []
  await readKnown(session, all)
  const untouched: Array<Untouched> = []
  const ends = all.map((story) => {
    const { token, known, missed } = story
    const before = tell(known)
    const after = tell([...known, ...missed].sort(byPlace))
    for (const { account, block, by } of before.effects) changes.add(token.id, account, block, -by)
    for (const { account, block, by } of after.effects) changes.add(token.id, account, block, by)
    const touched = new Set(after.effects.map(({ account, block }) => `${account} ${block}`))
    for (const { account, block } of before.effects) {
      if (!touched.has(`${account} ${block}`)) untouched.push({ tokenId: token.id, account, block })
    }
    token.ids += (after.owner === undefined ? 0 : 1) - (before.owner === undefined ? 0 : 1)
    return { story, ...after }
  })
  await storeEnds(session, ends)
  return untouched
}

const readKnown = async (session: Session, stories: ReadonlyArray<Story>): Promise<void> => {
  const rows = await session.run(
    (sql) => sql<
      Array<{
        place: number
        block: number
        log: number
        sub: number
        time: number
        from_addr: Address
        to_addr: Address
      }>
    >`
      select w.place, (t.pos >> 24)::int4 as block, (t.pos & 16777215)::int4 as log, t.sub, t.time, t.from_addr, t.to_addr
      from unnest(${numberArray(stories.map(({ token }) => token.id))}::text::int4[],
                  ${numberArray(stories.map(({ nftId }) => nftId))}::text::numeric[])
        with ordinality as w (token_id, nft_id, place)
      cross join lateral (
        select * from erc721_transfer t where t.token_id = w.token_id and t.nft_id = w.nft_id order by t.pos, t.sub
      ) t
      order by w.place, t.pos, t.sub`,
  )
  for (const { place, block, log, sub, time, from_addr, to_addr } of rows) {
    stories[place - 1]!.known.push({ blockNumber: block, logIndex: log, sub, time, from: from_addr, to: to_addr })
  }
}

interface Told {
  readonly effects: ReadonlyArray<{ readonly account: Account; readonly block: number; readonly by: bigint }>
  readonly owner: Address | undefined
  readonly mint: IdRow | undefined
  readonly last: IdRow | undefined
}

/** As `ids/owners.ts` moves an id: its owner loses it, whatever the log says, and both of the log's parties are touched. */
const tell = (rows: ReadonlyArray<IdRow>): Told => {
  const effects: Array<Told["effects"][number]> = []
  let owner: Address | undefined
  let mint: IdRow | undefined
  for (const row of rows) {
    const { blockNumber: block, from, to } = row
    const next = to === zeroAddress ? undefined : to
    if (owner !== undefined || next !== undefined) {
      effects.push({ account: owner ?? mintAccount, block, by: -1n }, { account: next ?? burnAccount, block, by: 1n })
    }
    if (from !== zeroAddress && from !== owner) effects.push({ account: from, block, by: 0n })
    if (owner === undefined && next !== undefined) mint = row
    owner = next
  }
  return { effects, owner, mint, last: rows.at(-1) }
}

const storeEnds = async (session: Session, ends: ReadonlyArray<Told & { readonly story: Story }>): Promise<void> => {
  const columns = {
    tokens: numberArray(ends.map(({ story }) => story.token.id)),
    ids: numberArray(ends.map(({ story }) => story.nftId)),
    owners: hexArray(ends.map(({ owner }) => owner ?? "0x")),
    positions: numberArray(ends.map(({ last }) => posOf(last!))),
    mints: numberArray(ends.map(({ mint }) => (mint === undefined ? -1n : posOf(mint)))),
    times: numberArray(ends.map(({ mint }) => mint?.time ?? 0)),
  }
  // What an id answered for its uri was said of its mint: of another mint it is asked anew.
  await session.run(
    (sql) => sql`
      insert into nft as n (token_id, nft_id, owner, pos, mint_pos, mint_time)
      select token_id, nft_id, nullif(owner, ''), pos, nullif(mint_pos, -1), case when mint_pos >= 0 then mint_time end
      from unnest(${columns.tokens}::text::int4[], ${columns.ids}::text::numeric[], ${columns.owners}::text::bytea[],
                  ${columns.positions}::text::int8[], ${columns.mints}::text::int8[], ${columns.times}::text::int8[])
        as e (token_id, nft_id, owner, pos, mint_pos, mint_time)
      on conflict (token_id, nft_id) do update set
        owner = excluded.owner, pos = excluded.pos, mint_pos = excluded.mint_pos, mint_time = excluded.mint_time,
        uri = case when n.mint_pos is not distinct from excluded.mint_pos then n.uri end,
        uri_known = n.uri_known and n.mint_pos is not distinct from excluded.mint_pos`,
  )
}

/** Of what these ids no longer touch, what nothing else in those blocks touches either: once the missed rows are stored. */
export const findUntouched = async (
  session: Session,
  candidates: ReadonlyArray<Untouched>,
): Promise<ReadonlyArray<Untouched>> => {
  if (candidates.length === 0) return []
  const zero = bytesOf(zeroAddress)
  const rows = await session.run(
    (sql) => sql<Array<{ place: number }>>`
      select w.place
      from unnest(${numberArray(candidates.map(({ tokenId }) => tokenId))}::text::int4[],
                  ${hexArray(candidates.map(({ account }) => account))}::text::bytea[],
                  ${numberArray(candidates.map(({ block }) => block))}::text::int4[])
        with ordinality as w (token_id, account, block, place)
      where not exists (
        select from erc721_transfer t
        left join lateral (
          select o.to_addr from erc721_transfer o
          where o.token_id = t.token_id and o.nft_id = t.nft_id and (o.pos, o.sub) < (t.pos, t.sub)
          order by o.pos desc, o.sub desc limit 1
        ) owner on true
        where t.token_id = w.token_id and t.pos >= w.block::int8 << 24 and t.pos < (w.block + 1)::int8 << 24
          and case w.account
            when ''::bytea then t.to_addr <> ${zero} and coalesce(owner.to_addr, ${zero}) = ${zero}
            when '\\x00'::bytea then t.to_addr = ${zero} and owner.to_addr <> ${zero}
            else t.from_addr = w.account or t.to_addr = w.account or coalesce(owner.to_addr = w.account, false)
          end
      )`,
  )
  return rows.map(({ place }) => candidates[place - 1]!)
}

const posOf = ({ blockNumber, logIndex }: IdRow): bigint => (BigInt(blockNumber) << 24n) | BigInt(logIndex)

const byPlace = (a: IdRow, b: IdRow): number =>
  a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.sub - b.sub
