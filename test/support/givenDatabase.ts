/** Databases of a test's own on the server that `TEST_DATABASE_URL` names: on all nodes, where that is a coordinator of Citus. */
import postgres from "postgres"

/** A server that is not ours, such as a coordinator of Citus. */
export const givenUrl = process.env.TEST_DATABASE_URL

// On globalThis: test files may each get their own copy of this module, but share one process.
const shared = globalThis as { cowryGivenDatabases?: Array<string> }
shared.cowryGivenDatabases ??= []
const made = shared.cowryGivenDatabases
let count = 0

const at = (url: string, database: string, node?: Node): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  if (node !== undefined) {
    changed.hostname = node.nodename
    changed.port = `${node.nodeport}`
  }
  return changed.href
}

const using = async <A>(url: string, work: (sql: postgres.Sql) => Promise<A>): Promise<A> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

interface Node {
  readonly nodename: string
  readonly nodeport: number
  /** The coordinator is in group 0. */
  readonly groupid: number
}

/** None where the server lays nothing on others. */
const nodesOf = (url: string): Promise<ReadonlyArray<Node>> =>
  using(url, async (sql) => {
    const [{ known }] = await sql<[{ known: boolean }]>`select to_regclass('pg_dist_node') is not null as known`
    return known ? await sql<Array<Node>>`select nodename, nodeport, groupid from pg_dist_node order by groupid` : []
  })

let making: Promise<unknown> = Promise.resolve()

/** The url of a new empty database on that server. One is made at a time: nodes write what all databases share. */
export const givenDatabase = (url: string): Promise<string> => {
  const next = making.then(() => makeDatabase(url))
  making = next.catch(() => {})
  return next
}

const makeDatabase = async (url: string): Promise<string> => {
  const name = `test_own_${process.pid}_${++count}`
  const nodes = await nodesOf(url)
  const workers = nodes.filter(({ groupid }) => groupid !== 0)
  const coordinator = nodes.find(({ groupid }) => groupid === 0)
  made.push(name)
  for (const server of [url, ...workers.map((node) => at(url, new URL(url).pathname.slice(1), node))]) {
    await using(server, (sql) => sql.unsafe(`create database ${name}`))
    if (nodes.length > 0) await using(at(server, name), (sql) => sql.unsafe("create extension citus"))
  }
  if (coordinator !== undefined)
    await using(at(url, name), async (sql) => {
      await sql`select citus_set_coordinator_host(${coordinator.nodename}, ${coordinator.nodeport})`
      for (const { nodename, nodeport } of workers) await sql`select citus_add_node(${nodename}, ${nodeport})`
    })
  return at(url, name)
}

/** Takes away the databases that this process has made. */
export const dropGivenDatabases = async (url: string): Promise<void> => {
  if (made.length === 0) return
  const nodes = await nodesOf(url)
  const names = made.splice(0)
  for (const server of [
    url,
    ...nodes.filter(({ groupid }) => groupid !== 0).map((node) => at(url, new URL(url).pathname.slice(1), node)),
  ])
    await using(server, async (sql) => {
      for (const name of names) await sql.unsafe(`drop database if exists ${name} with (force)`)
    })
}
