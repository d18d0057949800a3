/** Varied token traffic, the same for the same seed: the transactions of one block after another, without end. */

import { encode } from "./abi.ts"
import { addressOf } from "./address.ts"
import type { Transaction } from "./blocks.ts"
import type { DemoChain } from "./deploy.ts"
import { collectibles, firstCollectibles } from "./nftTraffic.ts"
import { firstShares, trading } from "./pairTraffic.ts"
import { randomOf } from "./random.ts"
import { type Action, anyone, most, nobody, providers, type Scene, sender, someOf, traders } from "./scene.ts"

/** The first three blocks mint, approve and fill the pairs and the pool; some blocks are empty. A few transactions fail, as on any chain. */
export function* traffic(seed: number, chain: DemoChain): Generator<ReadonlyArray<Transaction>> {
  const random = randomOf(seed)
  yield [...firstMints(chain), ...firstCollectibles(chain)]
  yield approvals(chain)
  yield firstShares(chain)
  const people = { known: [...chain.accounts, chain.batch, ...Array.from({ length: 20 }, random.address)] }
  while (true) {
    const actions = random.chance(0.1) ? 0 : 1 + random.below(6)
    yield Array.from({ length: actions }, () => random.pick(weighted)({ random, chain, people })).flat()
  }
}

/** Nobody's address, to which native coin goes for good. */
export const burner = addressOf("0x000000000000000000000000000000000000dead")
const burntAtFirst = 5_250_000_000_000_000_000n

const firstMints = ({ accounts, batch, tokens }: DemoChain): ReadonlyArray<Transaction> => [
  ...[tokens.ticket, tokens.dollar, tokens.shell, tokens.old, tokens.toll].flatMap((token) =>
    [...accounts, batch].map((to) => ({
      from: accounts[0]!,
      to: token,
      data: encode("mint", [to, token === tokens.dollar ? 10n ** 12n : 10n ** 24n]),
    })),
  ),
  { from: accounts[0]!, to: tokens.colossus, data: encode("mint", [accounts[1]!, most - 5n]) },
  ...accounts.slice(0, 7).map((from) => ({ from, to: tokens.wrapped, data: encode("deposit", []), value: 10n ** 19n })),
  { from: accounts[7]!, to: burner, value: burntAtFirst },
]

/** Everyone lets the batch contract move everything, and some the trader what they trade and provide. */
const approvals = ({ accounts, batch, tokens, collections, goods, pairs, trader }: DemoChain) => [
  ...accounts.flatMap((from) => [
    ...Object.values(tokens).map((to) => ({ from, to, data: encode("approve", [batch, most]) })),
    ...[collections.cards, collections.members, goods].map((to) => ({
      from,
      to,
      data: encode("setApprovalForAll", [batch, true]),
    })),
  ]),
  ...[...traders(accounts), ...providers(accounts)].flatMap((from) =>
    pairs
      .flatMap(({ address, tokens }) => [address, ...tokens])
      .map((to) => ({ from, to, data: encode("approve", [trader, most]) })),
  ),
]

const anyToken = ({ random, chain }: Scene) => random.pick(Object.values(chain.tokens))
const mintable = ({ random, chain: { tokens } }: Scene) =>
  random.pick([tokens.ticket, tokens.dollar, tokens.shell, tokens.old, tokens.toll])

const transfer: Action = (scene) => {
  const token = anyToken(scene)
  return [{ from: sender(scene), to: token, data: encode("transfer", [anyone(scene), someOf(scene, token, 70)]) }]
}

const transferToStranger: Action = (scene) => {
  const [stranger, token] = [scene.random.address(), anyToken(scene)]
  scene.people.known.push(stranger)
  return [{ from: sender(scene), to: token, data: encode("transfer", [stranger, someOf(scene, token, 60)]) }]
}

const transferToSelf: Action = (scene) => {
  const [from, token] = [sender(scene), anyToken(scene)]
  return [{ from, to: token, data: encode("transfer", [from, someOf(scene, token, 60)]) }]
}

const transferNothing: Action = (scene) => [
  { from: sender(scene), to: anyToken(scene), data: encode("transfer", [anyone(scene), 0n]) },
]

