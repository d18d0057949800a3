/** The contract of what is said of holdings whose figures are in doubt: rows, sums, and what was through time; now and after any block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { suspectAt } from "../../../../src/domain/audit/doubts.ts"
import type { AuditDifference, AuditState } from "../../../../src/model/audit.ts"
import { type Address, type ChainId, zeroAddress as zero } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TokenHistories } from "../../../../src/ports/TokenHistories.ts"
import { type HeldBy, mostDoubtful, WalletStore } from "../../../../src/ports/WalletStore.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const ann = address(0xa)
const [exact, once, drift] = [address(0xc1), address(0xc2), address(0xc3)]
const [rebasing, unknown, young] = [address(0xc4), address(0xc5), address(0xc6)]
const [cards, ids] = [address(0xd1), address(0xd2)]
const fungible = [exact, once, drift, rebasing, unknown, young]

/** Each block one more of everything. */
const chainOf = (firstBlock: number): TestChain => {
  const chain = new TestChain(new Set(), firstBlock)
  for (let block = 0; block < 10; block++)
    chain.block([
      ...fungible.map((token) => transfer(token, zero, ann, 1n)),
      nftTransfer(cards, zero, ann, BigInt(block)),
      multiTransfer(ids, zero, ann, [[7n, 1n]]),
    ])
  return chain
}

/** What the audit has: of `once` that it differed up to the chain's fourth block. */
const states: ReadonlyArray<readonly [Address, AuditState, differed?: true]> = [
  [exact, "exact"],
  [once, "exact", true],
  [drift, "drift", true],
  [rebasing, "rebasing"],
  [cards, "drift"],
  [ids, "rebasing"],
]

