/** The AuditStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { type AuditState, auditStates } from "../../../../model/audit.ts"
import { type Address, type ChainId, chainIdOfNumber } from "../../../../model/primitives.ts"
import {
  type AuditCounts,
  type AuditKey,
  AuditStore,
  type FoundContract,
  tooManyRows,
} from "../../../../ports/AuditStore.ts"
import { hexArray } from "../../database/arrays.ts"
import { joined } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut } from "../common/page.ts"
import { selectAuditCount } from "./branches.ts"
import { selectFound, selectUnseen, type UnseenRow } from "./found.ts"
import { auditListOf, type Listed, selectAuditTotal } from "./page.ts"
import { auditOf, type FoundRow, foundAudit, standardOf } from "./record.ts"
import { readSample } from "./sample.ts"
import { selectSentByItself } from "./sentByItself.ts"
import { selectStoredRows, storedRowOf, type TextRow } from "./storedRows.ts"
import { writeAudits } from "./writeAudits.ts"

export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    const { sql } = database

    const readCounts = Effect.fnUntraced(function* (chainId: ChainId) {
      const none: { readonly counts: ReadonlyArray<number> } = { counts: [] }
      const { value } = yield* across.probe("audits", [chainId], none, (_, [chain]) => {
        const count = (state: AuditState) => sql`(${selectAuditCount(chain, { state, tokens: undefined })})`
        return sql`array[${joined(auditStates.map(count), sql`, `)}]::int8[]::float8[] as counts`
      })
      return Object.fromEntries(
        auditStates.map((state, at) => [state, value.counts[at] ?? 0]),
      ) as unknown as AuditCounts
    })

    const readFound = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address>) {
      const none: { rows: Array<FoundRow>; unseen: Array<UnseenRow> } = { rows: [], unseen: [] }
      const asked = hexArray(addresses)
      const { asOf, value } = yield* across.readKept(
        chainId,
        "audit",
        none,
        [asked, asked],
        (chain, [all, again]) => sql`
          (${selectFound(chain, sql`k.address = any(${all!}::text::bytea[])`)}) as rows,
          (${selectUnseen(chain, sql`${again!}::text::bytea[]`)}) as unseen`,
      )
      return { asOf, value: value.rows.map((row) => foundAudit(chainId, row)), unseen: value.unseen }
    })

    /** Whoever asks at the same moment is answered by one statement over all addresses: to each what it asked for. */
    const readFoundTogether = (chainId: ChainId, addresses: ReadonlyArray<Address>) =>
      across.together(`${chainId} audit`, addresses, (questions) =>
        Effect.map(readFound(chainId, [...new Set(questions.flat())]), ({ asOf, value, unseen }) => {
          const found = Map.groupBy(value, ({ address }) => address)
          const without = (asked: ReadonlyArray<Address>) => unseen.filter(({ address }) => asked.includes(address))
          // In the order of the statement: by address.
          return questions.map(
            (asked): FoundContract => ({
              asOf,
              value: [...new Set(asked)].sort().flatMap((address) => found.get(address) ?? []),
              ...(without(asked).some((it) => it.not_kept) && { isNotKept: true }),
              ...(without(asked).some((it) => it.odd) && { isOdd: true }),
            }),
          )
        }),
      )

    return AuditStore.of({
      sample: Effect.fnUntraced(function* (chainId, choice, breadth) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined) return { asOf: [], value: [] }
        return yield* database.snapshot((tx, run) => readSample({ tx, run }, chain, choice, breadth))
      }),
      storedRows: Effect.fnUntraced(function* (chainId, address, range, most) {
        const none: { rows: Array<TextRow> } = { rows: [] }
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => sql`${selectStoredRows(chain, address, range, most)} as rows`,
        )
        if (most !== undefined && value.rows.length > most) return yield* tooManyRows(most)
        return { asOf, value: value.rows.map(storedRowOf) }
      }),
      sentByItself: Effect.fnUntraced(function* (chainId, token, blockNumber) {
        const none = { sent: "0" }
        const { value } = yield* across.readOne(
          chainId,
          none,
          (chain) => sql`${selectSentByItself(chain, token, blockNumber)} as sent`,
        )
        return BigInt(value.sent)
      }),
      record: Effect.fnUntraced(function* (chainId, audits) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined || audits.length === 0) return
        yield* database.transact((tx, run) => writeAudits({ tx, run }, chain, audits))
      }),
      find: (chainId, address) => readFoundTogether(chainId, [address]),
      findMany: readFoundTogether,
      list: Effect.fnUntraced(function* ({ chains, state, tokens, page, count }) {
        const { asOf, value } = yield* across.list<Listed>(chains, {
          ...auditListOf({ state, tokens, page }),
          total: count ? (sql, opened) => sql`select ${selectAuditTotal(sql, opened, { state, tokens })}` : undefined,
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(({ chain_id, ...row }) => auditOf(chainIdOfNumber(chain_id), row)),
            keys: rows.map(
              ({ chain_id, address, standard }): AuditKey => ({
                chainId: chainIdOfNumber(chain_id),
                address,
                standard: standardOf(standard),
              }),
            ),
            hasMore,
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
          },
        }
      }),
      counts: readCounts,
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