const transferHuge: Action = (scene) => [
  {
    from: sender(scene),
    to: scene.chain.tokens.colossus,
    data: encode("transfer", [sender(scene), scene.random.amount(256)]),
  },
]

const mint: Action = (scene) => {
  const token = mintable(scene)
  return [{ from: sender(scene), to: token, data: encode("mint", [anyone(scene), someOf(scene, token, 80)]) }]
}

/** As every Uniswap V2 pool does once: the zero address then truly holds the amount. */
const mintToNobody: Action = (scene) => [
  { from: sender(scene), to: scene.chain.tokens.old, data: encode("mint", [nobody, 1000n]) },
]

const mintHuge: Action = (scene) => [
  {
    from: sender(scene),
    to: scene.chain.tokens.colossus,
    data: encode("mint", [sender(scene), scene.random.amount(256)]),
  },
]

const burn: Action = (scene) => {
  const token = mintable(scene)
  return [{ from: sender(scene), to: token, data: encode("burn", [someOf(scene, token, 76)]) }]
}

const burnHuge: Action = (scene) => [
  { from: sender(scene), to: scene.chain.tokens.colossus, data: encode("burn", [scene.random.amount(256)]) },
]

const deposit: Action = (scene) => [
  {
    from: sender(scene),
    to: scene.chain.tokens.wrapped,
    data: encode("deposit", []),
    value: scene.random.amount(60),
  },
]

const withdraw: Action = (scene) => [
  { from: sender(scene), to: scene.chain.tokens.wrapped, data: encode("withdraw", [scene.random.amount(60)]) },
]

/** WETH9 lets one: the supply stays, the zero address holds. */
const transferWrappedToNobody: Action = (scene) => [
  { from: sender(scene), to: scene.chain.tokens.wrapped, data: encode("transfer", [nobody, scene.random.amount(50)]) },
]

/** All that someone has, moved by somebody who may: a holder less. */
const sweep: Action = (scene) => [
  {
    from: sender(scene),
    to: scene.chain.batch,
    data: encode("sweep", [anyToken(scene), sender(scene), anyone(scene)]),
  },
]

const transferFrom: Action = (scene) => {
  const [owner, spender, token] = [sender(scene), sender(scene), anyToken(scene)]
  return [
    { from: owner, to: token, data: encode("approve", [spender, someOf(scene, token, 70)]) },
    { from: spender, to: token, data: encode("transferFrom", [owner, anyone(scene), someOf(scene, token, 60)]) },
  ]
}

/** An airdrop: several transfers of several tokens in one transaction, some to the same people. */
const airdrop: Action = (scene) => {
  const calls = Array.from({ length: 2 + scene.random.below(8) }, () => {
    const target = anyToken(scene)
    return { target, value: 0n, data: encode("transfer", [anyone(scene), someOf(scene, target, 40)]) }
  })
  return [{ from: sender(scene), to: scene.chain.batch, data: encode("run", [calls]) }]
}

/** In and out again in one transaction: rows without a change. */
const roundTrip: Action = (scene) => {
  const { batch, tokens } = scene.chain
  const token = mintable(scene)
  const [amount, wrapped] = [someOf(scene, token, 60), scene.random.amount(40)]
  const calls = [
    { target: token, value: 0n, data: encode("mint", [batch, amount]) },
    { target: token, value: 0n, data: encode("burn", [amount]) },
    { target: tokens.wrapped, value: wrapped, data: encode("deposit", []) },
    { target: tokens.wrapped, value: 0n, data: encode("withdraw", [wrapped]) },
  ]
  return [{ from: sender(scene), to: batch, data: encode("run", [calls]), value: wrapped }]
}

/** As often as named. */
const weighted: ReadonlyArray<Action> = [
  ...[transfer, transfer, transfer, transfer, transferToStranger, transferToSelf, transferNothing, transferHuge],
  ...[mint, mint, mintToNobody, mintHuge, burn, burnHuge, deposit, deposit, withdraw, transferWrappedToNobody],
  ...[sweep, sweep, transferFrom, airdrop, airdrop, airdrop, roundTrip],
  ...collectibles,
  ...trading,
]
