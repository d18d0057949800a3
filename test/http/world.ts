/** Two small seeded chains for the tests of single answers. */
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { type ServiceOptions, startService, store } from "./support.ts"

export const gold = address(0xa1)
export const salt = address(0xa2)
export const other = address(0xb1)
/** ERC-721 and ERC-1155 of chain 43114, and of chain 1. */
export const apes = address(0xa721)
export const potions = address(0xa1155)
export const cats = address(0xb721)
export const gems = address(0xb1155)
export const zero = address(0)
export const ann = address(0xc1)
export const bob = address(0xc2)
export const cid = address(0xc3)

/** Chain 43114, blocks 0 to 4. ERC-20 comes first in each block. */
export const avalanche = () =>
  new TestChain()
    .block()
    .block([
      transfer(gold, zero, ann, 1000n),
      ...[1n, 2n, 10n, 2n ** 256n - 1n].map((id) => nftTransfer(apes, zero, ann, id)),
    ])
    .block([
      transfer(gold, ann, bob, 250n),
      transfer(salt, zero, bob, 7n),
      nftTransfer(apes, ann, bob, 2n),
      multiTransfer(potions, zero, ann, [
        [1n, 10n],
        [2n, 5n],
      ]),
    ])
    .block([
      transfer(gold, bob, cid, 50n),
      transfer(gold, ann, zero, 100n),
      nftTransfer(apes, ann, zero, 10n),
      multiTransfer(potions, ann, bob, [[1n, 4n]]),
    ])
    .block()

/** Chain 1, blocks 20 to 22: the history before is not known. */
export const ethereum = () =>
  new TestChain(new Set(), 20, 1_700_000_030)
    .block()
    .block([
      transfer(other, zero, ann, 3n),
      nftTransfer(cats, zero, ann, 7n),
      multiTransfer(gems, zero, bob, [[5n, 2n ** 256n - 1n]]),
    ])
    .block([transfer(other, ann, bob, 3n)])

/** Chains 1 and 43114 are stored; 10 and 43113 are configured and empty. */
export const startWorld = async (options: ServiceOptions = {}) => {
  const service = await startService(options)
  const writer = await store(service, "43114", avalanche(), {
    [gold]: { name: "Gold", symbol: "AU", decimals: 18 },
    [apes]: { name: "Apes", symbol: "APE" },
  })
  await store(service, "1", ethereum(), { [other]: { name: "Other" } })
  return { ...service, writer }
}