export const suspectsContract = (name: string, makeStore: MakeStore) =>
  describe(`Holdings in doubt on ${name}`, () => {
    let store: TestStore
    const whole = { chainId: freshChainId(), chain: chainOf(0) }
    const late = { chainId: freshChainId(), chain: chainOf(100) }
    /** More in doubt than are told apart. */
    const crowd = { chainId: freshChainId(), tokens: mostDoubtful + 1 }

    const audit = async (
      chainId: ChainId,
      token: Address,
      state: AuditState,
      to?: number,
      difference?: AuditDifference,
    ) => {
      const breadth = { top: 0, recent: 0, places: [] }
      const { value } = await store.run(AuditStore.use((port) => port.sample(chainId, { tokens: [token] }, breadth)))
      const differed = to === undefined ? {} : { differed: { from: to - 1, to } }
      const shown = difference === undefined ? {} : { difference }
      const record = { state, blockNumber: 9, time: 1_700_000_000, compared: 1, watched: [], ...differed, ...shown }
      await store.run(AuditStore.use((port) => port.record(chainId, [{ token: value[0]!.token, record }])))
    }

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const { chainId, chain } of [whole, late]) {
        const writer = await store.open({ chainId, firstBlock: chain.firstBlock })
        await store.run(writer.append(chain.segment(chain.firstBlock)))
        for (const [token, state, differed] of states)
          await audit(chainId, token, state, differed && chain.firstBlock + 3)
        const born = await store.run(writer.listTokensWithoutOrigin(100))
        const token = born.find((it) => it.address === young)!
        const origin = { txHash: token.firstTxHash }
        await store.run(writer.recordOrigins([{ token, origin }]))
      }
      const writer = await store.open({ chainId: crowd.chainId, firstBlock: 5 })
      const tokens = Array.from({ length: crowd.tokens }, (_, index) =>
        transfer(address(0x9000 + index), zero, ann, 1n),
      )
      await store.run(writer.append(new TestChain(new Set(), 5).block(tokens).segment(5)))
    })
    afterAll(() => store.close())

    const held = async (chainId: ChainId, blockNumber?: number, query: Partial<HeldBy> = {}) => {
      const asked: HeldBy = {
        chains: [chainId],
        holders: [ann],
        standards: ["erc20", "erc721", "erc1155"],
        onlyTrusted: false,
        byId: false,
        ...(blockNumber === undefined ? {} : { at: [{ chainId, blockNumber, hour: null }] }),
        ...query,
      }
      const sort = { field: "tokenAddress", direction: "asc" } as const
      const page = { limit: 5000 }
      const list = (await store.run(WalletStore.use((port) => port.list({ ...asked, sort, page, count: false })))).value
      const sums = (await store.run(WalletStore.use((port) => port.total(asked)))).value
      const [{ suspect, states: found, rows } = { suspect: -1, states: [], rows: -1 }] = sums.totals
      const suspects = list.items.filter((it) => it.suspect === true)
      // Sums are of the very rows, and what stands apart is suspect as well.
      expect(rows).toBe(list.items.length)
      expect(suspect).toBe(suspects.length)
      expect(found.toSorted()).toEqual([...new Set(suspects.map(({ auditState }) => auditState))].sort())
      expect(list.doubtful.every((it) => it.suspect === true)).toBe(true)
      const shown = (all: typeof list.items) => all.map((it): Array<string> => [it.tokenAddress, it.auditState]).sort()
      return { listed: shown(suspects), apart: shown(list.doubtful), rows }
    }

    test("of a whole ledger: what is in drift or rebasing, now apart and then among the rows", async () => {
      const { chainId } = whole
      const suspects = [
        [drift, "drift"],
        [rebasing, "rebasing"],
        [cards, "drift"],
        [ids, "rebasing"],
      ]
      expect(await held(chainId)).toEqual({ listed: [], apart: suspects, rows: 4 })
      expect(await held(chainId, 4)).toEqual({ listed: suspects, apart: [], rows: 8 })
      // Up to the last block at which it was seen to differ.
      const then = [[once, "drift"], ...suspects]
      expect(await held(chainId, 3)).toEqual({ listed: then, apart: [], rows: 8 })
      expect(await held(chainId, 3, { byId: true })).toEqual({
        listed: [...then.slice(0, 4), ...Array(3).fill([cards, "drift"]), ...then.slice(4)],
        apart: [],
        rows: 11,
      })
      expect(await held(chainId, 3, { tokens: [exact, unknown] })).toEqual({ listed: [], apart: [], rows: 2 })
    })

    test("of a ledger that begins later: also what may be older than it", async () => {
      const suspects = [
        [drift, "drift"],
        [rebasing, "rebasing"],
        [unknown, "unverified"],
        [cards, "drift"],
        [ids, "rebasing"],
      ]
      expect(await held(late.chainId)).toEqual({ listed: [], apart: suspects, rows: 3 })
      expect(await held(late.chainId, 104)).toEqual({ listed: suspects, apart: [], rows: 8 })
      expect(await held(late.chainId, 103)).toEqual({ listed: [[once, "drift"], ...suspects], apart: [], rows: 8 })
      expect(await held(late.chainId, 99)).toEqual({ listed: [], apart: [], rows: 0 })
    })

    test("of a contract that counts amounts in place of ids nothing but the owner of an id is its word", async () => {
      const { chainId } = whole
      const difference = { of: "balance", holder: ann, ledger: "10", node: "10000000" } as const
      const countsNoIds = async (byId: boolean) => {
        const sort = { field: "tokenAddress", direction: "asc" } as const
        const asked = { chains: [chainId], holders: [ann], standards: ["erc721" as const], onlyTrusted: false, byId }
        const { value } = await store.run(
          WalletStore.use((port) => port.list({ ...asked, sort, page: { limit: 100 }, count: false })),
        )
        expect(value.doubtful.length).toBe(byId ? 10 : 1)
        return [...new Set(value.doubtful.map(({ mixed }) => mixed))]
      }
      await audit(chainId, cards, "drift", undefined, { ...difference, counts: "amounts" })
      expect([await countsNoIds(false), await countsNoIds(true)]).toEqual([[true], [undefined]])
      await audit(chainId, cards, "drift", undefined, difference)
      expect([await countsNoIds(false), await countsNoIds(true)]).toEqual([[undefined], [undefined]])
    })

    test("more than are told apart are rows like all others, and in doubt", async () => {
      const { listed, apart, rows } = await held(crowd.chainId)
      expect([listed.length, apart.length, rows]).toEqual([crowd.tokens, 0, crowd.tokens])
    })

    test("a series says of each token what makes it suspect, and of which blocks", async () => {
      const suspectsAt = async ({ chainId, chain }: typeof whole) => {
        const blocks = [3, 4].map((block) => chain.firstBlock + block)
        const query = { chainId, holder: ann, moments: { blocks }, onlyTrusted: false, page: {} }
        const { tokens } = (await store.run(TokenHistories.use((port) => port.series(query)))).value
        expect(tokens.length).toBe(fungible.length)
        return tokens
          .flatMap(
            ({ tokenAddress, doubt }): ReadonlyArray<ReadonlyArray<string | undefined>> =>
              doubt === undefined ? [] : [[tokenAddress, ...blocks.map((block) => suspectAt(doubt, block))]],
          )
          .sort()
      }
      const always = (token: Address, state: AuditState): ReadonlyArray<string | undefined> => [token, state, state]
      const suspects: Array<ReadonlyArray<string | undefined>> = [
        [once, "drift", undefined],
        always(drift, "drift"),
        always(rebasing, "rebasing"),
      ]
      expect(await suspectsAt(whole)).toEqual(suspects)
      expect(await suspectsAt(late)).toEqual([...suspects, always(unknown, "unverified")])
    })
  })
