/** Events, blocks and pauses of every kind, for property tests: few tokens, ids and people, who meet again and again. */
import fc from "fast-check"
import { managedPool, type PoolKey } from "../../../src/model/poolKey.ts"
import { type Address, zeroAddress } from "../../../src/model/primitives.ts"
import {
  address,
  consecutiveTransfer,
  deposit,
  initialize,
  managedSwap,
  multiTransfer,
  nftTransfer,
  oddEvents,
  swap,
  TestChain,
  type TestEvent,
  transfer,
  withdrawal,
} from "./testChain.ts"

export const weth = address(0x71)
/** One emits all three standards, one two of them. */
const mixed = address(0x73)
const tokens = [address(0x72), mixed, address(0x74), weth]
const collections = [address(0x75), mixed, address(0x76)]
const multis = [address(0x77), mixed, address(0x76)]
/** Who is in them. */
export const people = [zeroAddress, address(1), ...[1, 2, 3, 4].map((number) => address(2 ** 40 * number + 0xa1))]

const amount = fc.oneof(
  fc.bigInt(0n, 20n),
  fc.constantFrom(0n, 2n ** 64n, 2n ** 127n, 2n ** 127n - 1n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n),
)
const person = fc.constantFrom(...people)
const id = fc.constantFrom(0n, 1n, 2n, 3n, 10n ** 18n, 2n ** 256n - 1n)
const consecutive = fc
  .tuple(fc.constantFrom(...collections), person, person, fc.bigInt(0n, 3n), fc.bigInt(1n, 3n))
  .map(([token, from, to, first, more]) => consecutiveTransfer(token, from, to, first, first + more))
const units = fc.array(fc.tuple(id, amount), { maxLength: 4 })

const odd = fc
  .tuple(fc.constantFrom(...multis), person, person, fc.nat(4))
  .map(([token, from, to, which]) => oddEvents(token, address(0x0b), from, to)[which]!)

const manager = address(0x4a)
const idOf = (number: number) => `0x${String(number).padStart(64, "0")}`
/** What pools hold: tokens with transfers and without, the native currency. */
const held = [weth, mixed, address(0x79), zeroAddress]
const poolOf = <Key extends PoolKey>(pool: Key, asset0: number, asset1: number, factory?: Address) => ({
  pool,
  token0: held[asset0]!,
  token1: held[asset1]!,
  decimals0: asset0 * 6,
  decimals1: asset1 * 6,
  ...(factory === undefined ? {} : { factory }),
})
const contracts = [
  poolOf(address(0x51), 0, 1, address(0xfac)),
  poolOf(address(0x52), 1, 0),
  poolOf(address(0x53), 2, 0, address(0xfac)),
]
const managed = [
  poolOf(managedPool(manager, idOf(1)), 3, 0, manager),
  poolOf(managedPool(manager, idOf(2)), 3, 2, manager),
  poolOf(managedPool(manager, idOf(3)), 0, 1, manager),
]
/** Nobody knows the last. */
const swapped = fc.constantFrom(...contracts.map(({ pool }) => pool), address(0x54))
const swappedId = fc.constantFrom(1, 2, 3, 4).map(idOf)
const started = fc
  .constantFrom(...managed)
  .map(({ pool, token0, token1 }) => initialize(manager, pool.slice(43), token0, token1))
const sides = (most: bigint) => {
  const quantity = fc.oneof(fc.bigInt(1n, 20n), fc.constantFrom(10n ** 18n, most))
  return fc.record({ paid0: fc.boolean(), paid: quantity, got: quantity })
}

/** Any event, true or lying: who loses what he does not have is part of it. */
export const anyEvent: fc.Arbitrary<TestEvent> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...tokens), person, person, amount).map((it) => transfer(...it)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map((it) => deposit(weth, ...it)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map((it) => withdrawal(weth, ...it)) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom(...collections), person, person, id).map((it) => nftTransfer(...it)),
  },
  { weight: 1, arbitrary: consecutive },
  { weight: 2, arbitrary: odd },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...multis), person, person, units).map((it) => multiTransfer(...it)),
  },
  { weight: 3, arbitrary: fc.tuple(swapped, sides(2n ** 256n - 1n)).map((it) => swap(...it)) },
  {
    weight: 3,
    arbitrary: fc.tuple(swappedId, sides(2n ** 127n - 1n)).map((it) => managedSwap(manager, ...it)),
  },
  { weight: 1, arbitrary: started },
)

/** In and out again: a block that touches pairs and changes nothing. */
const netZero = fc
  .tuple(fc.constantFrom(...tokens), amount)
  .map(([token, value]) => [
    transfer(token, people[1]!, people[2]!, value),
    transfer(token, people[2]!, people[1]!, value),
  ])
const depositsOnly = fc.array(
  fc.tuple(person, amount).map(([who, value]) => deposit(weth, who, value)),
  { minLength: 1, maxLength: 3 },
)

export interface AnyBlock {
  readonly events: ReadonlyArray<TestEvent>
  /** Seconds after the block before. */
  readonly pause: number
}

/** Pauses that bring rows to the very edge of the rolling counts, past it, or past all of them. */
const pause = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 0, 12, 12) },
  { weight: 2, arbitrary: fc.constantFrom(3600 * 8, 3600 * 12, 3600 * 24 - 1, 3600 * 24, 3600 * 24 + 1, 3600 * 72) },
)

export const anyBlock: fc.Arbitrary<AnyBlock> = fc.record({
  events: fc.oneof(
    { weight: 6, arbitrary: fc.array(anyEvent, { maxLength: 7 }) },
    { weight: 1, arbitrary: netZero },
    { weight: 1, arbitrary: depositsOnly },
  ),
  pause,
})

/** A chain that is followed as the events want it: wrapped native, the pool manager, and the facts of all pools but the unknown ones. */
export const anyChain = (firstBlock = 0): TestChain => {
  const chain = new TestChain(new Set([weth]), firstBlock, undefined, new Set([manager]))
  for (const facts of [...contracts, ...managed]) chain.pools.set(facts.pool, facts)
  return chain
}
export const anyChainSettings = { wrappedNative: [weth], poolManagers: [manager] }
