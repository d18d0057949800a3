/** Pages by offset of an address's transfers, asked in any order while blocks come, are replaced and are healed: each is a part of the whole list of then. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { makeBusyAccounts } from "../../../../src/domain/enrich/busyAccounts.ts"
import { markWindow } from "../../../../src/domain/enrich/marks.ts"
import type { ChainId } from "../../../../src/model/primitives.ts"
import { zeroAddress } from "../../../../src/model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../../../src/model/transfer.ts"
import { TransferStore } from "../../../../src/ports/TransferStore.ts"
import {
  address,
  multiTransfer,
  nftTransfer,
  TestChain,
  type TestEvent,
  transfer,
} from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"
import { walkForward } from "../../walk.ts"

const tokens = [1, 2, 3].map((number) => address(0x9000 + number))
const [ann, bob, cid] = [1, 2, 3].map((number) => address(0x100 + number)) as [
  ReturnType<typeof address>,
  ReturnType<typeof address>,
  ReturnType<typeof address>,
]

/** No rollback goes so deep. */
const finality = 12

/** Alike in each run. */
const dice = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

export const pagesByOffsetContract = (name: string, makeStore: MakeStore, rounds: number) =>
  describe(`Pages by offset on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const standards = ["erc20", "erc721", "erc1155"] as const
    type Asked = { standard: (typeof standards)[number]; filter: TransferFilter; direction: "asc" | "desc" }

    const list = (chainId: ChainId, { standard, filter, direction }: Asked, limit: number, skip: number) =>
      store.run(
        TransferStore.use((s) =>
          s.list({ standard, chains: [chainId], filter, direction, page: { limit }, skip, count: false }),
        ),
      )
    /** By keys, which nothing is remembered of. */
    const whole = async (chainId: ChainId, { standard, filter, direction }: Asked) =>
      walkForward<FeedKey, FeedKey>(async (page) => {
        const { asOf, value } = await store.run(
          TransferStore.use((s) => s.list({ standard, chains: [chainId], filter, direction, page, count: false })),
        )
        return { asOf, value: { ...value, items: value.keys } }
      }, 1000)

    const all: ReadonlyArray<TransferFilter> = [
      { address: [ann] },
      { address: [ann] },
      { from: [ann] },
      { address: [ann], tokenAddress: [tokens[0]!] },
      { either: { from: [bob], to: [ann] } },
      { address: [zeroAddress] },
    ]
    const accounts: ReadonlyArray<TransferFilter> = [{ address: [ann] }, { address: [bob] }, { address: [cid] }]
    const kinds = [
      {
        what: "of any list",
        seed: 16,
        heals: 1,
        filters: all,
        bounds: [{}, {}, { blockNumberFrom: 12 }, { blockNumberTo: 33 }],
      },
      {
        what: "of accounts that are counted",
        seed: 7,
        heals: 2,
        filters: accounts,
        bounds: [{}, {}, { blockNumberFrom: 0 }],
      },
    ]
    test.each(kinds)("$what: each holds the rows of its place, as of its own block", async (kind) => {
      const next = dice(kind.seed)
      const pick = <A>(values: ReadonlyArray<A>): A => values[next(values.length)]!
      const event = (): TestEvent => {
        const [token, from, to] = [pick(tokens), pick([zeroAddress, ann, bob, cid]), pick([ann, ann, bob, zeroAddress])]
        const kind = next(5)
        if (kind === 0) return nftTransfer(token, from, to, BigInt(next(30)))
        if (kind > 1) return transfer(token, from, to, BigInt(next(5)))
        return multiTransfer(token, from, to, [
          [1n, 1n],
          [BigInt(next(4)), 2n],
        ])
      }
      const chain = new TestChain()
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      let salt = 0
      let lost: Array<{ readonly blockNumber: number; readonly logIndex: number }> = []
      const isLost = (row: { readonly blockNumber: number; readonly logIndex: number }) =>
        lost.some((it) => it.blockNumber === row.blockNumber && it.logIndex === row.logIndex)
      const grow = async (blocks: number) => {
        const from = chain.nextBlock
        for (let count = 0; count < blocks; count++) {
          chain.block(Array.from({ length: next(5) }, event), { salt: String(salt) })
          // An ERC-20 log that the node keeps back.
          const [first] = chain.blocks.at(-1)!.movements
          if (first !== undefined && next(6) === 0) lost.push(first)
        }
        const segment = chain.segment(from, undefined, { finalizedBlock: chain.nextBlock - finality })
        await store.run(writer.append({ ...segment, movements: segment.movements.filter((row) => !isLost(row)) }))
      }
      const busy = makeBusyAccounts({ least: 4, share: 1, most: 100 })
      const mark = async (windows: number) => {
        for (let left = windows; left > 0; left--)
          if ((await store.run(markWindow(chainId, busy, { blocks: 4, least: 4 }))) === undefined) return
      }
      await grow(30)
      await mark(3)
      for (let round = 0; round < rounds; round++) {
        const turn = next(8)
        if (turn === 0) {
          const from = Math.max(1, chain.nextBlock - 1 - next(6))
          await store.run(writer.rollback(from))
          chain.truncate(from)
          lost = lost.filter(({ blockNumber }) => blockNumber < from)
          salt++
          // Another fork, as long or longer: the head's number says nothing.
          await grow(1 + next(7))
        } else if (turn <= kind.heals && lost.length > 0) {
          const movements = chain.blocks.flatMap((block) => block.movements.filter(isLost))
          lost = []
          const headers = chain.blocks.map(({ header }) => header)
          await store.run(writer.heal({ movements, nfts: [], headers }))
        } else if (turn < 5) await grow(1 + next(3))
        if (next(2) === 0) await mark(1 + next(20))
        for (let count = 0; count < 4; count++) {
          const filter: TransferFilter = {
            ...pick(kind.filters),
            ...pick<TransferFilter>(kind.bounds),
          }
          const asked = { standard: pick(standards), filter, direction: pick(["asc", "desc"] as const) }
          const limit = pick([1, 4, 10, 50])
          const skip = limit * next(8)
          const wanted = await whole(chainId, asked)
          const { value } = await list(chainId, asked, limit, skip)
          expect([round, asked, skip, value.keys, value.hasMore]).toEqual([
            round,
            asked,
            skip,
            wanted.slice(skip, skip + limit),
            wanted.length > skip + limit,
          ])
        }
      }
    })
  })
