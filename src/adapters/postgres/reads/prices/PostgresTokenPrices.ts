/** The TokenPrices port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import { knownDecimals } from "../../../../domain/prices/decimals.ts"
import { oneDollar } from "../../../../model/price.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import { type LedgerTimes, pointHours, TokenPrices } from "../../../../ports/TokenPrices.ts"
import { byteaArray } from "../../database/arrays.ts"
import { type ChainTables, standardNumbers } from "../../database/tables.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectTokenSupply } from "../holders/balances.ts"
import { recordPegs, recordPoints, recordPrices } from "./record.ts"

interface TokenRow {
  readonly address: Address
  readonly by_token: number | null
  readonly by_pools: number | null
  readonly supply: string
}

export const layer = Layer.effect(
  TokenPrices,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    const scalar = <A>(chainId: ChainId, none: A, select: (sql: Sql, chain: ChainTables) => Fragment) =>
      across
        .read<{ found?: A }>([chainId], {}, (sql, [chain]) => sql`(${select(sql, chain)}) as found`)
        .pipe(Effect.map(({ value }) => value.found ?? none))
    const write = Effect.fnUntraced(function* (
      chainId: ChainId,
      statement: (sql: Sql, chain: ChainTables) => Fragment,
    ) {
      const [chain] = yield* across.opened([chainId])
      if (chain !== undefined) yield* database.query(() => database.sql`${statement(database.sql, chain)}`)
    })
    return TokenPrices.of({
      times: Effect.fn("PostgresTokenPrices.times")(function* (chainId) {
        const found = yield* scalar<{ head: number; settled: number | null } | undefined>(
          chainId,
          undefined,
          selectTimes,
        )
        if (found === undefined) return undefined
        const { head, settled } = found
        return (settled === null ? { head } : { head, settled }) satisfies LedgerTimes
      }),
      describe: Effect.fn("PostgresTokenPrices.describe")(function* (chainId, addresses) {
        const rows = yield* scalar<ReadonlyArray<TokenRow>>(chainId, [], (sql, chain) =>
          selectTokens(sql, chain, addresses),
        )
        return rows.map(({ address, by_token, by_pools, supply }) => {
          const decimals = knownDecimals(by_token ?? undefined, by_pools ?? undefined)
          return { address, ...(decimals === undefined ? {} : { decimals }), supply: BigInt(supply) }
        })
      }),
      listPriced: (chainId, limit, after) =>
        scalar<ReadonlyArray<Address>>(
          chainId,
          [],
          (sql, { tokenStat }) => sql`
            select coalesce(json_agg('0x' || encode(p.address, 'hex') order by p.address), '[]') from (
              select s.address from ${tokenStat} s
              where s.price is not null ${after === undefined ? sql`` : sql`and s.address > ${after}::bytea`}
              order by s.address limit ${limit}
            ) p`,
        ),
      listKnown: (chainId, limit) =>
        scalar<ReadonlyArray<Address>>(chainId, [], (sql, chain) => selectKnown(sql, chain, limit)),
      record: (chainId, tokens) =>
        tokens.length === 0 ? Effect.void : write(chainId, (sql, chain) => recordPrices(sql, chain, tokens)),
      nextHour: (chainId) =>
        scalar<number | undefined>(
          chainId,
          undefined,
          (sql, { priceProgress }) => sql`select p.next_hour from ${priceProgress} p`,
        ),
      recordHour: (chainId, hour, prices, nextHour) =>
        write(chainId, (sql, chain) => {
          const points = prices.map(({ address, price }) => ({
            address,
            price,
            hour,
            untilHour: hour + pointHours - 1,
          }))
          return recordPoints(sql, chain, points, nextHour)
        }),
      recordPegs: (chainId, tokens) => write(chainId, (sql, chain) => recordPegs(sql, chain, tokens, oneDollar)),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** `LedgerTimes` as JSON; no row without a block. The header of the newest final block is kept. */
const selectTimes = (sql: Sql, { state, block }: ChainTables): Fragment => sql`
  select json_build_object('head', s.head_time, 'settled', case
    when s.finalized_block >= s.next_block - 1 then s.head_time
    else (select b.time from ${block} b where b.number = s.finalized_block) end)
  from ${state} s where s.head_time is not null`

const selectTokens = (sql: Sql, chain: ChainTables, addresses: ReadonlyArray<Address>): Fragment => sql`
  select coalesce(json_agg(json_build_object(
    'address', '0x' || encode(k.address, 'hex'), 'by_token', k.decimals,
    'by_pools', (select a.decimals from ${chain.asset} a where a.address = k.address),
    'supply', (${selectTokenSupply(sql, chain, sql`k.token_id`)})::text)), '[]')
  from ${chain.token} k
  where k.address = any(${byteaArray(addresses.map((it) => it.slice(2)))}::text::bytea[])
    and k.standard = ${standardNumbers.erc20}`

const selectKnown = (sql: Sql, { tokenStat }: ChainTables, limit: number): Fragment => sql`
  select coalesce(json_agg('0x' || encode(u.address, 'hex')), '[]') from (
    select m.address from (
      (select s.address, true as trusted, s.holders from ${tokenStat} s where s.trusted order by s.holders desc, s.address limit ${limit})
      union
      (select s.address, s.trusted, s.holders from ${tokenStat} s where s.standard = ${standardNumbers.erc20}
       order by s.holders desc, s.address limit ${limit})
    ) m order by m.trusted desc, m.holders desc, m.address limit ${limit}
  ) u`
