/** The endpoint table against the contract's two tables: fails if a row, a parameter or a description is missing. */
import { describe, expect, test } from "bun:test"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { examples } from "../../../src/adapters/http/openapi/examples.ts"

const prefix = "/v2/network/{networkId}/evm/{chainId}"
const selectors = ["ecosystem", "includedChainIds", "excludedChainIds"]
const paging = ["count", "next", "nextToken", "prev", "prevToken"]
const filters = ["from", "to", "address"]
const range = ["blockNumberFrom", "blockNumberTo", "timestampFrom", "timestampTo", "finality"]
const rows = [...range, "txHash"]
const blocks = [...rows, "trusted", "include"]
const held = ["standard", "trusted", "minValueUsd"]
const asOf = ["blockNumber", "timestamp", "blockHash", "finality"]

/** Path, parameters of interface.md (and ours) in order, marked (F) or not. */
const native: ReadonlyArray<readonly [path: string, parameters: ReadonlyArray<string>, narrowed: "F" | ""]> = [
  ["/erc1155", ["sort", "limit", "tokenAddress", "search"], "F"],
  ["/erc1155-transfers", ["tokenAddress", "sort", "limit", ...filters, "tokenId", ...blocks], "F"],
  ["/erc1155/{address}/holders", ["limit", ...asOf, "minBalance", "address", "excludeContracts", "include"], ""],
  ["/erc20", ["sort", "limit", "tokenAddress", "search", "trusted"], "F"],
  ["/erc20-swaps", ["token", "tokenIn", "tokenOut", "sort", "limit", ...rows, "trusted"], "F"],
  ["/erc20-transfers", ["tokenAddress", "sort", "limit", ...filters, ...blocks], "F"],
  ["/erc20/{address}/holders", ["limit", ...asOf, "minBalance", "address", "excludeContracts", "include"], ""],
  ["/erc20/{address}/holders/diff", ["limit", ...range], ""],
  ["/erc20/{address}/supply/history", ["sort", "limit", ...range], ""],
  ["/erc20/{address}/price/history", ["sort", "limit", "timestampFrom", "timestampTo", "finality"], ""],
  ["/erc721", ["sort", "limit", "tokenAddress", "search"], "F"],
  ["/erc721-transfers", ["tokenAddress", "sort", "limit", ...filters, "tokenId", ...blocks], "F"],
  ["/erc721/{address}/holders", ["limit", ...asOf, "minBalance", "address", "excludeContracts", "include"], ""],
  ["/erc721/{address}/tokens", ["limit", ...asOf], ""],
  ["/address/{address}/approvals", ["limit"], ""],
  ["/address/{address}/tokens", [...held, "tokenAddress", "sort", "detail", "limit", ...asOf], "F"],
  ["/tokens-of", ["address", ...held, "tokenAddress", "sort", "detail", "limit", ...asOf], "F"],
  ["/address/{address}/portfolio/history", ["interval", "standard", "trusted", "sort", "limit", ...range], "F"],
  ["/address/{address}/tokens/{token}/balances", ["standard", "tokenId", "sort", "limit", ...range], ""],
  ["/supply", [], ""],
  ["/top-erc20", ["sort", "limit"], "F"],
]

test("the endpoints of the contract, in its order", () => {
  const ofContract = [
    ...native.map(([path]) => prefix + path),
    `${prefix}/compat/api`,
    `${prefix}/compat/api/`,
    `${prefix}/etherscan/api`,
    `${prefix}/etherscan/api/`,
    ...["/v2/api", "/api", "/{chainId}/api"].flatMap((path) => [path, `${path}/`]),
    "/v2/chainlist",
    "/v2/status/audit",
    "/health",
    "/ready",
  ]
  expect(endpoints.map(({ path }) => path).filter((path) => ofContract.includes(path))).toEqual(ofContract)
})

