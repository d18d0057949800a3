/** The ChainRegistry port in PostgreSQL: rows of the registry's table of chains. */
import { Effect, Layer } from "effect"
import type { StoreError } from "../../../model/errors.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import {
  ChainRegistry,
  type RegisteredChain,
  type RegistryLook,
  type ServedChain,
} from "../../../ports/ChainRegistry.ts"
import { Database } from "../database/Database.ts"
import { ledgerMigrations, registryMigrations } from "../database/migrate.ts"
import { servedDigest } from "../database/registry.ts"
import { journalProblem } from "./journal.ts"
import { readServed, readStatus, servedText, statusText, type WrittenChain } from "./servedText.ts"

interface Row {
  readonly chain_id: ChainId
  readonly digest: string | null
  /** Null where its digest is known. */
  readonly served: string | null
  readonly status: string | null
  /** Of the last word: when it was told, by the clock of the server that took it, and milliseconds since by the clock of this one. */
  readonly told: number | null
  readonly age: number | null
}

/** A word as this process first saw it: `at`, steady milliseconds, and how old it was then. */
interface Word {
  readonly told: number | null
  readonly at: number
  readonly ageMs: number
}

export const layer = Layer.effect(
  ChainRegistry,
  Effect.gen(function* () {
    const database = yield* Database
    const { sql, schema, probes } = database
    const chain = sql(`${schema}.chain`)
    const journal = sql(`${schema}.migration`)
    /**
     * By their digests: what was read of a chain is read once, by the statement that reads the digest. By another one it may be
     * told anew by then, or not yet be there on another standby, and the chain would be served by nobody until the next look.
     */
    let known = new Map<string, WrittenChain | undefined>()
    let words = new Map<ChainId, Word>()

    const look: Effect.Effect<RegistryLook, StoreError> = Effect.gen(function* () {
      const before = known
      const digests = [...before.keys()]
      const [found] = yield* probes.query(
        () => probes.sql<[{ files: ReadonlyArray<string>; chains: ReadonlyArray<Row> }]>`
          select (select coalesce(json_agg(file), '[]') from ${journal}) as files, (
            select coalesce(json_agg(json_build_object(
              'chain_id', chain_id, 'digest', served_digest,
              'served', case when served_digest = any(${digests}::text[]) then null else served end, 'status', status,
              'told', extract(epoch from status_at)::float8, 'age', extract(epoch from clock_timestamp() - status_at) * 1000)), '[]') from ${chain}) as chains`,
      )
      const problem = journalProblem("the database", found.files, registryMigrations)
      if (problem !== undefined) return { problem, chains: [] }
      known = new Map(
        found.chains.flatMap(({ digest, served }) => {
          if (digest === null) return []
          return [[digest, before.has(digest) ? before.get(digest) : readServed(served ?? "")] as const]
        }),
      )
      const now = yield* steadyMillis
      words = new Map(found.chains.map((row) => [row.chain_id, wordOf(row, words.get(row.chain_id), now)]))
      const ageOf = ({ at, ageMs }: Word) => ageMs + now - at
      return { chains: found.chains.map((row) => registered(row, known, ageOf(words.get(row.chain_id)!))) }
    }).pipe(Effect.catch((error) => (isMissing(error) ? Effect.succeed(unready) : Effect.fail(error))))

    const write = (served: ServedChain, isFirst: boolean) => {
      const text = servedText(served, ledgerMigrations)
      const digest = servedDigest(text)
      return Effect.asVoid(
        database.query(
          () => sql`
            update ${chain} set served = ${text}, served_digest = ${digest}
            where chain_id = ${served.chainId}
              and ${isFirst ? sql`served is null` : sql`served_digest is distinct from ${digest}`}`,
        ),
      )
    }
    return ChainRegistry.of({
      look,
      publish: (served) => write(served, false),
      publishFirst: (served) => write(served, true),
      tell: Effect.fnUntraced(function* (statuses, unlessToldFor) {
        if (statuses.length === 0) return
        const now = yield* steadyMillis
        const texts = JSON.stringify(Object.fromEntries(statuses.map((it) => [it.chainId, statusText(it, now)])))
        const chains = statuses.map(({ chainId }) => chainId)
        // By so much a word may lie ahead as well: who lives may tell his while this statement waits for the row. One further
        // ahead is of a clock that was set back since.
        yield* database.query(
          () => sql`
            update ${chain} set status = ${texts}::text::json ->> chain_id, status_at = now()
            where chain_id = any(${chains}::text[])
              and (${unlessToldFor ?? null}::float8 is null or status_at is null
                or abs(extract(epoch from now() - status_at)) * 1000 > ${unlessToldFor ?? 0}::float8)`,
        )
      }),
    })
  }),
)

const unready: RegistryLook = {
  problem:
    "the database is not made yet, or by an older version: a process that writes (ROLE both or writer) brings it up to date",
  chains: [],
}

/** undefined_table, undefined_column, invalid_schema_name */
const isMissing = (error: StoreError): boolean =>
  error._tag === "StoreUnavailable" && ["42P01", "42703", "3F000"].includes(String(Object(error.cause).code))

/** A word that another one was seen before came between two looks. Of the first there are two servers' clocks alone, which may differ. */
const wordOf = ({ told, age }: Row, before: Word | undefined, now: number): Word =>
  before?.told === told ? before : { told, at: now, ageMs: before === undefined ? Math.max(0, age ?? 0) : 0 }

const registered = (
  { chain_id: chainId, digest, status, told: word }: Row,
  known: ReadonlyMap<string, WrittenChain | undefined>,
  ageMs: number,
) => {
  const written = digest === null ? undefined : known.get(digest)
  const told = readStatus(status ?? undefined)
  const problem = written && journalProblem(`the ledger of chain ${chainId}`, written.tables, ledgerMigrations)
  const found: RegisteredChain = {
    chainId,
    ...(written && { served: written.served }),
    ...(told && { status: told.status, toldMs: ageMs, statusAgeMs: ageMs + (told.silentMs ?? 0) }),
    ...(told && word !== null && { word }),
    ...(problem !== undefined && { problem }),
  }
  return found
}
