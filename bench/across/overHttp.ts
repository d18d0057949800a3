/** The same pages over HTTP, of a service whose nodes are not there: every answer made anew, after as many as make its code warm. */
import { startService } from "../support/children.ts"
import { quantile } from "../support/output.ts"
import { cpuOf, cpuOfTree } from "../support/processes.ts"
import { seldomAddress } from "./seedChains.ts"

export interface AcrossHttp {
  readonly url: string
  readonly schema: string
  readonly chains: ReadonlyArray<number>
  readonly limit: number
  readonly runs: number
  /** Process of the database's server. */
  readonly server: number | undefined
}

/** Questions that count for nothing: code that has just been loaded takes twice as long. */
const warmUp = 400

/** A line for each list: its first page, and the one behind it. */
export const measureOverHttp = async ({ url, schema, chains, limit, runs, server = 0 }: AcrossHttp) => {
  const service = await startService({
    DATABASE_URL: url,
    DATABASE_SCHEMA: schema,
    ANSWERS_MB: "0",
    PRICES: "off",
    RATE_LIMIT_RPM: "100000000",
    ...Object.fromEntries(chains.map((chain) => [`RPC_URL_${chain}`, "http://127.0.0.1:9"])),
  })
  const ask = async (path: string) => {
    const response = await fetch(service.url + path, { headers: { "accept-encoding": "identity" } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as { readonly link: { readonly next: string | null } }
  }
  const all = "/v2/network/mainnet/evm/all"
  const lists: Readonly<Record<string, string>> = {
    transfers: `${all}/erc20-transfers?limit=${limit}`,
    "transfers and count": `${all}/erc20-transfers?limit=${limit}&count=true`,
    "transfers of an account seen on three chains": `${all}/erc20-transfers?limit=${limit}&address=${seldomAddress}`,
    "tokens by holders": `${all}/erc20?limit=${limit}&sort=holdersCount,desc`,
    "tokens by name": `${all}/erc20?limit=${limit}&sort=name,desc`,
    "swaps and count": `${all}/erc20-swaps?limit=${limit}&count=true`,
  }
  for (const [name, first] of Object.entries(lists)) {
    const { next } = (await ask(first)).link
    const pages = next === null ? [first] : [first, next.replace(service.url, "")]
    for (const [place, path] of pages.entries()) {
      for (let warm = 0; warm < warmUp; warm++) await ask(path)
      const cpu = () => [cpuOf(service.pid), cpuOfTree(server)] as const
      const before = cpu()
      const times: Array<number> = []
      for (let run = 0; run < runs; run++) {
        const began = performance.now()
        await ask(path)
        times.push(performance.now() - began)
      }
      const [own, database] = cpu().map((value, at) => (value - before[at]!) / runs / 1000) as [number, number]
      console.log(
        `  ${(place === 0 ? name : `${name}, the next page`).padEnd(60)} p50 ${quantile(times, 0.5).toFixed(1).padStart(6)}  p95 ${quantile(times, 0.95).toFixed(1).padStart(6)}` +
          `  CPU ${own.toFixed(1).padStart(5)} + ${database.toFixed(1).padStart(5)}`,
      )
    }
  }
  await service.stop()
}
