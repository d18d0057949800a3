/** The CodeStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Address } from "../../../../model/primitives.ts"
import type { AccountCode } from "../../../../model/wallet/accountCode.ts"
import { CodeStore } from "../../../../ports/CodeStore.ts"
import { hexArray } from "../../database/arrays.ts"
import { learnedMove } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectUnknown } from "./unknown.ts"

export const layer = Layer.effect(
  CodeStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    return CodeStore.of({
      find: Effect.fnUntraced(function* (chainId, addresses) {
        if (addresses.length === 0) return []
        const none: { codes: Array<AccountCode> } = { codes: [] }
        const { value } = yield* across.readOne(chainId, none, ({ sql, accountCode }) => {
          // One look-up each: for a list the planner may read the table.
          const found = sql`
            select c.* from unnest(${addresses as Array<Address>}::bytea[]) wanted (address) cross join lateral (
              select * from ${accountCode} k where k.address = wanted.address offset 0) c`
          return sql`(select coalesce(json_agg(json_build_object('address', '0x' || encode(f.address, 'hex'),
            'isContract', f.is_contract, 'blockNumber', f.block_number)), '[]') from (${found}) f) as codes`
        })
        return value.codes
      }),
      listUnknown: Effect.fnUntraced(function* (chainId, top) {
        const none = { addresses: [] as Array<Address>, tokens: 0 }
        const { value } = yield* across.readOne(chainId, none, (chain) => selectUnknown(chain, top))
        return { addresses: [...new Set(value.addresses)], tokens: value.tokens }
      }),
      listOld: Effect.fnUntraced(function* (chainId, { askedBefore, askedAfter }, limit) {
        const { value } = yield* across.readOne(
          chainId,
          { addresses: [] as Array<Address> },
          ({ sql, accountCode }) => sql`(
            select coalesce(json_agg('0x' || encode(o.address, 'hex') order by o.asked_at, o.address), '[]') from (
              (select c.address, c.asked_at from ${accountCode} c where c.asked_at < ${String(askedBefore)}::int8
               order by c.asked_at, c.address limit ${limit})
              union all
              (select c.address, c.asked_at from ${accountCode} c where c.asked_at > ${String(askedAfter)}::int8
               order by c.asked_at, c.address limit ${limit})
              order by asked_at, address limit ${limit}) o) as addresses`,
        )
        return value.addresses
      }),
      record: Effect.fnUntraced(function* (chainId, codes, askedAt) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined || codes.length === 0) return
        const { sql, accountCode, state } = chain
        yield* database.transact(async (tx, run) => {
          await run(tx`
            insert into ${accountCode} (address, is_contract, block_number, asked_at)
            select w.address, w.is_contract, w.block_number, ${String(askedAt)}::int8
            from unnest(${hexArray(codes.map(({ address }) => address))}::text::bytea[],
                        ${`{${codes.map(({ isContract }) => isContract).join(",")}}`}::text::boolean[],
                        ${`{${codes.map(({ blockNumber }) => blockNumber).join(",")}}`}::text::int4[])
              as w (address, is_contract, block_number)
            on conflict (address) do update
              set is_contract = excluded.is_contract, block_number = excluded.block_number, asked_at = excluded.asked_at`)
          await run(tx`update ${state} set ${learnedMove(sql)}`)
        })
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
