/** How long `tokentx` of wallets takes over HTTP: cold, with its columns kept, a deep page asked alone, and all pages one after the other. */
import type postgres from "postgres"
import { startService } from "../support/children.ts"
import { quantile } from "../support/output.ts"
import { cpuOf, cpuOfTree } from "../support/processes.ts"
import { startWalletNode } from "./node.ts"
import { placesOf, type Wallet } from "./wallets.ts"

export interface Measured {
  readonly chainId: number
  readonly chainUrl: string
  readonly schema: string
  readonly settings: Readonly<Record<string, string>>
  readonly wallets: ReadonlyArray<Wallet>
  /** As most people have them: their first pages alone are asked. */
  readonly usual: ReadonlyArray<Wallet>
  /** The page that is far from the first: all wallets must have so many. */
  readonly deep: number
  /** Process of the database's server; absent = its CPU is not counted. */
  readonly server?: number | undefined
}

const tries = 25
/** Questions that count for nothing: code that has just been loaded is slower. */
const warmUps = 200
/** Wallets of which all pages are asked; of the others the first and the deep one. */
const whole = 4
export const offset = 100

/** Lines for `format`, milliseconds. */
export const measureWallets = async (
  sql: postgres.Sql,
  { chainId, chainUrl, schema, settings, wallets, usual, deep, server }: Measured,
): Promise<ReadonlyArray<readonly [string, number, number]>> => {
  const node = startWalletNode(chainUrl, await placesOf(sql, `${schema}_${chainId}`, [...wallets, ...usual]))
  await sql`truncate ${sql(`${schema}.kept_transaction`)}`
  const start = () => startService({ ...settings, [`RPC_URL_${chainId}`]: node.url, RATE_LIMIT_RPM: "1000000" })
  const [spare, ...asked] = wallets
  const times: Record<string, Array<number>> = {}
  const spent: Record<string, { cpu: number; requests: number }> = {}
  const cpu = () => cpuOf(service.pid) + (server === undefined ? 0 : cpuOfTree(server))
  let service = await start()
  const ask = async (name: string, { address }: Wallet, page: number, sort: "asc" | "desc") => {
    const query = `chainid=${chainId}&module=account&action=tokentx&address=${address}&page=${page}&offset=${offset}&sort=${sort}`
    const began = performance.now()
    const response = await fetch(`${service.url}/v2/api?${query}`, { headers: { "accept-encoding": "identity" } })
    const body = (await response.json()) as { readonly message: string; readonly result: ReadonlyArray<unknown> }
    const took = performance.now() - began
    if (body.result.length !== offset)
      throw new Error(`page ${page} of ${address}: ${JSON.stringify(body).slice(0, 300)}`)
    const found = times[name] ?? []
    times[name] = [...found, took]
  }
  /** What runs for the first time is no measure. */
  const warmUp = async () => {
    while ((await service.block(chainId)) < 0) await Bun.sleep(100)
    for (let count = 0; count < warmUps; count++)
      await ask("warm-up", spare!, 1 + (count % deep), count % 2 === 0 ? "asc" : "desc")
  }

  await warmUp()
  for (const [index, wallet] of asked.entries()) {
    for (const sort of ["asc", "desc"] as const) {
      await ask("page 1, nothing known of it", wallet, 1, sort)
      for (let page = index < whole ? 2 : deep; page <= deep; page++) await ask("filling", wallet, page, sort)
    }
  }
  for (const wallet of usual) {
    for (const sort of ["asc", "desc"] as const) await ask("a usual wallet, nothing known of it", wallet, 1, sort)
  }
  await service.stop()

  service = await start()
  await warmUp()
  // Each wallet in one order: what the other one reads first would be in memory.
  for (const [index, wallet] of asked.entries()) {
    const sort = index % 2 === 0 ? "asc" : "desc"
    await ask(`page 1 asked first, columns kept, ${sort}`, wallet, 1, sort)
    await ask(`page ${deep} asked behind page 1 alone, columns kept, ${sort}`, wallet, deep, sort)
  }
  for (const name of ["a usual wallet asked first, columns kept", "a usual wallet asked again"]) {
    for (const [index, wallet] of usual.entries()) await ask(name, wallet, 1, index % 2 === 0 ? "asc" : "desc")
  }
  for (const wallet of asked.slice(0, whole)) {
    for (const page of [1, deep]) {
      for (const sort of ["asc", "desc"] as const) {
        const name = `page ${page} asked again`
        const before = cpu()
        for (let count = 0; count < tries; count++) await ask(name, wallet, page, sort)
        const sum = spent[name] ?? { cpu: 0, requests: 0 }
        spent[name] = { cpu: sum.cpu + cpu() - before, requests: sum.requests + tries }
      }
    }
  }
  await service.stop()

  service = await start()
  await warmUp()
  for (const wallet of asked.slice(0, whole)) {
    for (let page = 1; page <= deep; page++) {
      const part =
        page <= deep / 5 ? "the first fifth in turn" : page > (4 * deep) / 5 ? "the last fifth in turn" : "between"
      await ask(part, wallet, page, "desc")
    }
  }
  await service.stop()
  await node.stop()
  for (const name of ["warm-up", "filling", "between"]) delete times[name]
  return [
    ...Object.entries(times).flatMap(([name, values]) => [
      [`${name}, p50 ms`, quantile(values, 0.5), 1] as const,
      [`${name}, longest of ${values.length}, ms`, Math.max(...values), 1] as const,
    ]),
    ...Object.entries(spent).map(
      ([name, { cpu, requests }]) =>
        [`${name}, CPU ms a request, service and PostgreSQL`, cpu / requests / 1000, 2] as const,
    ),
  ]
}
