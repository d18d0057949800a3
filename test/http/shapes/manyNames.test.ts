/** Names of chains in requests of other services: however many there are, each followed chain is looked at a few times. */
import { expect, test } from "bun:test"
import { parseQuery } from "../../../src/adapters/http/contract/query.ts"
import { alchemyTokens } from "../../../src/adapters/http/shapes/alchemy.ts"
import { simBalances } from "../../../src/adapters/http/shapes/sim.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import type { Chain } from "../../../src/ports/Networks.ts"

/** Chains that count how often their ids are looked at. */
const followedBy = (count: number) => {
  const looked = { times: 0 }
  const chains = Array.from({ length: count }, (_, place): Chain => {
    const chainId = ChainId.make(String(place + 1))
    return {
      network: "mainnet",
      ecosystems: [],
      get chainId() {
        looked.times++
        return chainId
      },
    }
  })
  return { looked, chains }
}

const names = Array.from({ length: 10_000 }, (_, place) => (place % 2 === 0 ? "moon" : `moon${place}`))
const wanted = ["5", "7", "56"].map((id) => ChainId.make(id))
const param = () => ""

test.each([
  [
    "Alchemy",
    alchemyTokens,
    {
      query: [],
      body: JSON.stringify({ addresses: [{ address: "", networks: [...names, "7", "bnb-mainnet", "5"] }] }),
    },
  ],
  ["Sim", simBalances, { query: parseQuery(`chain_ids=${[...names, "7", "bnb", "5"]}`) }],
] as const)("of %s's", (_, { foreign }, asked) => {
  const { looked, chains } = followedBy(100)
  expect(foreign!.chainsOf({ param, ...asked }, chains)).toEqual(wanted)
  expect(looked.times).toBeLessThan(10 * chains.length)
})