test("the endpoints, in the order in which their answers are recorded", () => {
  const natives = endpoints.filter(({ style }) => style === "native")
  // A path with a slash behind it is the same endpoint.
  expect([...new Set(natives.map(({ id }) => id))]).toEqual(Object.keys(examples.answers))
  expect(endpoints.length).toBe(natives.length + 10)
})

test.each(native)("%s documents its parameters in the order of the contract", (path, parameters, narrowed) => {
  const endpoint = endpoints.find((candidate) => candidate.path === prefix + path)
  const shared = path === "/supply" ? [] : [...(narrowed === "F" ? selectors : []), ...paging]
  expect(Object.keys(endpoint?.doc.query ?? {})).toEqual([...parameters, ...shared])
})

test("the audit documents its parameters", () => {
  const endpoint = endpoints.find(({ id }) => id === "status/audit")
  expect(Object.keys(endpoint?.doc.query ?? {})).toEqual(["chainId", "state", "tokenAddress", "limit", ...paging])
})

const transferParameters = [
  ...["address", "contractaddress", "from", "to", "fromto_opr", "startblock", "endblock", "sort", "page", "offset"],
]

/** Module, action, its other parameters. */
const compat: ReadonlyArray<readonly [module: string, action: string, parameters: ReadonlyArray<string>]> = [
  ["stats", "tokensupply", ["contractaddress"]],
  ["account", "tokenbalance", ["address", "contractaddress", "tag"]],
  ["stats", "tokensupplyhistory", ["contractaddress", "blockno"]],
  ["account", "tokenbalancehistory", ["address", "contractaddress", "blockno"]],
  ["token", "tokenholderlist", ["contractaddress", "blockno", "page", "offset"]],
  ["token", "tokenholdercount", ["contractaddress", "blockno"]],
  ["token", "tokeninfo", ["contractaddress"]],
  ["account", "addresstokenbalance", ["address", "blockno", "page", "offset"]],
  ["account", "addresstokennftbalance", ["address", "blockno", "page", "offset"]],
  ["account", "addresstokennftinventory", ["address", "contractaddress", "blockno", "page", "offset"]],
  ...["tokentx", "tokennfttx", "token1155tx"].map((action) => ["account", action, transferParameters] as const),
  ["account", "balance", ["address", "tag"]],
  ["account", "balancemulti", ["address", "tag"]],
  ["account", "balancehistory", ["address", "blockno"]],
  ["stats", "ethprice", []],
  ["block", "getblocknobytime", ["timestamp", "closest"]],
  ["token", "topholders", ["contractaddress", "blockno", "page", "offset"]],
  ["account", "addresstoken1155balance", ["address", "blockno", "page", "offset"]],
  ["account", "addresstoken1155inventory", ["address", "contractaddress", "blockno", "page", "offset"]],
  ["account", "tokenlist", ["address", "blockno"]],
  ["token", "getToken", ["contractaddress"]],
  ["token", "getTokenHolders", ["contractaddress", "blockno", "page", "offset"]],
  ["getapilimit", "getapilimit", []],
]

test("the compatibility actions with their parameters, in the order of the contract; getapilimit is an extra", () => {
  const rows = actions.map(({ module, action, doc }) => [module, action, Object.keys(doc.query)] as const)
  expect(rows).toEqual(compat.map(([module, action, parameters]) => [module, action, [...parameters]]))
})

describe("every endpoint and action", () => {
  test("says what it is and what it answers", () => {
    for (const { doc } of endpoints) {
      expect(doc.summary).not.toBe("")
      expect(doc.body).toBeDefined()
    }
    for (const { doc } of actions) {
      expect(doc.summary).not.toBe("")
      expect(doc.result).toBeDefined()
    }
  })

  test("describes each parameter", () => {
    for (const { description, schema } of [...endpoints, ...actions].flatMap(({ doc }) => Object.values(doc.query))) {
      expect(description).not.toBe("")
      expect(schema.type).toBeDefined()
    }
  })
})
