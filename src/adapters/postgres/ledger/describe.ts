/** Tokens that wait for what their contracts say of themselves. Runs beside the writer, on the readers' pool. */
import { Effect } from "effect"
import { type BornToken, LedgerUnavailable, type LedgerWriter } from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../client.ts"
import { byteaArray, numberArray } from "./arrays.ts"

const erc20 = 20

export const describing = (
  database: DatabaseShape,
  schema: string,
): Pick<
  LedgerWriter,
  | "listUndescribedTokens"
  | "describeTokens"
  | "listTokensWithoutOrigin"
  | "recordOrigins"
  | "listNftsWithoutUri"
  | "recordTokenUris"
> => {
  const { sql } = database
  const token = sql(`${schema}.token`)
  const state = sql(`${schema}.state`)
  return {
    listTokensWithoutOrigin: () => Effect.succeed([]),
    recordOrigins: () => Effect.void,
    listNftsWithoutUri: () => Effect.succeed([]),
    recordTokenUris: () => Effect.void,
    listUndescribedTokens: (limit) =>
      database
        .query(
          () => sql<Array<BornToken>>`
            select 'erc20' as standard, address, first_tx as "firstTxHash", (first_pos >> 24)::int4 as "firstBlock", (first_pos & 16777215)::int4 as "firstLogIndex"
            from ${token} where not described and standard = ${erc20} order by first_pos limit ${limit}`,
        )
        .pipe(
          Effect.map((rows) => [...rows]),
          Effect.mapError((cause) => new LedgerUnavailable({ cause })),
        ),
    describeTokens: (described) => {
      const texts = (field: "name" | "symbol") => described.map(({ description }) => storable(description[field]))
      return database
        .query(
          () => sql`
            with written as (
              update ${token} t
              set name = d.name, symbol = d.symbol, decimals = d.decimals, described = true
              from unnest(${byteaArray(described.map((it) => it.token.address.slice(2)))}::text::bytea[],
                          ${numberArray(described.map((it) => it.token.firstBlock))}::text::int4[],
                          ${numberArray(described.map((it) => it.token.firstLogIndex))}::text::int4[],
                          ${texts("name")}::text[], ${texts("symbol")}::text[],
                          ${described.map((it) => decimalsOf(it.description.decimals))}::int2[])
                as d (address, block, log_index, name, symbol, decimals)
              where t.standard = ${erc20} and t.address = d.address and t.first_pos = d.block::int8 << 24 | d.log_index
              returning t.token_id
            )
            update ${state} set revision = revision + 1 where exists (select from written)`,
        )
        .pipe(
          Effect.asVoid,
          Effect.mapError((cause) => new LedgerUnavailable({ cause })),
        )
    },
  }
}

/** PostgreSQL text cannot hold NUL. Absent and empty are null. */
const storable = (text: string | undefined): string | null => text?.replaceAll("\0", "") || null
const decimalsOf = (decimals: number | undefined): number | null =>
  decimals !== undefined && Number.isInteger(decimals) && decimals >= 0 && decimals <= 255 ? decimals : null
