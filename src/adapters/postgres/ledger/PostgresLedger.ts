/** The Ledger port on PostgreSQL: one writer a chain, its lock held by the very session that appends. */
import { Effect, Layer } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import {
  Ledger,
  LedgerRefused,
  type LedgerSettings,
  type LedgerUnavailable,
  rebuildCommand,
} from "../../../ports/Ledger.ts"
import { chainSqlOf } from "../database/chainSql.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"
import { overWritable } from "../database/readOnly.ts"
import { checkLedger, checkTables, findGenesis, registerChain, TablesAreOlder } from "../database/registry.ts"
import { bulkSchema } from "../database/schemas.ts"
import { CacheBudget } from "./balances/cacheBudget.ts"
import { Pairs } from "./balances/pairs.ts"
import { loadingStep, resumePlace } from "./bulk/place.ts"
import { mostSides } from "./bulk/sides.ts"
import { openLoad } from "./bulkLoad.ts"
import { Owners } from "./ids/owners.ts"
import { newPools } from "./ids/pools.ts"
import { newTokens } from "./ids/tokens.ts"
import { Units } from "./ids/units.ts"
import { askBriefly, attempt, unavailable } from "./ledgerErrors.ts"
import { writerOf } from "./ledgerWriter.ts"
import { clearLeftOver, tellOfNext } from "./leftOver.ts"
import { loadPosition, rowsWithoutPlaces } from "./state/checkpoint.ts"
import { refoldTexts } from "./state/refold.ts"
import { slicesOfCopy } from "./wire/copy.ts"
import { openBeside, openWatched } from "./wire/silence.ts"
import { type LockWatch, makeLockWatch } from "./writerLock.ts"
import { closeAppend, type WriterLimits, type WriterState } from "./writerState.ts"

const defaults: WriterLimits = {
  cacheBytes: 256 * 1024 * 1024,
  maxTokens: 50_000,
  maxLoadedTokens: 1_000_000,
  maxTransfers: 2 ** 30,
  maxIds: 100_000,
  maxPools: 50_000,
  chunkSize: 20_000,
  healedVersions: 3_000_000,
  rowsAtOnce: 5000,
  loadSlices: slicesOfCopy,
  runSides: mostSides,
  derivedRows: 600_000,
  mostRuns: 3_000,
  eventsDays: 7,
  idRows: 2_000_000,
  deadlineMs: 15 * 60_000,
  silenceMs: 60_000,
}

/** Makes a chain's store if it is new; throws as `registerChain` does. */
type Register = typeof registerChain

/** The port over `database`; `register`: how a chain comes there. */
export const makeLedger = (
  database: DatabaseShape,
  limits: Partial<WriterLimits>,
  register: Register = registerChain,
): Ledger["Service"] => {
  const all = { ...defaults, ...limits }
  const budget = new CacheBudget(all.cacheBytes)
  const locks = makeLockWatch(database)
  const told = new Set<ChainId>()
  return {
    open: (settings) => open({ database, limits: all, budget, locks, register, told }, settings),
    genesis: (chainId) => askBriefly(database, () => findGenesis(database, chainId)),
    loading: (chainId) => askBriefly(database, () => loadingStep(database, database.chainSchema(chainId))),
  }
}

export const layerWith = (limits: Partial<WriterLimits>): Layer.Layer<Ledger, never, Database> =>
  Layer.effect(
    Ledger,
    Effect.map(Database, (database) => Ledger.of(makeLedger(database, limits))),
  )

export const layer: Layer.Layer<Ledger, never, Database> = layerWith({})

/** What the writers of all chains share. */
interface Shared {
  readonly database: DatabaseShape
  readonly limits: WriterLimits
  readonly budget: CacheBudget
  readonly locks: LockWatch
  readonly register: Register
  /** Chains of which the log has said what a command left: one that is stopped is opened every few seconds. */
  readonly told: Set<ChainId>
}

