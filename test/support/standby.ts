/** A real primary and a standby that follows it, from the embedded programs: the copy of a stopped data folder, with a place to connect to. */
import { type ChildProcess, spawn } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { serverAccount } from "../../src/adapters/embedded/account.ts"
import { installPrograms, platformPackage } from "../../src/adapters/embedded/programs.ts"
import { freePort, openTemporaryFolder } from "./postgres.ts"

export interface TestServer {
  readonly url: string
  /** All that it has logged. */
  readonly log: () => string
  /** At once, as by a lost machine. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

export interface Replicated {
  readonly primary: TestServer
  readonly standby: TestServer
  /** The standby replays nothing more until `resume`. */
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
  /** Resolves when the standby has all that the primary has now. */
  readonly level: () => Promise<void>
  /** The standby takes over without what the primary does meanwhile, which comes back as a standby of its own old log. */
  readonly failOver: (meanwhile: () => Promise<void>) => Promise<void>
  readonly stop: () => Promise<void>
}

const account = serverAccount()

/** Statements are logged where they fail. */
export const startReplicated = async (): Promise<Replicated> => {
  const folder = openTemporaryFolder("cowry-replicated-")
  const programs = installPrograms(platformPackage, join(folder, "programs"))
  const own = (path: string): void => {
    if (account !== undefined) chownSync(path, account.uid, account.gid)
  }
  const ownAll = (path: string): void => {
    own(path)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) ownAll(inner)
      else own(inner)
    }
  }
  const run = (program: string, args: ReadonlyArray<string>, log: string): ChildProcess => {
    const out = openSync(log, "a")
    const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" }
    return spawn(join(programs, "bin", program), [...args], { cwd: "/", env, ...account, stdio: ["ignore", out, out] })
  }
  const exited = (child: ChildProcess) => new Promise<void>((resolve) => child.once("exit", () => resolve()))

  const data = { primary: join(folder, "p"), standby: join(folder, "s") }
  const ports = { primary: await freePort(), standby: await freePort() }
  mkdirSync(data.primary)
  own(folder)
  own(data.primary)
  await exited(
    run(
      "initdb",
      ["-D", data.primary, "-U", "cowry", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
      join(folder, "initdb.log"),
    ),
  )
  writeFileSync(
    join(data.primary, "pg_hba.conf"),
    "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n",
  )

  const server = (name: "primary" | "standby"): TestServer & { readonly pid: () => number | undefined } => {
    const log = join(folder, `${name}.log`)
    let child: ChildProcess | undefined
    const settings = [
      ...["fsync=off", "full_page_writes=off", "listen_addresses=127.0.0.1", "unix_socket_directories="],
      ...[`port=${ports[name]}`, "max_locks_per_transaction=1024", "max_connections=150", "shared_buffers=64MB"],
      ...["wal_level=replica", "hot_standby=on", "hot_standby_feedback=on", "wal_receiver_status_interval=1s"],
      ...["wal_retrieve_retry_interval=100ms", "timezone=UTC", "wal_keep_size=512MB"],
    ]
    return {
      url: `postgres://cowry@127.0.0.1:${ports[name]}/postgres`,
      log: () => readFileSync(log, "utf8"),
      pid: () => child?.pid,
      start: async () => {
        child = run("postgres", ["-D", data[name], ...settings.flatMap((it) => ["-c", it])], log)
        const pid = child.pid
        const file = join(data[name], "postmaster.pid")
        for (const deadline = Date.now() + 60_000; ; ) {
          const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
          if (lines[0] === `${pid}` && lines[7]?.trim() === "ready") return
          if (child.exitCode !== null || Date.now() > deadline) throw new Error(readFileSync(log, "utf8"))
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      },
      kill: async () => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
        const gone = exited(child)
        child.kill("SIGQUIT")
        await gone
      },
    }
  }
  // Copied before its first start: an empty database whose log the standby replays from its beginning.
  cpSync(data.primary, data.standby, { recursive: true, preserveTimestamps: true })
  writeFileSync(join(data.standby, "standby.signal"), "")
  appendFileSync(
    join(data.standby, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${ports.primary} user=cowry'\n`,
  )
  if (account !== undefined) ownAll(data.standby)
  const [primary, standby] = [server("primary"), server("standby")]
  await primary.start()
  await standby.start()
  const ask = async (url: string, statement: string): Promise<string> => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    try {
      const [row] = await sql.unsafe(statement)
      return String(Object.values(row ?? {})[0])
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  return {
    primary,
    standby,
    pause: async () => void (await ask(standby.url, "select pg_wal_replay_pause()")),
    resume: async () => void (await ask(standby.url, "select pg_wal_replay_resume()")),
    level: async () => {
      const place = await ask(primary.url, "select pg_current_wal_flush_lsn()")
      for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
        if ((await ask(standby.url, `select coalesce(pg_last_wal_replay_lsn() >= '${place}', false)`)) === "true")
          return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`the standby does not follow:\n${standby.log()}`)
    },
    failOver: async (meanwhile) => {
      await standby.kill()
      await meanwhile()
      await primary.kill()
      await standby.start()
      await ask(standby.url, "select pg_promote()")
      writeFileSync(join(data.primary, "standby.signal"), "")
      own(join(data.primary, "standby.signal"))
      await primary.start()
    },
    stop: async () => {
      await standby.kill()
      await primary.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
