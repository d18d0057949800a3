/** What is learned of tokens and ids beside their events. Runs beside the writer, on the readers' pool. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { Hash } from "../../../model/primitives.ts"
import { foldSymbol, foldText } from "../../../model/search/searchText.ts"
import { type BornToken, type LedgerLearning, LedgerUnavailable, type MintedNft } from "../../../ports/Ledger.ts"
import { hexArray, numberArray } from "../database/arrays.ts"
import { type ChainSql, learnedMove, standardNumbers } from "../database/chainSql.ts"
import type { DatabaseShape, Pending } from "../database/Database.ts"

/**
 * Each record moves the revision where it wrote something; names and URIs as learned, which changes no figure. Who made a
 * token tells of a ledger that begins later whether it has all of that token's figures. Rows that the writer is at work on are left out rather than
 * waited for: they are listed again, and neither can lock the other out.
 */
export const enrichment = (database: DatabaseShape, { sql, token, nft, state, block }: ChainSql): LedgerLearning => {
  const run = <A>(statement: () => Pending<A>) =>
    database.query(statement).pipe(Effect.mapError((cause) => new LedgerUnavailable({ cause })))
  const listTokens = (condition: Fragment, limit: number, order: "asc" | "desc" = "asc") =>
    run(
      () => sql<Array<Omit<BornToken, "firstBlockHash"> & { readonly firstBlockHash: Hash | null }>>`
        select case t.standard when 20 then 'erc20' when 721 then 'erc721' else 'erc1155' end as standard, t.address,
               t.first_tx as "firstTxHash", ${blockAndLogIndex(sql, sql`t.first_pos`, "first")},
               (select b.hash from ${block} b where b.number = (t.first_pos >> 24)::int4) as "firstBlockHash"
        from ${token} t where ${condition} order by t.first_pos ${sql.unsafe(order)} limit ${limit}`,
    ).pipe(
      Effect.map((rows) =>
        rows.map(({ firstBlockHash, ...born }) => (firstBlockHash === null ? born : { ...born, firstBlockHash })),
      ),
    )
  /** `written`: updates that return a row for each row they wrote. */
  const record = (items: ReadonlyArray<unknown>, written: () => Fragment, moved: Fragment = learnedMove(sql)) =>
    items.length === 0
      ? Effect.void
      : run(
          () => sql`
            with ${written()}
            update ${state} set ${moved} where exists (select from written)`,
        ).pipe(Effect.asVoid)
  return {
    listUndescribedTokens: (limit) => listTokens(sql`not t.described`, limit),
    describeTokens: (described) => {
      const texts = (field: "name" | "symbol") => described.map(({ description }) => storable(description[field]))
      const folds = (field: "name" | "symbol", fold: typeof foldText) =>
        texts(field).map((text) => (text && fold(text)) || null)
      return record(
        described,
        () => sql`
          found as (
            select t.token_id, coalesce(d.name, t.name) as name, coalesce(d.symbol, t.symbol) as symbol,
              coalesce(d.decimals, t.decimals) as decimals,
              case when d.name is null then t.name_fold else d.name_fold end as name_fold,
              case when d.symbol is null then t.symbol_fold else d.symbol_fold end as symbol_fold
            from unnest(${birthArrays(sql, described)},
                        ${texts("name")}::text[], ${texts("symbol")}::text[],
                        ${described.map((it) => decimalsOf(it.description.decimals))}::int2[],
                        ${folds("name", foldText)}::text[], ${folds("symbol", foldSymbol)}::text[])
              as d (standard, address, block, log_index, name, symbol, decimals, name_fold, symbol_fold)
            join ${token} t on t.address = d.address and t.standard = d.standard
              and t.first_pos = d.block::int8 << 24 | d.log_index
            where not t.described
              or coalesce(d.name, t.name) is distinct from t.name
              or coalesce(d.symbol, t.symbol) is distinct from t.symbol
              or coalesce(d.decimals, t.decimals) is distinct from t.decimals
            for no key update of t skip locked
          ), written as (
            update ${token} t set name = f.name, symbol = f.symbol, decimals = f.decimals,
              name_fold = f.name_fold, symbol_fold = f.symbol_fold, described = true
            from found f where t.token_id = f.token_id
            returning t.token_id
          )`,
      )
    },
    listTokensWithoutOrigin: (limit) => listTokens(sql`not t.origin_known`, limit),
    listExhaustedTokens: (limit, last) => {
      const before = last === undefined ? maxPos : (BigInt(last.firstBlock) << 24n) | BigInt(last.firstLogIndex)
      const nothing = sql`t.origin_known and t.created_time is null and t.created_tx is null`
      return listTokens(sql`${nothing} and t.first_pos < ${String(before)}::text::int8`, limit, "desc")
    },
    recordOrigins: (found) =>
      record(
        found,
        () => sql`
          found as (
            select t.token_id, d.tx_hash, case when d.tx_hash = t.first_tx and t.created_time is null
              then t.sort_time else d.time end as time
            from unnest(${birthArrays(sql, found)},
                        ${found.map(({ origin }) => origin.time ?? null)}::int8[],
                        ${found.map(({ origin }) => bytesText(origin.txHash))}::text[]::bytea[],
                        ${found.map((it) => bytesText(it.token.firstBlockHash))}::text[]::bytea[])
              as d (standard, address, block, log_index, time, tx_hash, block_hash)
            join ${token} t on t.address = d.address and t.standard = d.standard
              and t.first_pos = d.block::int8 << 24 | d.log_index
            left join ${block} b on b.number = d.block
            where d.block_hash is null or b.hash = d.block_hash
            for no key update of t skip locked
          ), written as (
            update ${token} t set
              created_time = f.time, created_tx = f.tx_hash, sort_time = coalesce(f.time, t.sort_time), origin_known = true
            from found f where t.token_id = f.token_id
            returning t.token_id
          )`,
        sql`revision = revision + 1, learned = learned + (first_block = 0)::int4`,
      ),
    listNftsWithoutUri: (limit) =>
      run(
        () => sql<Array<MintedNft>>`
          select t.address as token, n.nft_id as "tokenId", ${blockAndLogIndex(sql, sql`n.mint_pos`, "mint")}
          from ${nft} n join ${token} t on t.token_id = n.token_id
          where n.owner is not null and not n.uri_known
          order by n.mint_pos desc limit ${limit}`,
      ).pipe(Effect.map((rows) => [...rows])),
    recordTokenUris: (found) =>
      record(
        found,
        () => sql`
          found as (
            select n.token_id, n.nft_id, d.uri
            from unnest(${hexArray(found.map((it) => it.nft.token))}::text::bytea[],
                        ${numberArray(found.map((it) => BigInt(it.nft.tokenId)))}::text::numeric[],
                        ${numberArray(found.map((it) => it.nft.mintBlock))}::text::int4[],
                        ${numberArray(found.map((it) => it.nft.mintLogIndex))}::text::int4[],
                        ${found.map((it) => storable(it.uri))}::text[])
              as d (address, nft_id, block, log_index, uri)
            join ${token} t on t.address = d.address and t.standard = ${standardNumbers.erc721}
            join ${nft} n on n.token_id = t.token_id and n.nft_id = d.nft_id and n.owner is not null
              and n.mint_pos = d.block::int8 << 24 | d.log_index
            for no key update of n skip locked
          ), written as (
            update ${nft} n set uri = f.uri, uri_known = true
            from found f where n.token_id = f.token_id and n.nft_id = f.nft_id
            returning n.token_id
          )`,
      ),
  }
}

