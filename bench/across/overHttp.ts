/** The same pages over HTTP, of a service whose nodes are not there: every answer made anew, after as many as make its code warm. */
import { startService } from "../support/children.ts"
import { askPages, pageOf } from "../support/oneCaller.ts"
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

/** Code that has just been loaded takes twice as long. */
const warmUp = 400

/** A line for each list: its first page, and the one behind it. */
export const measureOverHttp = async ({ url, schema, chains, limit, runs, server }: AcrossHttp) => {
  const service = await startService({
    DATABASE_URL: url,
    DATABASE_SCHEMA: schema,
    ANSWERS_MB: "0",
    PRICES: "off",
    RATE_LIMIT_RPM: "100000000",
    ...Object.fromEntries(chains.map((chain) => [`RPC_URL_${chain}`, "http://127.0.0.1:9"])),
  })
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
    const { next } = (JSON.parse(await pageOf(service, first)) as { readonly link: { readonly next?: string } }).link
    const further = next === undefined ? {} : { [`${name}, the next page`]: next.replace(service.url, "") }
    for (const [page, path] of Object.entries({ [name]: first, ...further }))
      console.log(`  ${page.padEnd(60)} ${await askPages(service, () => path, { runs, warmUp, server })}`)
  }
  await service.stop()
}
