/** Missed rows and the tables of rows: which are there already, and those that are not go in. */
import type { BlockHeader, OddLog } from "../../../../model/block.ts"
import { type Movement, mintAccount, type NftMovement } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { MissingRows } from "../../../../ports/Ledger.ts"
import { hexArray, numberArray, optionalArray, optionalHexArray } from "../../database/arrays.ts"
import type { Token } from "../ids/tokens.ts"
import type { Session } from "../wire/session.ts"

export type Rows = Pick<MissingRows, "movements" | "nfts">

type Place = Pick<Movement, "blockNumber" | "logIndex"> & { readonly sub?: number }

export const posOf = ({ blockNumber, logIndex }: Place): bigint => (BigInt(blockNumber) << 24n) | BigInt(logIndex)

/** The lowest of their blocks. Row by row: there may be more than a call takes arguments. */
export const firstBlockOf = ({ movements, nfts }: Rows): number => {
  let first = Number.POSITIVE_INFINITY
  for (const rows of [movements, nfts]) for (const { blockNumber } of rows) first = Math.min(first, blockNumber)
  return first
}

/** Those at places that are not taken. */
export const withoutStored = async (session: Session, { movements, nfts }: Rows): Promise<Rows> => {
  const absent = async <Row extends Place>(table: string, rows: ReadonlyArray<Row>): Promise<ReadonlyArray<Row>> => {
    if (rows.length === 0) return rows
    const hasSub = table.startsWith("erc721") || table.startsWith("erc1155")
    const taken = await session.run(
      (sql) => sql<Array<{ place: number }>>`
        select w.place
        from unnest(${numberArray(rows.map(posOf))}::text::int8[], ${numberArray(rows.map(({ sub = 0 }) => sub))}::text::int4[])
          with ordinality as w (pos, sub, place)
        where exists (select from ${sql(table)} t where t.pos = w.pos ${hasSub ? sql`and t.sub = w.sub` : sql``})`,
    )
    const places = new Set(taken.map(({ place }) => place - 1))
    return rows.filter((_, place) => !places.has(place))
  }
  const of = (standard: NftMovement["standard"]) => nfts.filter((row) => row.standard === standard)
  return {
    movements: [
      ...(await absent(
        "erc20_transfer",
        movements.filter(({ kind }) => kind === "transfer"),
      )),
      ...(await absent(
        "wrap",
        movements.filter(({ kind }) => kind === "wrap"),
      )),
    ].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex),
    nfts: [...(await absent("erc721_transfer", of("erc721"))), ...(await absent("erc1155_transfer", of("erc1155")))],
  }
}

export const insertRows = async (
  session: Session,
  { movements, nfts }: Rows,
  known: Readonly<Record<Standard, ReadonlyMap<Address, Token>>>,
): Promise<void> => {
  const transfers = movements.filter((row) => row.kind === "transfer")
  const wraps = movements.filter((row) => row.kind === "wrap")
  if (transfers.length > 0) {
    await session.run(
      (sql) => sql`
        insert into erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount, tx_index)
        select * from unnest(${numberArray(transfers.map(posOf))}::text::int8[],
          ${numberArray(transfers.map(({ time }) => time))}::text::int8[],
          ${numberArray(transfers.map(({ token }) => known.erc20.get(token)!.id))}::text::int4[],
          ${hexArray(transfers.map(({ txHash }) => txHash))}::text::bytea[],
          ${hexArray(transfers.map(({ from }) => from))}::text::bytea[], ${hexArray(transfers.map(({ to }) => to))}::text::bytea[],
          ${numberArray(transfers.map(({ amount }) => amount))}::text::numeric[],
          ${optionalArray(transfers.map(({ txIndex }) => txIndex))}::text::int4[])`,
    )
  }
  if (wraps.length > 0) {
    const isDeposit = ({ debit }: Movement) => debit === mintAccount
    await session.run(
      (sql) => sql`
        insert into wrap (pos, token_id, holder, amount, tx_index, is_deposit, tx_hash, time)
        select * from unnest(${numberArray(wraps.map(posOf))}::text::int8[],
          ${numberArray(wraps.map(({ token }) => known.erc20.get(token)!.id))}::text::int4[],
          ${hexArray(wraps.map((row) => (isDeposit(row) ? row.credit : row.debit)))}::text::bytea[],
          ${numberArray(wraps.map((row) => (isDeposit(row) ? row.amount : -row.amount)))}::text::numeric[],
          ${optionalArray(wraps.map(({ txIndex }) => txIndex))}::text::int4[],
          ${optionalArray(wraps.map(isDeposit))}::text::boolean[],
          ${hexArray(wraps.map(({ txHash }) => txHash))}::text::bytea[],
          ${numberArray(wraps.map(({ time }) => time))}::text::int8[])`,
    )
  }
  for (const standard of ["erc721", "erc1155"] as const) {
    const rows = nfts.filter((row) => row.standard === standard)
    if (rows.length === 0) continue
    const isMulti = standard === "erc1155"
    await session.run(
      (sql) => sql`
        insert into ${sql(`${standard}_transfer`)}
          (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, tx_index ${isMulti ? sql`, amount, operator` : sql``})
        select pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, tx_index ${isMulti ? sql`, amount, operator` : sql``}
        from unnest(${numberArray(rows.map(posOf))}::text::int8[], ${numberArray(rows.map(({ sub }) => sub))}::text::int4[],
          ${numberArray(rows.map(({ time }) => time))}::text::int8[],
          ${numberArray(rows.map(({ token }) => known[standard].get(token)!.id))}::text::int4[],
          ${hexArray(rows.map(({ txHash }) => txHash))}::text::bytea[],
          ${hexArray(rows.map(({ from }) => from))}::text::bytea[], ${hexArray(rows.map(({ to }) => to))}::text::bytea[],
          ${numberArray(rows.map(({ tokenId }) => tokenId))}::text::numeric[],
          ${numberArray(rows.map(({ amount }) => amount))}::text::numeric[],
          ${optionalArray(rows.map(({ txIndex }) => txIndex))}::text::int4[],
          ${optionalHexArray(rows.map(({ operator }) => operator))}::text::bytea[])
          as r (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, amount, tx_index, operator)`,
    )
  }
}

