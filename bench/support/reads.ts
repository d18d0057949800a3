/** How long reads take over HTTP on the ledger that was just made: first pages, and page 10,000 of the feed. */
import type { Service } from "./children.ts"

const tries = 41
const deepPage = 10_000

/** Lines for `format`, milliseconds. `pages`: how many the feed has at most. */
export const readLines = async (service: Service, chainId: number, pages: number) => {
  const root = `${service.url}/v2/network/mainnet/evm/${chainId}`
  const get = async (url: string) => {
    const response = await fetch(url)
    const body = (await response.json()) as {
      items?: ReadonlyArray<{ address?: string }>
      link?: { nextToken?: string }
    }
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
    return body
  }
  const p50 = async (url: string) => {
    const times: Array<number> = []
    for (let count = 0; count < tries; count++) {
      const start = performance.now()
      await get(url)
      times.push(performance.now() - start)
    }
    return times.sort((a, b) => a - b)[(tries - 1) / 2]!
  }
  const byHolders = await (await fetch(`${root}/erc20?limit=1&sort=holdersCount`)).text()
  const hot = /0x[0-9a-f]{40}/u.exec(byHolders)![0]
  const feed = `${root}/erc20-transfers?limit=100`
  let next: string | undefined
  const deep = Math.min(deepPage, pages - 2)
  for (let page = 1; page < deep; page++)
    next = (await get(next === undefined ? feed : `${feed}&next=${next}`)).link?.nextToken
  return [
    ["transfers of the chain, page 1, p50 ms", await p50(feed), 2],
    [`transfers of the chain, page ${deep}, p50 ms`, await p50(`${feed}&next=${next}`), 2],
    [
      "transfers of the token with most holders, page 1, p50 ms",
      await p50(`${root}/erc20-transfers?tokenAddress=${hot}&limit=100`),
      2,
    ],
    ["its holders, page 1, p50 ms", await p50(`${root}/erc20/${hot}/holders?limit=100`), 2],
    ["tokens by holders, page 1, p50 ms", await p50(`${root}/erc20?limit=100&sort=holdersCount`), 2],
  ] as const
}
