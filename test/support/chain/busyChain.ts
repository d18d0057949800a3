/** A long chain on which everything happens, and all that a service answers about it. */
import { randomOf } from "../../../demo/chain/random.ts"
import { managedPool } from "../../../src/model/poolKey.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { type Json, prefix, startService, store } from "../../http/support.ts"
import {
  address,
  consecutiveTransfer,
  initialize,
  managedSwap,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
} from "./testChain.ts"

export const chainId = ChainId.make("43114")
export const past = 4000
export const live = 150
const tokens = [1, 2, 3, 4, 5].map((n) => address(0x7000 + n))
/** The first two are ERC-721, the others ERC-1155. */
const collections = [1, 2, 3, 4].map((n) => address(0x7100 + n))
const zero = address(0)
/** Its pools tell their tokens themselves; the node knows no contract that could tell decimals. */
export const manager = address(0x7200)
const poolId = (number: number) => `0x${String(number).padStart(64, "0")}`

/** Mints, burns and transfers of every standard between people of whom there are ever more. */
/** `blocks`: how long. */
export const busyChain = (seed: number, blocks = past + live): TestChain => {
  const random = randomOf(seed)
  const chain = new TestChain(new Set(), 0, undefined, new Set([manager]))
  const pools = [1, 2, 3].map((number) => ({
    pool: managedPool(manager, poolId(number)),
    token0: tokens[0]!,
    token1: tokens[number]!,
    decimals0: 0,
    decimals1: 0,
    factory: manager,
  }))
  for (const facts of pools) chain.pools.set(facts.pool, facts)
  for (let block = 0; block < blocks; block++) {
    const person = () => address(0xa000 + random.below(20 + block / 10))
    const id = () => BigInt(random.below(300))
    chain.block(
      Array.from({ length: random.below(6) }, () => {
        const from = random.chance(0.4) ? zero : person()
        const to = random.chance(0.1) ? zero : person()
        if (random.chance(0.02)) {
          const { token0, token1 } = pools[0]!
          const number = random.below(3)
          return initialize(manager, poolId(number + 1), token0, pools[number]?.token1 ?? token1)
        }
        if (random.chance(0.1)) {
          const sides = { paid0: random.chance(0.5), paid: 1n + random.amount(60), got: 1n + random.amount(60) }
          return managedSwap(manager, poolId(1 + random.below(3)), sides)
        }
        if (random.chance(0.7)) return transfer(random.pick(tokens), from, to, BigInt(random.below(1000)))
        const [first, second, ...others] = collections as [Address, Address]
        if (random.chance(0.05)) return consecutiveTransfer(first, zero, person(), id(), 305n)
        if (random.chance(0.5)) return nftTransfer(random.pick([first, second]), from, to, id())
        const count = random.below(4)
        return multiTransfer(
          random.pick(others),
          from,
          to,
          Array.from({ length: count }, () => [id() % 20n, BigInt(random.below(100))] as const),
        )
      }),
    )
  }
  return chain
}

/** Everything worth comparing, page by page. */
export const answersOf = async (get: (path: string) => Promise<Json>, blocks = past + live): Promise<Json> => {
  const walk = async (path: string) => {
    const items: Array<Json> = []
    for (let next: string | undefined = `${path}limit=1000&count=true`; next !== undefined; ) {
      const page: Json = await get(next)
      items.push(...page.items, page.count)
      next = page.link.next
    }
    return items
  }
  const base = prefix(chainId)
  const lists = [
    `${base}/erc20?`,
    `${base}/erc20-transfers?`,
    ...tokens.map((token) => `${base}/erc20/${token}/holders?`),
    ...["erc721", "erc1155"].flatMap((standard) => [
      `${base}/${standard}?`,
      `${base}/${standard}-transfers?`,
      ...collections.map((token) => `${base}/${standard}/${token}/holders?`),
    ]),
    ...collections.map((token) => `${base}/erc721/${token}/tokens?`),
    `${base}/erc20-swaps?`,
  ]
  const history = [0, 1000, blocks - live - 1, blocks - 1].flatMap((block) =>
    [...tokens, ...collections].flatMap((token) => [
      `module=stats&action=tokensupplyhistory&contractaddress=${token}&blockno=${block}`,
      ...[0, 7, 30].map(
        (who) =>
          `module=account&action=tokenbalancehistory&contractaddress=${token}&address=${address(0xa000 + who)}&blockno=${block}`,
      ),
    ]),
  )
  return {
    lists: await Promise.all(lists.map(walk)),
    history: await Promise.all(history.map((query) => get(`${base}/compat/api?${query}`))),
  }
}

/** The same of a service that was given the chain at once, without any fault. */
export const truthOf = async (chain: TestChain): Promise<Json> => {
  const reference = await startService()
  await store(reference, chainId, chain)
  const wanted = await answersOf(async (path) => (await reference.get(path)).body, chain.nextBlock)
  await reference.close()
  return wanted
}
