/** The TokenPrices port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { knownDecimals } from "../../../../domain/prices/decimals.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import { type LedgerTimes, type PriceGaps, TokenPrices } from "../../../../ports/TokenPrices.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import type { Transaction } from "../../database/Database.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectTokenSupply } from "../holders/balances.ts"
import { recordPegs } from "./pegs.ts"
import { recordGapHour, recordHour, recordLeap, recordPrices } from "./writePrices.ts"

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
    const { database, readScalar } = across
    const write = Effect.fnUntraced(function* (
      chainId: ChainId,
      body: (transaction: Transaction, chain: ChainSql) => Promise<unknown>,
    ) {
      const [chain] = yield* across.opened([chainId])
      if (chain !== undefined) yield* database.transact((tx, run) => body({ tx, run }, chain))
    })
    return TokenPrices.of({
      times: Effect.fnUntraced(function* (chainId) {
        type Found = Readonly<Record<"head", number> & Record<"settled" | "first", number | null>>
        const found = yield* readScalar<Found | undefined>(chainId, undefined, selectTimes)
        if (found === undefined) return undefined
        const { head, settled, first } = found
        return {
          head,
          ...(settled === null ? {} : { settled }),
          ...(first === null ? {} : { first }),
        } satisfies LedgerTimes
      }),
      describe: Effect.fnUntraced(function* (chainId, addresses) {
        const rows = yield* readScalar<ReadonlyArray<TokenRow>>(chainId, [], (chain) => selectTokens(chain, addresses))
        return rows.map(({ address, by_token, by_pools, supply }) => {
          const decimals = knownDecimals(by_token ?? undefined, by_pools ?? undefined)
          return { address, ...(decimals === undefined ? {} : { decimals }), supply: BigInt(supply) }
        })
      }),
      listPriced: (chainId, limit, after) =>
        readScalar<ReadonlyArray<Address>>(
          chainId,
          [],
          ({ sql, tokenStat }) => sql`
            select coalesce(json_agg('0x' || encode(p.address, 'hex') order by p.address), '[]') from (
              select s.address from ${tokenStat} s
              where s.price is not null ${after === undefined ? sql`` : sql`and s.address > ${after}::bytea`}
              order by s.address limit ${limit}
            ) p`,
        ),
      listKnown: (chainId, limit) =>
        readScalar<ReadonlyArray<Address>>(chainId, [], (chain) => selectKnown(chain, limit)),
      record: (chainId, tokens) =>
        tokens.length === 0
          ? Effect.void
          : write(chainId, ({ tx, run }, chain) => run(tx`${recordPrices(chain, tokens)}`)),
      nextHour: (chainId) =>
        readScalar<number | undefined>(
          chainId,
          undefined,
          ({ sql, priceProgress }) => sql`select p.next_hour from ${priceProgress} p`,
        ),
      recordHour: (chainId, hour, prices, nextHour) =>
        write(chainId, (transaction, chain) => recordHour(transaction, chain, hour, prices, nextHour)),
      gaps: (chainId) =>
        readScalar<PriceGaps>(
          chainId,
          { hours: 0 },
          ({ sql, priceGap }) => sql`
            select json_strip_nulls(json_build_object(
              'newest', (select json_build_object('from', g.from_hour, 'to', g.to_hour) from ${priceGap} g
                         order by g.from_hour desc limit 1),
              'hours', (select coalesce(sum(g.to_hour - g.from_hour), 0)::int8 from ${priceGap} g)))`,
        ),
      leap: (chainId, from, to) => write(chainId, (transaction, chain) => recordLeap(transaction, chain, from, to)),
      recordGapHour: (chainId, gap, hour, prices) =>
        write(chainId, (transaction, chain) => recordGapHour(transaction, chain, gap, hour, prices)),
      recordPegs: (chainId, stablecoins, pegged) =>
        write(chainId, (transaction, chain) => recordPegs(transaction, chain, stablecoins, pegged)),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** `LedgerTimes` as JSON; no row without a block. The header of the newest final block is kept. */
const selectTimes = ({ sql, state, block, clock }: ChainSql): Fragment => sql`
  select json_build_object('head', s.head_time, 'settled', case
    when s.finalized_block >= s.next_block - 1 then s.head_time
    else (select b.time from ${block} b where b.number = s.finalized_block) end,
    'first', (select c.time from ${clock} c order by c.block limit 1))
  from ${state} s where s.head_time is not null`

const selectTokens = (chain: ChainSql, addresses: ReadonlyArray<Address>): Fragment => {
  const { sql, asset, token } = chain
  return sql`
    select coalesce(json_agg(json_build_object(
      'address', '0x' || encode(k.address, 'hex'), 'by_token', k.decimals,
      'by_pools', (select a.decimals from ${asset} a where a.address = k.address),
      'supply', (${selectTokenSupply(chain, sql`k.token_id`)})::text)), '[]')
    from ${token} k
    where k.address = any(${hexArray(addresses)}::text::bytea[])
      and k.standard = ${standardNumbers.erc20}`
}

const selectKnown = ({ sql, tokenStat }: ChainSql, limit: number): Fragment => sql`
  select coalesce(json_agg('0x' || encode(u.address, 'hex')), '[]') from (
    select m.address from (
      (select s.address, true as trusted, s.holders from ${tokenStat} s where s.trusted order by s.holders_step desc, s.address limit ${limit})
      union
      (select s.address, s.trusted, s.holders from ${tokenStat} s where s.standard = ${standardNumbers.erc20}
       order by s.holders_step desc, s.address limit ${limit})
    ) m order by m.trusted desc, m.holders desc, m.address limit ${limit}
  ) u`
