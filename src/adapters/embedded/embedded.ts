/** The PostgreSQL that Cowry brings along: started in a data folder, kept alive, stopped when the scope closes. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Duration, Effect, Fiber, Schedule, type Scope } from "effect"
import { serverAccount } from "./account.ts"
import { openCluster, urlOf } from "./cluster.ts"
import { EmbeddedFailed, toEmbeddedFailed } from "./failure.ts"
import { openFolder } from "./folder.ts"
import { findJoinable } from "./join.ts"
import { keepLock } from "./keepLock.ts"
import { BELIEVED_MS, findOwner, isElsewhere, lockFolder, untilTold } from "./lock.ts"
import { keepLogShort, openLog } from "./log.ts"
import { packedName } from "./packedFolder.ts"
import { findPrograms, installPrograms, platformPackage } from "./programs.ts"
import { describeEnding, type Installation, readLog } from "./run.ts"
import { dropServer, NoHugePages, StillInUse, startServer, stopOrphan, stopOwn } from "./server.ts"

export { EmbeddedFailed }

export interface EmbeddedOptions {
  readonly dataDir: string
  /** The npm package with the programs; default: this platform's PostgreSQL 18. */
  readonly packageName?: string
  /** Where files of a new database may lie packed (`packedFolder.ts`). Absent, or none there: `initdb` makes them. */
  readonly packedIn?: string
  /** PostgreSQL settings over the built-in ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called when a program of PostgreSQL has been started and is waited for: time for other work. */
  readonly onSpawn?: () => void
}

export interface Embedded {
  /** Holds the password: never to be logged. */
  readonly url: string
}

/** Milliseconds between two looks whether the Cowry that was joined lives. */
const LOOK_MS = 250
/** Between two starts of a server whose port or memory another process still has. */
const stillInUse = Schedule.spaced(Duration.millis(250))
/** Between two starts of a server that has died. */
const restarts = Schedule.spaced(Duration.seconds(1))

/** After a crash there may be much to repair: the server tells how far it is. */
const tellProgress = (logFile: string): Effect.Effect<never> =>
  Effect.sleep(Duration.minutes(1)).pipe(
    Effect.andThen(
      Effect.suspend(() => Effect.logInfo(`PostgreSQL is not ready yet: ${readLog(logFile, 0).split("\n").at(-1)}`)),
    ),
    Effect.forever,
  )

/** Where the data lies when DATA_DIR is absent: root's working folder is often closed to the server's user. */
export const defaultDataDir = (checkout: string): string =>
  process.getuid?.() === 0
    ? join("/var/lib/cowry", createHash("sha256").update(resolve(checkout)).digest("hex").slice(0, 12))
    : join(checkout, ".cowry")

/** Whether a database lies there, or a Cowry that lives is about to make one. */
export const holdsDatabase = (dataDir: string): boolean =>
  existsSync(join(dataDir, "pgdata")) || findOwner(dataDir) !== undefined

/** What `initdb` would find out of the machine is the same wherever there is shared memory, which parallel work needs. */
const findPacked = ({ packedIn }: EmbeddedOptions, packageName: string, version: string): string | undefined => {
  if (packedIn === undefined || packageName !== platformPackage) return undefined
  const path = join(packedIn, packedName(version))
  return existsSync(path) && (process.platform !== "linux" || existsSync("/dev/shm")) ? path : undefined
}

/** Waits, and says so, where nobody knows yet whether the owner of the folder was killed. */
const untilOwnerTold = Effect.fnUntraced(function* (dataDir: string) {
  const owner = findOwner(dataDir)
  if (owner === undefined || !isElsewhere(owner)) return
  yield* Effect.logInfo(
    `DATA_DIR ${dataDir} is, or was, used by process ${owner.pid} of another container or host, or of this machine before it was started anew: waiting up to ${BELIEVED_MS / 1000} s to see whether it lives, by its lock ${join(dataDir, "lock")}`,
  )
  yield* Effect.tryPromise({
    try: (signal) => untilTold(dataDir, signal),
    catch: (cause) => toEmbeddedFailed(dataDir, cause),
  })
})

/**
 * Starts PostgreSQL in `dataDir`, made if it is missing. One live Cowry per folder; a server that a killed one left
 * there is stopped first. A server that dies is started again on the same port.
 */
