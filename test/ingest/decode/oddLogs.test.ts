/** Which logs are kept as they are told: exactly those that nobody can write again from the rows that the ledger has of them. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { movementsOf, sortLogs } from "../../../src/domain/ingest/decode/sorting.ts"
import { topics } from "../../../src/domain/ingest/decode/topics.ts"
import { mintAccount, type TokenEvent } from "../../../src/model/event.ts"
import { anyEvent, weth } from "../../support/chain/anyEvents.ts"
import {
  address,
  approval,
  encodeEvent,
  idApproval,
  oddEvents,
  operatorApproval,
  swap,
  TestChain,
} from "../../support/chain/testChain.ts"

type Rows = ReturnType<typeof movementsOf>

/** The one way to write what the rows of a log say; undefined = there is none. */
const writeAgain = ({ movements, nfts, approvals }: Rows): ReturnType<typeof encodeEvent> | undefined => {
  const [moved, allowed, first] = [movements[0], approvals[0], nfts[0]]
  if (moved?.kind === "transfer") return encodeEvent({ ...moved, kind: "erc20Transfer" })
  if (moved?.kind === "wrap") {
    const [kind, holder] =
      moved.debit === mintAccount ? (["deposit", moved.credit] as const) : (["withdrawal", moved.debit] as const)
    return encodeEvent({ kind, holder, amount: moved.amount } as TokenEvent)
  }
  if (allowed !== undefined) return encodeEvent({ ...allowed, kind: "approval" })
  if (first === undefined) return undefined
  const { standard, from, to, operator } = first
  return encodeEvent({ kind: "nftTransfer", standard, from, to, ...(operator && { operator }), units: nfts })
}

const token = address(0x75)
const [alice, bob] = [address(0xa), address(0xb)]
const anyLog = fc.oneof(
  { weight: 8, arbitrary: anyEvent },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      approval(token, alice, bob, 2n ** 255n),
      idApproval(token, alice, bob, 3n),
      operatorApproval(token, alice, bob, true),
      operatorApproval(token, alice, bob, false),
    ),
  },
  // A byte more, or a word changed, of any log.
  {
    weight: 4,
    arbitrary: fc.tuple(anyEvent, fc.nat(5), fc.constantFrom("00", "ff")).map(([it, place, byte]) => {
      const { topics, data } = it.written ?? encodeEvent(it.event)
      const at = 2 + place * 64 + 62
      const changed = at + 2 > data.length ? data + byte : data.slice(0, at) + byte + data.slice(at + 2)
      return { ...it, written: { topics, data: changed } }
    }),
  },
)
/** Of pools nothing is kept: no row of a swap gives its log back. */
const kept = new Set<string>([
  ...Object.values(topics),
  ...[approval(token, alice, bob, 0n), operatorApproval(token, alice, bob, true)].map(
    ({ event }) => encodeEvent(event).topics[0]!,
  ),
])

test("a log of a token is kept exactly where its rows do not give it back", () => {
  let odd = 0
  fc.assert(
    fc.property(anyLog, (event) => {
      const chain = new TestChain(new Set([weth])).block([event])
      const log = chain.blocks[0]!.logs[0]!
      const sorted = sortLogs([log], chain)
      const rows = movementsOf(sorted, chain, () => 7)
      if (!kept.has(log.topics[0]!)) return rows.odd.length === 0
      if (["deposit", "withdrawal"].some((name) => log.topics[0] === topics[name as "deposit"]) && log.address !== weth)
        return rows.odd.length === 0
      const again = writeAgain(rows)
      const isTold = again?.data === log.data && String(again.topics) === String(log.topics)
      odd += rows.odd.length
      expect(rows.odd.length).toBe(isTold ? 0 : 1)
      for (const it of rows.odd) {
        expect(it).toMatchObject({
          topics: log.topics,
          data: log.data,
          time: 7,
          txHash: log.txHash,
          contract: log.address,
        })
        expect(it.hasRows).toBe(rows.movements.length + rows.nfts.length + rows.approvals.length > 0)
      }
      return true
    }),
    { numRuns: 2000 },
  )
  expect(odd).toBeGreaterThan(50)
})

test("those known to be so", () => {
  const chain = new TestChain().block([
    ...oddEvents(token, bob, alice, bob),
    swap(token, { paid0: true, paid: 0n, got: 0n }),
  ])
  const [block] = chain.blocks
  expect(block!.odd.map(({ logIndex, hasRows }) => [logIndex, hasRows])).toEqual([
    [0, false],
    [1, false],
    [2, true],
    [3, true],
    [4, true],
  ])
  // The batch with its amounts first says the same as any other.
  expect(block!.nfts.filter(({ logIndex }) => logIndex === 3).map(({ tokenId, amount }) => [tokenId, amount])).toEqual([
    [1n, 5n],
    [3n, 6n],
  ])
})
