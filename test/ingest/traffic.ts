/** Random events of all standards and swaps among few tokens, ids, pools and people: so that they meet often. */
import type { Random } from "../../demo/chain/random.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import {
  address,
  consecutiveTransfer,
  deposit,
  initialize,
  managedSwap,
  multiTransfer,
  nftTransfer,
  swap,
  TestChain,
  type TestEvent,
  transfer,
  withdrawal,
} from "../support/chain/testChain.ts"

export const weth = address(0x7e)
/** Of `index` 0 to 4; the last two also emit ERC-721 and ERC-1155, the ones beside them nothing else. */
export const token = (index: number) => address(0x70 + index)

export const manager = address(0x4a)
/** The last is no pool. */
const swapped = [address(0x51), address(0x52), address(0x5f)]
const managedId = (number: number) => `0x${String(number).padStart(64, "0")}`

/** A chain that is followed as these events want it, and knows their pools. */
export const newTrafficChain = (): TestChain => {
  const chain = new TestChain(new Set([weth]), 0, undefined, new Set([manager]))
  const facts = { token0: token(1), token1: token(2), decimals0: 18, decimals1: 6 }
  for (const pool of swapped.slice(0, 2)) chain.pools.set(pool, { pool, ...facts, factory: address(0xfac) })
  return chain
}

/** Mints, burns, mints again, ids sent by who does not own them, batches with an id twice and empty ones. */
export const randomEvent = (random: Random): TestEvent => {
  const person = () => (random.chance(0.15) ? zeroAddress : address(0xa0 + random.below(4)))
  const art = () => token(3 + random.below(3))
  const goods = () => token(4 + random.below(3))
  const id = () => (random.chance(0.05) ? 2n ** 256n - 1n : BigInt(random.below(9)))
  const units = (count: number) => Array.from({ length: count }, () => [id(), random.amount(40)] as const)
  const sides = () => ({ paid0: random.chance(0.5), paid: 1n + random.amount(100), got: 1n + random.amount(100) })
  switch (random.below(20)) {
    case 16:
    case 17:
      return swap(random.pick(swapped), sides())
    case 18:
      return managedSwap(manager, managedId(random.below(4)), sides())
    case 19:
      return initialize(manager, managedId(random.below(3)), zeroAddress, token(1))
    case 0:
      return deposit(weth, person(), random.amount(128))
    case 1:
      return withdrawal(weth, person(), random.amount(90))
    case 2:
    case 3:
      return transfer(token(random.below(5)), zeroAddress, person(), random.amount(256))
    case 4:
    case 5:
      return nftTransfer(art(), zeroAddress, person(), id())
    case 6:
    case 7:
    case 8:
      return nftTransfer(art(), person(), person(), id())
    case 9:
      return consecutiveTransfer(
        art(),
        random.chance(0.5) ? zeroAddress : person(),
        person(),
        4n,
        BigInt(5 + random.below(6)),
      )
    case 10:
    case 11:
      return multiTransfer(goods(), random.chance(0.5) ? zeroAddress : person(), person(), units(1))
    case 12:
    case 13:
      return multiTransfer(goods(), random.chance(0.3) ? zeroAddress : person(), person(), units(random.below(5)))
    default:
      return transfer(random.chance(0.2) ? weth : token(random.below(5)), person(), person(), random.amount(100))
  }
}
