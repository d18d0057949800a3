/** What happens at the pairs and the pool: trades both ways, shares that come, go and change hands. */

import { encode } from "./abi.ts"
import type { Address } from "./address.ts"
import type { Transaction } from "./blocks.ts"
import type { DemoChain } from "./deploy.ts"
import { liquidityOf, rootPrice, widest } from "./pools.ts"
import { type Action, anyone, providers, type Scene, traders } from "./scene.ts"

const token = 10n ** 18n

/** Fills the pairs, each of which locks its first 1000 shares at the zero address, and the pool: a WETH is 2000 USDD. */
export const firstShares = ({ accounts, pairs, pool, trader, tokens }: DemoChain): ReadonlyArray<Transaction> => {
  const [[shell, dollar], [toll, wrapped]] = [pairs[0].tokens, pairs[1].tokens]
  const [one, another, third] = providers(accounts)
  const [amount0, amount1] = pool.tokens.map((it) => (it === tokens.dollar ? 8_000n * 10n ** 6n : 4n * token)) as [
    bigint,
    bigint,
  ]
  return [
    {
      from: one,
      to: trader,
      data: encode("provide", [pairs[0].address, shell, 50_000n * token, dollar, 20_000n * 10n ** 6n]),
    },
    {
      from: another,
      to: trader,
      data: encode("provide", [pairs[1].address, toll, 3_000n * token, wrapped, 2n * token]),
    },
    { from: third, to: pool.address, data: encode("initialize", [rootPrice(amount0, amount1)]) },
    {
      from: third,
      to: trader,
      data: encode("provideAt", [pool.address, ...widest, liquidityOf(amount0, amount1)]),
    },
  ]
}

/** Subunits that are worth about a tenth of a dollar. */
const dime = ({ chain: { tokens } }: Scene, paid: Address): bigint => {
  if (paid === tokens.dollar) return 10n ** 5n
  return token / (paid === tokens.wrapped ? 20_000n : paid === tokens.shell ? 4n : 13n)
}

const aTrader = ({ random, chain }: Scene) => random.pick(traders(chain.accounts))

const trade: Action = (scene) => {
  const { random, chain } = scene
  const { address, tokens } = random.pick(chain.pairs)
  const [from, paid] = [aTrader(scene), random.pick(tokens)]
  const amount = BigInt(1 + random.below(1000)) * dime(scene, paid)
  const to = random.chance(0.8) ? from : anyone(scene)
  return [{ from, to: chain.trader, data: encode("trade", [address, paid, amount, to]) }]
}

/** By what is paid, or by what is wanted. */
const tradeAtPool: Action = (scene) => {
  const { random, chain } = scene
  const { address, tokens } = chain.pool
  const [from, paid, byPaid] = [aTrader(scene), random.pick(tokens), random.chance(0.7)]
  const counted = byPaid ? paid : tokens.find((it) => it !== paid)!
  const amount = BigInt(1 + random.below(1000)) * dime(scene, counted)
  const to = random.chance(0.8) ? from : anyone(scene)
  return [{ from, to: chain.trader, data: encode("tradeAt", [address, paid, byPaid ? amount : -amount, to]) }]
}

const provide: Action = (scene) => {
  const { address, tokens } = scene.random.pick(scene.chain.pairs)
  const amounts = tokens.map((it) => (it === scene.chain.tokens.dollar ? 10n ** 8n : token / 10n))
  return [
    {
      from: aTrader(scene),
      to: scene.chain.trader,
      data: encode("provide", [address, tokens[0], amounts[0]!, tokens[1], amounts[1]!]),
    },
  ]
}

const leave: Action = (scene) => [
  {
    from: aTrader(scene),
    to: scene.chain.trader,
    data: encode("leave", [scene.random.pick(scene.chain.pairs).address, BigInt(1 + scene.random.below(4))]),
  },
]

const giveShares: Action = (scene) => [
  {
    // Those who have some from the start.
    from: scene.random.pick(providers(scene.chain.accounts)),
    to: scene.random.pick(scene.chain.pairs).address,
    data: encode("transfer", [anyone(scene), scene.random.amount(50)]),
  },
]

/** As often as named. */
export const trading: ReadonlyArray<Action> = [
  ...Array.from({ length: 8 }, () => trade),
  ...Array.from({ length: 5 }, () => tradeAtPool),
  ...[provide, leave, giveShares],
]
