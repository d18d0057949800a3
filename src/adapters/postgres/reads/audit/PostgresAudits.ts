/** The AuditStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { type AuditState, auditStates } from "../../../../model/audit.ts"
import { type Address, type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import { type AuditCounts, type AuditKey, AuditStore } from "../../../../ports/AuditStore.ts"
import { hexArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut, seekOf } from "../common/page.ts"
import { auditBranches, selectAuditCount } from "./list.ts"
import { type AuditRow, auditOf, type DifferedRow, foundAudit, standardOf } from "./record.ts"
import { readSample } from "./sample.ts"
import { writeAudits } from "./write.ts"

type Listed = AuditRow & { readonly chain_id: number }

export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    const { sql } = database

    const readCounts = Effect.fnUntraced(function* (chainId: ChainId) {
      const [chain] = yield* across.opened([chainId])
      const count = (state: AuditState) =>
        chain === undefined ? sql`0` : sql`(${selectAuditCount(chain, { state, tokens: undefined })})`
      const [row] = yield* database.query(
        () => sql<Array<{ counts: ReadonlyArray<number> }>>`
          select array[${auditStates.flatMap((state, at) => (at === 0 ? [count(state)] : [sql`, `, count(state)]))}]::int8[]::float8[] as counts`,
      )
      return Object.fromEntries(auditStates.map((state, at) => [state, row?.counts[at] ?? 0])) as unknown as AuditCounts
    })

    const readFound = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address>) {
      const none: { rows: Array<AuditRow & DifferedRow> } = { rows: [] }
      const { asOf, value } = yield* across.readOne(
        chainId,
        none,
        ({ sql, token, tokenAudit }) => sql`(
          select coalesce(json_agg(json_build_object('standard', k.standard, 'address', '0x' || encode(k.address, 'hex'),
            'state', a.state, 'block_number', a.block_number, 'time', a.time, 'compared', a.compared,
            'difference', a.difference, 'reason', a.reason, 'differed', a.differed) order by k.address, k.standard), '[]')
          from ${token} k
          left join lateral (select * from ${tokenAudit} a where a.token_id = k.token_id limit 1) a on true
          where k.address = any(${hexArray(addresses)}::text::bytea[])) as rows`,
      )
      return { asOf, value: value.rows.map((row) => foundAudit(chainId, row)) }
    })

    return AuditStore.of({
      sample: Effect.fn("PostgresAudits.sample")(function* (chainId, choice, breadth) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined) return { asOf: [], value: [] }
        return yield* database.snapshot((tx, run) => readSample({ tx, run }, chain, choice, breadth))
      }),
      record: Effect.fn("PostgresAudits.record")(function* (chainId, audits) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined || audits.length === 0) return
        const written = yield* database.query(() => sql`${writeAudits(chain, audits)}`)
        // Not together: a rollback locks the counts first, then the state.
        if (written.length > 0) yield* database.query(() => sql`update ${chain.state} set revision = revision + 1`)
      }),
      find: Effect.fn("PostgresAudits.find")((chainId, address) => readFound(chainId, [address])),
      findMany: Effect.fn("PostgresAudits.findMany")(readFound),
      list: Effect.fn("PostgresAudits.list")(function* ({ chains, state, tokens, page, count }) {
        const { key, reading } = seekOf(page, "asc")
        const limit = page.limit + 1
        const isBeyond = ({ chainId }: ChainSql) => {
          const side = key === undefined ? 0 : compareChainIds(chainId, key.chainId)
          return reading === "asc" ? side >= 0 : side <= 0
        }
        const none: { rows: Array<Listed>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
          const branches = opened.filter(isBeyond).flatMap((chain) =>
            auditBranches(chain, {
              state,
              tokens,
              key: chain.chainId === key?.chainId ? key : undefined,
              direction: reading,
              limit,
            }),
          )
          const counts = opened.map((chain) => sql`(${selectAuditCount(chain, { state, tokens })})`)
          const total = count
            ? sql`, (${counts.flatMap((it, at) => (at === 0 ? [it] : [sql` + `, it]))}) as total`
            : sql``
          if (branches.length === 0) return sql`'[]'::json as rows ${total}`
          const order =
            reading === "asc"
              ? sql`r.chain_id, r.address, r.standard`
              : sql`r.chain_id desc, r.address desc, r.standard desc`
          return sql`(
            select coalesce(json_agg(json_build_object('chain_id', r.chain_id, 'address', '0x' || encode(r.address, 'hex'),
              'standard', r.standard, 'state', r.state, 'block_number', r.block_number, 'time', r.time,
              'compared', r.compared, 'difference', r.difference, 'reason', r.reason) order by ${order}), '[]')
            from (select * from (${unionAll(sql, branches)}) r order by ${order} limit ${limit}) r) as rows
            ${total}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(({ chain_id, ...row }) => auditOf(String(chain_id), row)),
            keys: rows.map(
              ({ chain_id, address, standard }): AuditKey => ({
                chainId: String(chain_id),
                address,
                standard: standardOf(standard),
              }),
            ),
            hasMore,
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
          },
        }
      }),
      counts: Effect.fn("PostgresAudits.counts")(readCounts),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
