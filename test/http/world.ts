/** Two small seeded chains for the tests of single answers. */
import { address, TestChain, transfer } from "../support/testChain.ts"
import { type ServiceOptions, startService, store } from "./support.ts"

export const gold = address(0xa1)
export const salt = address(0xa2)
export const other = address(0xb1)
export const zero = address(0)
export const ann = address(0xc1)
export const bob = address(0xc2)
export const cid = address(0xc3)

/** Chain 43114, blocks 0 to 4. */
export const avalanche = () =>
  new TestChain()
    .block()
    .block([transfer(gold, zero, ann, 1000n)])
    .block([transfer(gold, ann, bob, 250n), transfer(salt, zero, bob, 7n)])
    .block([transfer(gold, bob, cid, 50n), transfer(gold, ann, zero, 100n)])
    .block()

/** Chain 1, blocks 20 to 22: the history before is not known. */
export const ethereum = () =>
  new TestChain(new Set(), 20, 1_700_000_030)
    .block()
    .block([transfer(other, zero, ann, 3n)])
    .block([transfer(other, ann, bob, 3n)])

/** Chains 1 and 43114 are stored; 10 and 43113 are configured and empty. */
export const startWorld = async (options: ServiceOptions = {}) => {
  const service = await startService(options)
  const writer = await store(service, "43114", avalanche(), { [gold]: { name: "Gold", symbol: "AU", decimals: 18 } })
  await store(service, "1", ethereum(), { [other]: { name: "Other" } })
  return { ...service, writer }
}
