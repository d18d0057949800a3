/** A fresh, empty PostgreSQL database per call, on a throwaway cluster that starts with the first call and ends with the process. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes, randomInt } from "node:crypto"
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import postgres from "postgres"
import { openTemporaryFolder } from "../../docker/temporaryFolder.ts"
import { serverAccount } from "../../src/adapters/embedded/account.ts"
import { installPrograms, platformPackage } from "../../src/adapters/embedded/programs.ts"
import { givenDatabase, givenUrl } from "./givenDatabase.ts"

export { openTemporaryFolder }

export type Version = 15 | 18
export const VERSIONS: ReadonlyArray<Version> = [15, 18]

interface Cluster {
  readonly urlOf: (database: string) => string
  /** At its own database: a connection that goes when it is idle, and comes back. */
  readonly admin: postgres.Sql
  /** Of the server's first process. */
  readonly pid: number
  /** Kills the server as `kill -9` does and starts it anew, on the same port and data. */
  readonly crash: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface State {
  readonly clusters: Map<Version, Promise<Cluster>>
  databases: number
}

// On globalThis: test files may each get their own copy of this module, but share one process.
const shared = globalThis as { cowryTestClusters?: State }
shared.cowryTestClusters ??= { clusters: new Map(), databases: 0 }
const state = shared.cowryTestClusters

/** The programs of a PostgreSQL version. 15 is an alias in devDependencies, named after the platform. */
export const programsOf = (version: Version): string =>
  version === 18 ? platformPackage : `postgres-15-${process.platform}-${process.arch}`

/** The url of a new empty database, owned by the superuser it names; where a server is given, on that, whatever its version. */
export const testDatabase = async (version: Version = 18): Promise<string> => {
  if (givenUrl !== undefined) return givenDatabase(givenUrl)
  let cluster = state.clusters.get(version)
  if (cluster === undefined) {
    cluster = startCluster(version)
    state.clusters.set(version, cluster)
  }
  const { urlOf, admin } = await cluster
  const name = `test_${++state.databases}`
  await admin.unsafe(`create database ${name}`)
  return urlOf(name)
}

/** Stops every cluster this process started. */
export const stopClusters = async (): Promise<void> => {
  const clusters = [...state.clusters.values()]
  state.clusters.clear()
  for (const cluster of await Promise.allSettled(clusters))
    if (cluster.status === "fulfilled") await cluster.value.stop()
}

