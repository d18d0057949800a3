/** Holds the service's answers against the truth: each function returns how many it compared and every difference it found. */
import { inParallel, type Service } from "./service.ts"
import { askNode, holdersOf, type Truth } from "./truth.ts"

export interface Verdict {
  readonly compared: number
  readonly differences: ReadonlyArray<string>
}

/** Chain id 31337 in network mainnet. */
export const chainPath = "/v2/network/mainnet/evm/31337"
const compat = (query: string) => `${chainPath}/compat/api?${query}`

/** How many calls are under way at once. */
const width = 24

class Comparison {
  compared = 0
  readonly differences: string[] = []
  equal(what: string, ours: unknown, truth: unknown) {
    this.compared += 1
    const [a, b] = [JSON.stringify(ours), JSON.stringify(truth)]
    if (a !== b) this.differences.push(`${what}: ${a} instead of ${b}`)
  }
}

const scalar = async (service: Service, query: string): Promise<string> => {
  const { status, message, result } = await service.get<{ status: string; message: string; result: string }>(
    compat(query),
  )
  return status === "1" && message === "OK" ? result : `${status} ${message} ${result}`
}

/** tokenbalancehistory and tokensupplyhistory of every token and holder at every block, against the node's own answers. */
export const compareHistory = async (
  service: Service,
  nodeUrl: string,
  census: string,
  blocks: ReadonlyArray<number>,
  tokens: ReadonlyArray<string>,
  holders: ReadonlyArray<string>,
): Promise<Verdict> => {
  const answers = await askNode(nodeUrl, census, blocks, tokens, holders)
  const verdict = new Comparison()
  const cases = blocks.flatMap((block, at) => tokens.map((token) => ({ block, token, node: answers[at]! })))
  await inParallel(cases, width, async ({ block, token, node }) => {
    const about = `contractaddress=${token}&blockno=${block}`
    const supply = await scalar(service, `module=stats&action=tokensupplyhistory&${about}`)
    verdict.equal(`supply of ${token} at ${block}`, supply, `${node.supply(token)}`)
    for (const holder of holders) {
      const query = `module=account&action=tokenbalancehistory&${about}&address=${holder}`
      verdict.equal(`${token} of ${holder} at ${block}`, await scalar(service, query), `${node.balance(token, holder)}`)
    }
  })
  return verdict
}

/** Current balances, supplies, holder lists and counts of both styles, holdings of each address, against the folded logs. */
export const compareState = async (service: Service, { tokens }: Truth): Promise<Verdict> => {
  const verdict = new Comparison()
  const addresses = new Set([...tokens.values()].flatMap(({ balances }) => [...balances.keys()]))
  await inParallel([...tokens], width, async ([address, token]) => {
    const about = `contractaddress=${address}`
    const holders = holdersOf(token)
    const supply = await scalar(service, `module=stats&action=tokensupply&${about}`)
    verdict.equal(`supply of ${address}`, supply, `${token.supply}`)
    const count = await scalar(service, `module=token&action=tokenholdercount&${about}`)
    verdict.equal(`holder count of ${address}`, count, `${holders.length}`)
    const rows = await walk<{ address: string; balance: string }>(
      service,
      `${chainPath}/erc20/${address}/holders?limit=7`,
    )
    verdict.equal(
      `holders of ${address}`,
      rows.map((row) => [row.address, row.balance]),
      holders.map(([holder, balance]) => [holder, `${balance}`]),
    )
    const listed = await service.get<{ result: ReadonlyArray<Record<string, string>> }>(
      compat(`module=token&action=tokenholderlist&${about}&page=1&offset=10000`),
    )
    verdict.equal(
      `tokenholderlist of ${address}`,
      listed.result,
      holders.map(([holder, balance]) => ({ TokenHolderAddress: holder, TokenHolderQuantity: `${balance}` })),
    )
  })
  await inParallel([...addresses], width, async (address) => {
    const { result } = await service.get<{ result: ReadonlyArray<Record<string, string>> }>(
      compat(`module=account&action=addresstokenbalance&address=${address}&page=1&offset=10000`),
    )
    verdict.equal(
      `holdings of ${address}`,
      result.map((row) => [row.TokenAddress, row.TokenQuantity]),
      [...tokens]
        .map(([token, { balances }]) => [token, balances.get(address) ?? 0n] as const)
        .filter(([, balance]) => balance > 0n)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([token, balance]) => [token, `${balance}`]),
    )
  })
  return verdict
}

/** The feed of the chain and of each token, both ways, against the node's logs; and which tokens are listed at all. */
export const compareFeeds = async (service: Service, truth: Truth): Promise<Verdict> => {
  const verdict = new Comparison()
  const expected = truth.transfers.map((row) => ({
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    timestamp: new Date(row.time * 1000).toISOString(),
    amount: `${row.amount}`,
    tokenAddress: row.token,
  }))
  const feed = async (query: string) =>
    (await walk<(typeof expected)[number]>(service, `${chainPath}/erc20-transfers?${query}`)).map((row) => ({
      blockNumber: row.blockNumber,
      txHash: row.txHash,
      logIndex: row.logIndex,
      from: row.from,
      to: row.to,
      timestamp: row.timestamp,
      amount: row.amount,
      tokenAddress: row.tokenAddress,
    }))
  verdict.equal("the feed, oldest first", await feed("sort=asc&limit=1000"), expected)
  verdict.equal("the feed, newest first", await feed("limit=1000"), expected.toReversed())
  for (const token of truth.tokens.keys())
    verdict.equal(
      `the feed of ${token}`,
      await feed(`tokenAddress=${token}&sort=asc&limit=100`),
      expected.filter((row) => row.tokenAddress === token),
    )
  const listed = await walk<{ address: string }>(service, `${chainPath}/erc20?limit=3`)
  verdict.equal("the tokens listed", listed.map((row) => row.address).sort(), [...truth.tokens.keys()].sort())
  return verdict
}

/** All items of a list, page after page by `link.next`. */
export const walk = async <Item>(service: Service, path: string): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: { items: ReadonlyArray<Item>; link: { next?: string } } = await service.get(next)
    items.push(...page.items)
    next = page.link.next
  }
  return items
}
