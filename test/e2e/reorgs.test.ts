/** Reorgs of a real node, of every depth up to finality, by two ways of its own: after each, everyone's balances are the node's. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { randomOf } from "../../demo/chain/random.ts"
import { type Stage, setStage } from "../support/chain/stage.ts"
import { compareHistory } from "../support/judge/judge.ts"
import { chainPath } from "../support/judge/lists.ts"
import { nobody, type TrueStandard, type Truth } from "../support/judge/truth.ts"
import { askAmounts, askOwners } from "../support/nodes/census.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

const reorgs = Number(process.env.ANVIL_REORGS ?? 3)
const finality = 20
const random = randomOf(reorgs)

let stage: Stage
let service: Service

beforeAll(async () => {
  stage = await setStage(3)
  await stage.play(30)
  service = await startService({ ...stage.env, FINALITY_31337: `${finality}`, DATABASE_URL: await testDatabase() })
  await service.indexed("31337", await stage.headHash())
})

afterAll(async () => {
  await service?.stop()
  await stage?.node.stop()
})

/** Replaces up to `depth` blocks that the service has; gives the first of them. */
const replace = async (depth: number): Promise<number> => {
  const { node, next, play, headHash } = stage
  if (random.chance(0.5)) {
    const first = (await node.head()) - depth + 1
    await node.reorg(depth, next())
    await play(random.below(3))
    return first
  }
  const snapshot = await node.snapshot()
  const first = (await node.head()) + 1
  await play(depth)
  await service.indexed("31337", await headHash())
  await node.revert(snapshot)
  await play(depth + 1 + random.below(3))
  return first
}

const everyoneIn = ({ rows }: Truth, ...standards: ReadonlyArray<TrueStandard>) => [
  ...new Set([nobody, ...standards.flatMap((standard) => rows[standard].flatMap(({ from, to }) => [from, to]))]),
]

/** Every row of a list, of one page. */
const rowsOf = async (path: string): Promise<ReadonlyArray<Record<string, string>>> => {
  const { items } = await service.get<{ items: ReadonlyArray<Record<string, string>> }>(
    `${chainPath}/${path}?limit=1000`,
  )
  return items
}

const idsAt = ({ rows }: Truth, standard: "erc721" | "erc1155", contract: string) => [
  ...new Set(rows[standard].filter(({ token }) => token === contract).map(({ tokenId }) => tokenId)),
]

test(
  `${reorgs} reorgs of a real node leave the balances that it says`,
  async () => {
    const { node, strange, honest, collections, goods } = stage
    let compared = 0
    for (let count = 0; count < reorgs; count++) {
      // All depths come, the deepest of all too.
      const first = await replace(count === 1 ? finality : 1 + random.below(finality))
      await service.indexed("31337", await stage.headHash())
      const truth = await stage.truth()
      const head = truth.head.number
      const people = everyoneIn(truth, "erc20")
      const blocks = [first - 1, first, head].filter(
        (block, place, all) => block <= head && all.indexOf(block) === place,
      )
      const history = await compareHistory(service, node.url, strange.census, blocks, honest, people)
      expect(history.differences).toEqual([])
      expect(history.compared).toBe(blocks.length * honest.length * (people.length + 1))
      compared += history.compared

      for (const collection of collections) {
        const ids = idsAt(truth, "erc721", collection)
        const owners = await askOwners(node.url, strange.census, collection, ids)
        const counts = new Map<string, number>()
        for (const owner of owners) if (owner !== nobody) counts.set(owner, (counts.get(owner) ?? 0) + 1)
        const held = await rowsOf(`erc721/${collection}/holders`)
        expect(new Map(held.map(({ address, balance }) => [address!, Number(balance)]))).toEqual(counts)
        compared += counts.size
      }
      for (const contract of goods) {
        const ids = idsAt(truth, "erc1155", contract)
        const holders = everyoneIn(truth, "erc1155")
        const amounts = await askAmounts(node.url, strange.census, contract, holders, ids)
        const wanted = holders.flatMap((holder, row) =>
          ids.flatMap((id, place) => {
            const amount = amounts[row * ids.length + place]!
            return amount > 0n ? [[`${holder} ${id}`, `${amount}`] as const] : []
          }),
        )
        const held = await rowsOf(`erc1155/${contract}/holders`)
        expect(new Map(held.map(({ address, tokenId, balance }) => [`${address} ${tokenId}`, balance!]))).toEqual(
          new Map(wanted),
        )
        compared += wanted.length
      }
    }
    expect(compared).toBeGreaterThan(500 * reorgs)
  },
  60_000 + reorgs * 30_000,
)