/** One that goes at the end of the block: `using folder = ownFolder(…)`. */
export const ownFolder = (prefix: string): Disposable & { readonly path: string } => {
  const path = openTemporaryFolder(prefix)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const memoryFolder = "/dev/shm"
/** The contracts on both versions hold 2.1 GB; a machine with little memory uses its disk. */
const roomyBytes = 12 * 2 ** 30
/** What this process may use at most, of the machine and of its control group. */
const memoryLimits = ["/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

/**
 * Memory, where there is plenty. Every chain has a hundred files of its own, and every store a database: on a disk that others
 * use too the tests wait more for those to come and go than for anything that they ask.
 */
const dataParents = (): ReadonlyArray<string> => {
  if (!existsSync(memoryFolder)) return []
  const { bavail, bsize } = statfsSync(memoryFolder)
  const limits = memoryLimits.filter(existsSync).map((path) => {
    const text = readFileSync(path, "utf8")
    const available = /MemAvailable:\s+(\d+) kB/.exec(text)?.[1]
    if (available !== undefined) return Number(available) * 1024
    return text.trim() === "max" ? Number.POSITIVE_INFINITY : Number(text)
  })
  return Math.min(bavail * bsize, ...limits) < roomyBytes ? [] : [memoryFolder]
}

/** Of 127.0.0.1, below those that a system gives to who asks for any and to connections on their way out: nobody is given it before whoever it is for. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(11_000, 32_768)
  return (await isFree(port)) ? port : freePort()
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    )
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code) => resolve(code))
  })

// Waits for its input to end, which happens however this process ends, kill -9 included; then takes the server along.
const WATCHER = 'while read -r line; do :; done; kill -QUIT "$1"; sleep 1; rm -rf "$2" "$3"'

/**
 * `fileBytes`: no file of it grows beyond that, as on a disk that is full, until `prlimit` gives the processes more room.
 * `keepsCommits`: what was committed is there after a crash of the server.
 */
export const startCluster = async (version: Version, fileBytes?: number, keepsCommits = false): Promise<Cluster> => {
  const folder = openTemporaryFolder(`cowry-test-${version}-`)
  const dataFolder = openTemporaryFolder(`cowry-test-data-${version}-`, fileBytes === undefined ? dataParents() : [])
  const data = join(dataFolder, "data")
  const account = serverAccount()
  const programs = installPrograms(programsOf(version), join(folder, "programs"))
  const password = randomBytes(18).toString("hex")
  const log = openSync(join(folder, "log"), "a")
  writeFileSync(join(folder, "password"), password, { mode: 0o600 })
  mkdirSync(data)
  if (account !== undefined)
    for (const path of [folder, dataFolder, data, join(folder, "password")]) chownSync(path, account.uid, account.gid)
  const options = { cwd: "/", env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" }, ...account }
  const initdb = ["-D", data, "-U", "cowry", "-A", "scram-sha-256", "--pwfile", join(folder, "password")]
  const small = fileBytes === undefined ? [] : ["--wal-segsize=1"]
  const code = await exited(
    spawn(join(programs, "bin/initdb"), [...initdb, ...small, "-E", "UTF8", "--locale=C", "--no-sync"], {
      ...options,
      stdio: ["ignore", log, log],
    }),
  )
  const fail = (what: string): never => {
    throw new Error(`PostgreSQL ${version} for the tests: ${what}\n${readFileSync(join(folder, "log"), "utf8")}`)
  }
  if (code !== 0) fail(`initdb ended with ${code}`)
  const port = await freePort()
  const settings = [
    "fsync=off",
    "full_page_writes=off",
    `synchronous_commit=${keepsCommits ? "on" : "off"}`,
    "listen_addresses=127.0.0.1",
    // Hundreds of schemas come and go: it would look at each. What needs statistics makes them itself.
    "autovacuum=off",
  ]
  settings.push(`port=${port}`, "unix_socket_directories=", "max_locks_per_transaction=1024", "max_connections=200")
  settings.push("shared_buffers=128MB", "timezone=UTC", "log_timezone=UTC", "max_wal_size=1GB")
  const server = ["-D", data, ...settings.flatMap((it) => ["-c", it])]
  const program = [join(programs, "bin/postgres"), ...server]
  // The shell counts in blocks of 512 bytes.
  const limited = ["/bin/sh", "-c", 'ulimit -S -f "$0"; exec "$@"', `${(fileBytes ?? 0) / 512}`, ...program]
  const [command, ...args] = fileBytes === undefined ? program : limited
  const pidFile = join(data, "postmaster.pid")
  const begin = async () => {
    const child = spawn(command!, args, { ...options, detached: true, stdio: ["ignore", log, log] })
    child.unref()
    const ended = exited(child)
    const watcher = spawn("/bin/sh", ["-c", WATCHER, "sh", `${child.pid}`, folder, dataFolder], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    watcher.unref()
    const deadline = Date.now() + 30_000
    for (;;) {
      try {
        const [pid, , , , , , , state] = readFileSync(pidFile, "utf8").split("\n")
        if (state?.trim() === "ready" && (fileBytes !== undefined || Number(pid) === child.pid)) break
      } catch {}
      if (child.exitCode !== null || Date.now() > deadline) fail("it did not start")
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return { child, ended, watcher }
  }
  let running = await begin()
  const urlOf = (database: string) => `postgres://cowry:${password}@127.0.0.1:${port}/${database}`
  const admin = postgres(urlOf("postgres"), { max: 1, idle_timeout: 2, fetch_types: false, onnotice: () => {} })
  return {
    pid: running.child.pid!,
    urlOf,
    admin,
    crash: async () => {
      running.watcher.kill("SIGKILL")
      running.child.kill("SIGKILL")
      await running.ended
      // Its processes go when they see that it is gone, and hold the memory until then.
      for (const until = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
        const started = await begin().catch((cause) => {
          if (Date.now() > until) throw cause
        })
        if (started === undefined) continue
        running = started
        return
      }
    },
    stop: async () => {
      await admin.end({ timeout: 0 })
      running.watcher.kill("SIGKILL")
      running.child.kill("SIGQUIT")
      await running.ended
      for (const made of [folder, dataFolder]) rmSync(made, { recursive: true, force: true })
    },
  }
}
