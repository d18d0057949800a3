/** What happens to collectibles: mints, batches, burns and mints again, of ERC-721, of ERC-1155, and of a contract that is both. */
import { encode } from "./abi.ts"
import type { Transaction } from "./blocks.ts"
import type { DemoChain } from "./deploy.ts"
import { type Action, anyone, nobody, type Scene, sender } from "./scene.ts"

/** Every contract has something of each standard it knows. */
export const firstCollectibles = ({ accounts, collections, goods, mixed }: DemoChain): ReadonlyArray<Transaction> => [
  ...accounts.map((to, index) => ({
    from: accounts[0]!,
    to: collections.cards,
    data: encode("mintId", [to, BigInt(index)]),
  })),
  ...accounts.map((to) => ({
    from: accounts[0]!,
    to: goods,
    data: encode("mintBatch", [to, [0n, 1n, 2n, 3n], [10n ** 18n, 5n, 1000n, 10n ** 6n]]),
  })),
  { from: accounts[1]!, to: collections.careless, data: encode("claim", [nobody, accounts[1]!, 0n]) },
  ...[
    encode("mint", [accounts[2]!, 10n ** 20n]),
    encode("takeId", [0n]),
    encode("mintSome", [accounts[2]!, 0n, 100n]),
  ].map((data) => ({ from: accounts[2]!, to: mixed, data })),
]

/** Few enough that they are burnt and minted again; now and then one of any length. */
const cardId = ({ random }: Scene) => (random.chance(0.1) ? random.amount(256) : BigInt(random.below(50)))
/** Rather someone who can pass it on. */
const keeper = (scene: Scene) => (scene.random.chance(0.7) ? sender(scene) : anyone(scene))

const mintCard: Action = (scene) => [
  {
    from: sender(scene),
    to: scene.chain.collections.cards,
    data: encode("mintId", [keeper(scene), cardId(scene)]),
  },
]

const passOn: Action = (scene) => {
  const { cards, members } = scene.chain.collections
  const [collection, ids] = scene.random.pick([
    [cards, 50],
    [members, 25],
  ] as const)
  const id = BigInt(scene.random.below(ids))
  return [{ from: sender(scene), to: scene.chain.batch, data: encode("passOn", [collection, id, keeper(scene)]) }]
}

const burnId: Action = (scene) => {
  const { cards, members } = scene.chain.collections
  const target = scene.random.chance(0.85) ? cards : members
  const calls = [{ target, value: 0n, data: encode("burn", [BigInt(scene.random.below(25))]) }]
  return [{ from: sender(scene), to: scene.chain.batch, data: encode("run", [calls]) }]
}

/** Several ids in one transaction: one of them is minted, passed on, burnt and minted again. */
const shuffleIds: Action = (scene) => {
  const { cards } = scene.chain.collections
  const [id, first, second] = [cardId(scene), sender(scene), sender(scene)]
  const data = [
    encode("mintId", [first, id]),
    encode("passOn", [cards, BigInt(scene.random.below(50)), first]),
    encode("burn", [id]),
    encode("mintId", [second, id]),
  ]
  const calls = data.map((data) => ({ target: cards, value: 0n, data }))
  calls[1]!.target = scene.chain.batch
  return [{ from: first, to: scene.chain.batch, data: encode("run", [calls]) }]
}

const claimCarelessly: Action = (scene) => {
  const to = scene.random.chance(0.2) ? nobody : keeper(scene)
  const from = scene.random.chance(0.3) ? nobody : anyone(scene)
  const data = encode("claim", [from, to, BigInt(scene.random.below(12))])
  return [{ from: sender(scene), to: scene.chain.collections.careless, data }]
}

/** Ids and amounts of a batch; none, or the same id twice, is a batch too. */
const someGoods = ({ random }: Scene, bits: number) => {
  const count = random.below(6)
  return [
    Array.from({ length: count }, () => BigInt(random.below(8))),
    Array.from({ length: count }, () => (random.chance(0.1) ? 0n : random.amount(bits))),
  ] as const
}

const mintGoods: Action = (scene) => {
  const { random } = scene
  const id = random.chance(0.1) ? random.amount(256) : BigInt(random.below(8))
  const amount = random.chance(0.1) ? random.amount(256) : random.amount(70)
  return [{ from: sender(scene), to: scene.chain.goods, data: encode("mintSome", [keeper(scene), id, amount]) }]
}

const mintGoodsBatch: Action = (scene) => [
  { from: sender(scene), to: scene.chain.goods, data: encode("mintBatch", [keeper(scene), ...someGoods(scene, 60)]) },
]

const sendGoods: Action = (scene) => {
  const from = sender(scene)
  const args = [from, keeper(scene), BigInt(scene.random.below(4)), scene.random.amount(50), "0x"] as const
  return [{ from, to: scene.chain.goods, data: encode("safeTransferFrom", args) }]
}

const sendGoodsBatch: Action = (scene) => {
  const from = sender(scene)
  const args = [from, keeper(scene), ...someGoods(scene, 30), "0x"] as const
  return [{ from, to: scene.chain.goods, data: encode("safeBatchTransferFrom", args) }]
}

const burnGoods: Action = (scene) => {
  const from = sender(scene)
  const [id, amount] = [BigInt(scene.random.below(4)), scene.random.amount(50)]
  const data = scene.random.chance(0.5)
    ? encode("burn", [from, id, amount])
    : encode("burnBatch", [from, ...someGoods(scene, 30)])
  return [{ from, to: scene.chain.goods, data }]
}

const useMixed: Action = (scene) => {
  const { random } = scene
  const data = random.pick([
    () => encode("mint", [keeper(scene), random.amount(80)]),
    () => encode("transfer", [keeper(scene), random.amount(70)]),
    () => encode("takeId", [BigInt(random.below(9))]),
    () => encode("mintSome", [keeper(scene), BigInt(random.below(5)), random.amount(40)]),
  ])()
  return [{ from: sender(scene), to: scene.chain.mixed, data }]
}

/** As often as named. */
export const collectibles: ReadonlyArray<Action> = [
  ...[mintCard, mintCard, passOn, passOn, passOn, burnId, burnId, shuffleIds, claimCarelessly, claimCarelessly],
  ...[mintGoods, mintGoodsBatch, sendGoods, sendGoods, sendGoodsBatch, burnGoods, useMixed, useMixed],
]
