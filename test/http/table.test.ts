/** The endpoint table against the contract's: fails if a row is missing. */
import { expect, test } from "bun:test"
import { actions } from "../../src/adapters/http/compat/actions.ts"
import { endpoints } from "../../src/adapters/http/endpoints.ts"

const prefix = "/v2/network/{networkId}/evm/{chainId}"

test("the endpoints, in the order of the contract", () => {
  expect(endpoints.map(({ path }) => path)).toEqual([
    `${prefix}/erc20`,
    `${prefix}/erc20-transfers`,
    `${prefix}/erc20/{address}/holders`,
    `${prefix}/compat/api`,
    `${prefix}/compat/api/`,
    `${prefix}/etherscan/api`,
    `${prefix}/etherscan/api/`,
    "/health",
    "/ready",
  ])
})

test("the compatibility actions, in the order of the contract", () => {
  expect(actions.map(({ module, action }) => [module, action])).toEqual([
    ["stats", "tokensupply"],
    ["account", "tokenbalance"],
    ["stats", "tokensupplyhistory"],
    ["account", "tokenbalancehistory"],
    ["token", "tokenholderlist"],
    ["token", "tokenholdercount"],
    ["token", "tokeninfo"],
    ["account", "addresstokenbalance"],
  ])
})