/** Above every position. */
const maxPos = 2n ** 63n - 1n

/** `<name>Block` and `<name>LogIndex` of a position. */
const blockAndLogIndex = (sql: Sql, pos: Fragment, name: "first" | "mint") => sql`
  (${pos} >> 24)::int4 as ${sql(`${name}Block`)}, (${pos} & 16777215)::int4 as ${sql(`${name}LogIndex`)}`

/** Arguments of `unnest` that name births: standard, address, block, log index. */
const birthArrays = (sql: Sql, items: ReadonlyArray<{ readonly token: BornToken }>) => sql`
  ${numberArray(items.map(({ token }) => standardNumbers[token.standard]))}::text::int2[],
  ${hexArray(items.map(({ token }) => token.address))}::text::bytea[],
  ${numberArray(items.map(({ token }) => token.firstBlock))}::text::int4[],
  ${numberArray(items.map(({ token }) => token.firstLogIndex))}::text::int4[]`

/** PostgreSQL text cannot hold NUL. Absent and empty are null. */
const storable = (text: string | undefined): string | null => text?.replaceAll("\0", "") || null
const decimalsOf = (decimals: number | undefined): number | null =>
  decimals !== undefined && Number.isInteger(decimals) && decimals >= 0 && decimals <= 255 ? decimals : null
const bytesText = (hex: Hash | undefined): string | null => (hex === undefined ? null : `\\x${hex.slice(2)}`)