export const startEmbedded = Effect.fn("startEmbedded")(function* (
  options: EmbeddedOptions,
): Effect.fn.Return<Embedded, EmbeddedFailed, Scope.Scope> {
  const attempt = <A>(work: (signal: AbortSignal) => A | Promise<A>): Effect.Effect<A, EmbeddedFailed> =>
    Effect.tryPromise({
      try: async (signal) => work(signal),
      catch: (cause) => toEmbeddedFailed(options.dataDir, cause),
    })

  const account = serverAccount()
  const packageName = options.packageName ?? platformPackage
  const { version } = yield* attempt(() => findPrograms(packageName))
  const dataDir = yield* attempt(() => openFolder(options.dataDir, account))
  yield* untilOwnerTold(dataDir)
  const lock = yield* Effect.acquireRelease(
    attempt(() => lockFolder(dataDir)),
    (held) => Effect.sync(held.release),
  )
  const lost = yield* keepLock(lock, dataDir).pipe(Effect.forkScoped)

  const orphan = yield* attempt(() => stopOrphan(join(dataDir, "pgdata")))
  if (orphan !== undefined)
    yield* Effect.logInfo(`Stopped PostgreSQL process ${orphan}, left by a Cowry that was killed`)

  const programs = yield* attempt(() => installPrograms(packageName, join(dataDir, "programs")))
  yield* Effect.logDebug("start: PostgreSQL's programs are there")
  const installation: Installation = {
    programs,
    account,
    logFile: openLog(dataDir),
    onSpawn: options.onSpawn ?? (() => {}),
  }
  yield* keepLogShort(installation.logFile).pipe(Effect.forkScoped)
  const { folder, password } = yield* Effect.uninterruptible(
    attempt(() =>
      openCluster(installation, {
        dataDir,
        major: Number.parseInt(version, 10),
        packed: findPacked(options, packageName, version),
      }),
    ),
  )

  yield* Effect.logDebug("start: the data folder is there")

  let running: number | undefined
  let settings = options.settings ?? {}
  const start = (port?: number) =>
    attempt((signal) =>
      startServer({
        installation,
        folder,
        settings,
        signal,
        onSpawn: (pid) => {
          running = pid
        },
        ...(port === undefined ? {} : { port }),
      }),
    ).pipe(
      Effect.tapError(({ message, cause }) => {
        if (!(cause instanceof NoHugePages)) return Effect.void
        settings = { ...settings, huge_pages: "off" }
        return Effect.logWarning(`${message}\nPostgreSQL is started without huge pages`)
      }),
      Effect.retry({
        while: ({ cause }) => cause instanceof StillInUse || cause instanceof NoHugePages,
        times: 19,
        schedule: stillInUse,
      }),
      Effect.raceFirst(tellProgress(installation.logFile)),
    )
  yield* Effect.addFinalizer(() => Effect.promise(async () => running !== undefined && stopOwn(running, folder)))
  const first = yield* start()
  yield* Effect.logDebug("start: PostgreSQL runs")
  const keepRunning = Effect.gen(function* () {
    let server = first
    while (true) {
      const ending = yield* Effect.promise(() => server.ended)
      yield* Effect.logError(`PostgreSQL process ${server.pid} ${describeEnding(ending)}; starting it again`)
      server = yield* start(server.port).pipe(
        Effect.tapError((failed) => Effect.logError(failed.message)),
        Effect.retry(restarts),
      )
    }
  })
  yield* Effect.raceFirst(keepRunning, Fiber.join(lost)).pipe(
    Effect.andThen(() => {
      if (running !== undefined) dropServer(running)
      running = undefined
      return Effect.logError(
        `another Cowry has taken DATA_DIR ${dataDir}, in which this one's lock was not touched for ${BELIEVED_MS / 1000} s: PostgreSQL is stopped here and not started again. Stop one of the two, then start the other anew`,
      )
    }),
    Effect.forkScoped,
  )
  return { url: urlOf(password, first.port) }
})

/**
 * The server that a running Cowry keeps in `dataDir`, and never stops it; where there is none, one of our own. `onGone`
 * hears when that Cowry has ended, and its server with it.
 */
export const joinEmbedded = Effect.fn("joinEmbedded")(function* ({
  onGone,
  ...options
}: EmbeddedOptions & { readonly onGone: (message: string) => void }): Effect.fn.Return<
  Embedded,
  EmbeddedFailed,
  Scope.Scope
> {
  yield* untilOwnerTold(options.dataDir)
  const found = yield* Effect.tryPromise({
    try: (signal) => findJoinable(options.dataDir, signal),
    catch: (cause) => toEmbeddedFailed(options.dataDir, cause),
  })
  if (found === undefined) return yield* startEmbedded(options)
  yield* Effect.gen(function* () {
    while (found.lives()) yield* Effect.sleep(Duration.millis(LOOK_MS))
    onGone(
      `the Cowry that runs the database in DATA_DIR ${options.dataDir}, process ${found.owner}, has ended. What was done until then stays; run the command again`,
    )
  }).pipe(Effect.forkScoped)
  return { url: found.url }
})
