/** What each request costs: every endpoint that reads the store says so, and parameters decide. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import type { Cost } from "../../../src/adapters/http/contract/cost.ts"
import { wantedMediaType } from "../../../src/adapters/http/contract/mediaType.ts"
import { pathParameters } from "../../../src/adapters/http/contract/path.ts"
import { parseQuery } from "../../../src/adapters/http/contract/query.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { simBalances } from "../../../src/adapters/http/shapes/sim.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { type Chain, Networks } from "../../../src/ports/Networks.ts"
import { prefix } from "../support.ts"
import { ann, gold } from "../world.ts"

const manyChains: ReadonlyArray<Chain> = Array.from({ length: 17 }, (_, number) => ({
  chainId: ChainId.make(String(number + 1)),
  network: "mainnet",
  ecosystems: number < 3 ? ["few"] : [],
}))

const costOf = (
  path: string,
  accept?: string,
  chains: ReadonlyArray<Chain> = manyChains.slice(0, 16),
): Cost | undefined => {
  const [plain = "", query = ""] = path.split("?")
  const segments = plain.split("/").length
  const endpoint = [...endpoints, simBalances].find(({ path }) => {
    const parts = path.split("/")
    return parts.length === segments && parts.every((part, at) => part.startsWith("{") || part === plain.split("/")[at])
  })
  if (endpoint === undefined) throw new Error(`no endpoint: ${path}`)
  const named = pathParameters(endpoint.path, plain)
  const asked = {
    param: (name: string) => named.get(name) ?? "",
    query: parseQuery(query),
    media: wantedMediaType(accept),
  }
  const cost = endpoint.cost?.(asked)
  return cost && Effect.runSync(Effect.provideService(cost, Networks, { chains }))
}

const one = prefix("1")
const all = prefix("all")
const compat = `${one}/compat/api?module=`

describe("a request is", () => {
  test.each([
    `${one}/erc20`,
    `${one}/erc20?limit=200&sort=name&count=true`,
    `${one}/erc20?limit=abc`,
    `${one}/erc20-transfers?tokenAddress=${gold}&blockNumberFrom=3`,
    `${one}/erc20-transfers?count=true`,
    `${one}/erc20-swaps?tokenIn=${`${gold},`.repeat(6)}${gold}&tokenOut=${`${gold},`.repeat(6)}${gold}`,
    `${compat}account&action=tokentx&contractaddress=${gold}&offset=10`,
    `${one}/erc20/${gold}/holders?count=true`,
    `${one}/erc721/${gold}/tokens`,
    `${all}/erc20-transfers`,
    `${all}/top-erc20`,
    "/v2/status/audit?state=drift&count=true",
    `${compat}token&action=tokenholderlist&contractaddress=${gold}&page=2&offset=100`,
    `${compat}nothing`,
    `${one}/erc20/${gold}/holders?limit=101`,
    `${one}/erc20/${gold}/holders?limit=1000&next=abc&count=true`,
    `${one}/erc1155/${gold}/holders?limit=1000`,
    `${one}/erc20/${gold}/holders?next=abc`,
    `${one}/erc20-transfers?tokenAddress=${gold}&include=transactionIndex`,
  ])("cheap: %s", (path) => expect(costOf(path)).toBe("cheap"))

  test.each([
    `${compat}account&action=tokenbalance&contractaddress=${gold}&address=${ann}`,
    `${compat}account&action=tokenbalancehistory&contractaddress=${gold}&address=${ann}&blockno=2`,
    `${compat}stats&action=tokensupply&contractaddress=${gold}`,
    `${compat}stats&action=tokensupplyhistory&contractaddress=${gold}&blockno=2`,
    `${compat}token&action=tokenholdercount&contractaddress=${gold}`,
    `${compat}account&action=addresstokenbalance&address=${ann}`,
    `${compat}account&action=addresstokennftbalance&address=${ann}&page=2&offset=100`,
    `${one}/erc20/${gold}/holders`,
    `${one}/erc721/${gold}/holders?limit=100&apikey=abc`,
    `${one}/erc20-transfers?tokenAddress=${gold}&sort=asc`,
    `${one}/erc20-transfers`,
  ])("joined: %s", (path) => expect(costOf(path)).toBe("joined"))

  test.each([`${one}/erc20-transfers?blockNumberFrom=3`, `${all}/erc20-transfers?tokenAddress=${gold}`])(
    "not joined where neither one contract nor the newest of one chain is asked for: %s",
    (path) => expect(costOf(path)).toBe("cheap"),
  )

  test.each([
    `${one}/erc20?limit=201`,
    `${one}/erc20/${gold}/holders?blockNumber=2`,
    `${one}/erc20/${gold}/holders?limit=201&minBalance=1`,
    `${one}/erc20/${gold}/holders?limit=1000&address=${ann}`,
    `${one}/erc721/${gold}/holders?limit=201&excludeContracts=true`,
    `${one}/erc20/${gold}/holders?limit=201&include=isContract`,
    `${one}/erc721/${gold}/holders?blockNumber=2`,
    `${one}/erc1155/${gold}/holders?blockNumber=2`,
    `${one}/erc721/${gold}/tokens?blockNumber=2`,
    `${one}/erc20-transfers?from=${ann}`,
    `${one}/erc20-transfers?to=${ann}`,
    `${one}/erc1155-transfers?address=${ann}`,
    `${one}/erc20-transfers?tokenAddress=${gold}&count=true`,
    `${one}/erc721-transfers?blockNumberTo=7&count=true`,
    `${one}/erc20-swaps?tokenIn=${gold}&count=true`,
    "/v2/status/audit?limit=1000",
    `${compat}token&action=tokenholderlist&contractaddress=${gold}&blockno=2`,
    `${compat}Token&Action=TOKENHOLDERCOUNT&ContractAddress=${gold}&BlockNo=2`,
    `${compat}token&action=tokenholderlist&contractaddress=${gold}&page=3&offset=100`,
    `${compat}account&action=addresstokenbalance&address=${ann}&offset=10000`,
    `${compat}account&action=tokentx&address=${ann}&offset=10`,
    `${compat}account&action=tokennfttx&contractaddress=${gold}&from=${ann}&offset=10`,
    `${compat}account&action=token1155tx&contractaddress=${gold}&to=${ann}&offset=10`,
    `${one}/erc20/${gold}/holders/diff`,
    `${one}/erc20-swaps?tokenIn=${`${gold},`.repeat(6)}${gold}&tokenOut=${`${gold},`.repeat(7)}${gold}`,
    `${one}/erc20/${gold}/holders/diff?blockNumberTo=7&limit=5`,
    `${one}/etherscan/api?module=account&action=addresstokennftinventory&contractaddress=${gold}&address=${ann}&blockno=1`,
  ])("costly: %s", (path) => expect(costOf(path)).toBe("costly"))

  test.each([
    `${compat}account&action=balance&address=${ann}`,
    `${compat}account&action=balancemulti&address=${ann}`,
    `${compat}account&action=balancehistory&address=${ann}&blockno=2`,
    `${compat}proxy&action=eth_blockNumber`,
    `${compat}logs&action=getLogs&address=${gold}`,
  ])("the node's: %s", (path) => expect(costOf(path)).toBe("node"))

  test("a stream, whatever is asked of it", () => {
    expect(costOf(`${one}/erc20?limit=1`, "text/csv")).toBe("stream")
    expect(costOf(`${one}/erc20/${gold}/holders?blockNumber=2`, "application/x-ndjson")).toBe("stream")
    // There is none of it: it is a page.
    expect(costOf("/v2/status/audit", "text/csv")).toBe("cheap")
  })

  test("costly over more chains than are cheap, as the selectors leave them", () => {
    expect(costOf(`${all}/erc20`, undefined, manyChains)).toBe("costly")
    expect(costOf(`${all}/erc20?ecosystem=few`, undefined, manyChains)).toBe("cheap")
    expect(costOf(`${one}/erc20`, undefined, manyChains)).toBe("cheap")
    expect(costOf("/v2/status/audit", undefined, manyChains)).toBe("costly")
    expect(costOf("/v2/network/nowhere/evm/all/erc20", undefined, manyChains)).toBe("cheap")
  })
})

test("balances of many chains are costly, as Sim's clients ask them too", () => {
  const sim = `/v1/evm/balances/${ann}?limit=200`
  expect(costOf(sim, undefined, manyChains)).toBe("costly")
  expect(costOf(`${sim}&chain_ids=1,2`, undefined, manyChains)).toBe("cheap")
})

test("only what reads no list has no cost", () => {
  const free = endpoints.filter(({ cost }) => cost === undefined).map(({ id }) => id)
  expect(free).toEqual(["supply", "chainlist", "chainlist", "health", "ready"])
})