const open = Effect.fn("PostgresLedger.open")(function* (
  { database, limits, budget, locks, register, told }: Shared,
  settings: LedgerSettings,
) {
  const schema = database.chainSchema(settings.chainId)
  const registerIt = (isLocked: boolean) =>
    Effect.tryPromise({
      try: () => overWritable(database, () => register(database, settings, isLocked)),
      catch: refusedOrNot,
    })
  const openSession = () => openWatched(database, schema, limits.silenceMs)
  yield* Effect.logDebug(`start: chain ${settings.chainId}: the node was looked at`)
  const early = yield* registerIt(false).pipe(
    Effect.as(undefined),
    Effect.catchIf(
      (error) => error._tag === "LedgerUnavailable" && error.cause instanceof TablesAreOlder,
      // From before its tables are changed until it is open here it is nobody else's.
      (error) =>
        Effect.gen(function* () {
          const locked = yield* locks.sessionNow(schema, openSession)
          if (locked === undefined) return yield* error
          yield* registerIt(true)
          return locked
        }),
    ),
  )
  // Whoever builds a ledger beside it sees to it himself.
  if (register === registerChain) {
    yield* clearLeftOver(database, settings.chainId)
    yield* tellOfNext(database, settings.chainId, told)
  }
  yield* Effect.logDebug(`start: chain ${settings.chainId}: its tables are up to date`)
  const session = early ?? (yield* locks.sessionOf(schema, openSession))
  let removed: string | undefined
  const makeWriter = Effect.tryPromise({ try: (): Promise<WriterState> => loadWriter(), catch: refusedOrNot })
  const loadWriter = async (): Promise<WriterState> => {
    const [{ folds, files }] = await session.run(
      (sql) => sql<[{ folds: number; files: ReadonlyArray<string> }]>`
        select folds, (select json_agg(file) from migration) as files from state`,
    )
    checkTables(database, settings, files)
    await refoldTexts(session, folds)
    const empty = await resumePlace(database, session, schema, settings, (why) => {
      removed = why
    })
    const position = await loadPosition(session)
    const pairs = new Pairs()
    budget.join(pairs)
    const writer: WriterState = {
      session,
      reader: undefined,
      readerUsedAt: Number.NEGATIVE_INFINITY,
      openReader: () =>
        openBeside(database, session, () =>
          openWatched(database, writer.load === undefined ? schema : bulkSchema(schema), limits.silenceMs),
        ),
      position,
      limits,
      pairs,
      owners: new Owners(),
      units: new Units(),
      budget,
      tokens: newTokens(position.tokenSequence),
      pools: newPools(position.poolSequence),
      open: undefined,
      segments: 0,
      load: empty && (await openLoad(session, limits, position, empty)),
    }
    return writer
  }
  const writer = yield* Effect.acquireRelease(makeWriter, (it) => Effect.promise(() => closeWriter(it)))
  if (removed !== undefined)
    yield* Effect.logWarning(`chain ${settings.chainId}: what lay there of a first sync in bulk is removed: ${removed}`)
  // While this one waited for the lock, another ledger may have taken the place of the one it was let in to. From here on
  // the fence would tell.
  yield* askBriefly(database, () => checkLedger(database, settings)).pipe(
    Effect.mapError((error) => (error.cause instanceof LedgerRefused ? error.cause : error)),
  )
  yield* Effect.logDebug(`start: chain ${settings.chainId}: its ledger is open`)
  const lacking = yield* attempt(() => rowsWithoutPlaces(session))
  if (lacking !== undefined)
    yield* Effect.logInfo(`chain ${settings.chainId}: ${lacking}: ${rebuildCommand(settings.chainId)}`)
  return writerOf({ database, chain: chainSqlOf(database.sql, settings.chainId, schema), schema, settings }, writer)
})

const refusedOrNot = (cause: unknown): LedgerRefused | LedgerUnavailable =>
  cause instanceof LedgerRefused ? cause : unavailable(cause)

/** An open append ends with its session: the server takes it back before it lets the lock go. */
const closeWriter = async (writer: WriterState): Promise<void> => {
  const { session, reader, budget, pairs, load } = writer
  if (writer.open !== undefined) session.fail(new Error("the writer was closed"))
  closeAppend(writer)
  budget.leave(pairs)
  // An index that is being built goes with its session: nobody waits for it.
  load?.indexer?.session.fail(new Error("the writer was closed"))
  await reader?.close()
}