/** Those of these rows. */
export const insertOdd = async (session: Session, { nfts }: Rows, told: ReadonlyArray<OddLog>): Promise<void> => {
  const places = new Set(nfts.map(posOf))
  const odd = told.filter((log) => places.has(posOf(log)))
  if (odd.length === 0) return
  const topics = ([0, 1, 2, 3] as const).map((place) => optionalHexArray(odd.map((log) => log.topics[place])))
  await session.run(
    (sql) => sql`
      insert into odd_log (pos, time, tx_index, has_rows, contract, tx_hash, topic0, topic1, topic2, topic3, data)
      select * from unnest(${numberArray(odd.map(posOf))}::text::int8[],
        ${numberArray(odd.map(({ time }) => time))}::text::int8[],
        ${optionalArray(odd.map(({ txIndex }) => txIndex))}::text::int4[],
        ${optionalArray(odd.map(({ hasRows }) => hasRows))}::text::boolean[],
        ${hexArray(odd.map(({ contract }) => contract))}::text::bytea[],
        ${hexArray(odd.map(({ txHash }) => txHash))}::text::bytea[],
        ${topics[0]!}::text::bytea[], ${topics[1]!}::text::bytea[], ${topics[2]!}::text::bytea[], ${topics[3]!}::text::bytea[],
        ${hexArray(odd.map(({ data }) => data || "0x"))}::text::bytea[])
      on conflict do nothing`,
  )
}

/** A token that begins earlier than was known; its creation is looked for anew where none was found by the later event. */
export const moveBirths = async (
  session: Session,
  rows: Rows,
  known: Readonly<Record<Standard, ReadonlyMap<Address, Token>>>,
): Promise<void> => {
  const firsts = new Map<number, Movement | NftMovement>()
  for (const row of [...rows.movements, ...rows.nfts]) {
    const { id } = known["standard" in row ? row.standard : "erc20"].get(row.token)!
    const first = firsts.get(id)
    if (first === undefined || posOf(row) < posOf(first)) firsts.set(id, row)
  }
  const all = [...firsts.values()]
  await session.run(
    (sql) => sql`
      update token t set
        first_pos = f.pos, first_tx = f.tx, sort_time = coalesce(t.created_time, f.time),
        origin_known = t.origin_known and (t.created_time is not null or t.created_tx is not null)
      from unnest(${numberArray(firsts.keys())}::text::int4[], ${numberArray(all.map(posOf))}::text::int8[],
                  ${hexArray(all.map(({ txHash }) => txHash))}::text::bytea[],
                  ${numberArray(all.map(({ time }) => time))}::text::int8[]) as f (token_id, pos, tx, time)
      where t.token_id = f.token_id and f.pos < t.first_pos`,
  )
}

/** A known block for each 256 that had none. */
export const fillClock = async (session: Session, headers: MissingRows["headers"]): Promise<void> => {
  const groups = new Map<number, BlockHeader>()
  for (const header of headers.toSorted((a, b) => a.number - b.number)) {
    if (!groups.has(header.number >> 8)) groups.set(header.number >> 8, header)
  }
  const known = await session.run(
    (sql) => sql<Array<{ group: number }>>`
      select g.number as group from unnest(${numberArray(groups.keys())}::text::int4[]) as g (number)
      where exists (select from clock c where c.block between g.number << 8 and (g.number << 8) + 255)`,
  )
  for (const { group } of known) groups.delete(group)
  const rows = [...groups.values()]
  if (rows.length === 0) return
  await session.run(
    (sql) => sql`
      insert into clock (block, time, hash)
      select r.block, r.time, r.hash
      from unnest(${numberArray(rows.map(({ number }) => number))}::text::int4[],
                  ${numberArray(rows.map(({ time }) => time))}::text::int8[],
                  ${hexArray(rows.map(({ hash }) => hash))}::text::bytea[]) as r (block, time, hash)`,
  )
}
