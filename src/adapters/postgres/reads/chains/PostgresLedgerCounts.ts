/** The LedgerCounts port in PostgreSQL: the counters of each chain's state. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import { type ChainCounts, LedgerCounts } from "../../../../ports/LedgerCounts.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"

export const layer = Layer.effect(
  LedgerCounts,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return LedgerCounts.of({
      list: Effect.fnUntraced(function* (chains) {
        const none: { readonly counts: ReadonlyArray<ChainCounts> } = { counts: [] }
        const columns = (sql: Sql, opened: ReadonlyArray<ChainSql>) => {
          const branches = unionAll(
            sql,
            opened.map((chain) => selectCounts(chain)),
          )
          return sql`(select coalesce(json_agg(c.counts), '[]') from (${branches}) c) as counts`
        }
        const { value } = yield* across.probe("counts", chains, none, columns, (parts) => ({
          counts: parts.flatMap(({ counts }) => counts),
        }))
        return chains.flatMap((chainId) => value.counts.filter((counts) => counts.chainId === chainId))
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** A `ChainCounts` as JSON; no row without a block. */
const selectCounts = ({ sql, chainId, state }: ChainSql): Fragment => sql`
  select json_build_object(
    'chainId', ${chainId}::text,
    'tokens', json_build_object('erc20', s.erc20_tokens, 'erc721', s.erc721_tokens, 'erc1155', s.erc1155_tokens),
    'transfers', json_build_object(
      'erc20', s.erc20_transfers, 'erc721', s.erc721_transfers, 'erc1155', s.erc1155_transfers),
    'swaps', s.swaps) as counts
  from ${state} s where s.head_hash is not null`
