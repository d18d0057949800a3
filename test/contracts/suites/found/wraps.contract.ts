/** The contract of feeds with Deposits and Withdrawals, and of one transaction's rows: all rows of a token add up to its balances. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest } from "../../../../src/model/page.ts"
import { type Address, type ChainId, type Hash, zeroAddress } from "../../../../src/model/primitives.ts"
import type { Erc20Transfer, FeedKey, PlacedTransaction, TransferFilter } from "../../../../src/model/transfer.ts"
import { HolderStore } from "../../../../src/ports/HolderStore.ts"
import { TransferStore } from "../../../../src/ports/TransferStore.ts"
import { address, deposit, hash, TestChain, transfer, withdrawal } from "../../../support/chain/testChain.ts"
import {
  type ContractScope,
  filteredStepsOf,
  freshChainId,
  type MakeStore,
  openStore,
  seed,
  type TestStore,
} from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"

const [weth, coin] = [address(0x9201), address(0x9202)]
const people = Array.from({ length: 5 }, (_, number) => address(0xd200 + number))

const chainOf = (seedNumber: number): TestChain => {
  let state = seedNumber
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const who = () => people[next(people.length)]!
  const chain = new TestChain(new Set([weth]))
  for (let block = 0; block < 30; block++) {
    const events = Array.from({ length: 1 + next(5) }, () => {
      switch (next(5)) {
        case 0:
          return deposit(weth, who(), BigInt(next(50)))
        case 1:
          return withdrawal(weth, who(), BigInt(next(9)))
        case 2:
          return transfer(coin, next(2) === 0 ? zeroAddress : who(), who(), BigInt(next(20)))
        default:
          return transfer(weth, who(), who(), BigInt(next(20)))
      }
    })
    chain.block(events, block === 0 ? {} : { time: chain.blocks.at(-1)!.header.time + next(3) })
  }
  return chain
}

interface Row {
  readonly chainId: ChainId
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly block: number
  readonly logIndex: number
  readonly time: number
  readonly txHash: string
  readonly wrap?: "deposit" | "withdrawal"
}

/** Straight from the events. */
const rowsOf = (chainId: ChainId, chain: TestChain): ReadonlyArray<Row> =>
  chain.blocks.flatMap(({ header, movements }) =>
    movements.map(({ token, kind, debit, credit, from, to, amount, logIndex, txHash }): Row => {
      const at = { chainId, token, amount, block: header.number, logIndex, time: header.time, txHash }
      if (kind === "transfer") return { ...at, from: from as Address, to: to as Address }
      return debit.length === 42
        ? { ...at, from: debit as Address, to: zeroAddress, wrap: "withdrawal" }
        : { ...at, from: zeroAddress, to: credit as Address, wrap: "deposit" }
    }),
  )

export const wrapsContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Deposits, Withdrawals and transactions on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId()]
    const chains = [chainOf(1), chainOf(2)]
    const rows = chains
      .flatMap((chain, at) => rowsOf(ids[at]!, chain))
      .sort(
        (a, b) =>
          a.time - b.time || Number(a.chainId) - Number(b.chainId) || a.block - b.block || a.logIndex - b.logIndex,
      )
    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [at, chain] of chains.entries()) await seed(store, chain, ids[at]!, 12)
    })
    afterAll(() => store.close())

    const read =
      (chainIds: ReadonlyArray<ChainId>, filter: TransferFilter, direction: "asc" | "desc" = "asc") =>
      (page: PageRequest<FeedKey>, count = false) =>
        store.run(
          TransferStore.use((s) => s.list({ standard: "erc20", chains: chainIds, filter, direction, page, count })),
        )
    const shown = (row: Row) => [row.chainId, row.block, row.logIndex, row.from, row.to, String(row.amount), row.wrap]
    const shownOf = (it: Erc20Transfer) => [it.chainId, it.blockNumber, it.logIndex, it.from, it.to, it.amount, it.wrap]

    const [p1, p2] = people as [Address, Address]
    const middle = chains[0]!.blocks[14]!.header.time
    const filters: Readonly<Record<string, TransferFilter>> = {
      all: {},
      token: { tokenAddress: [weth] },
      "another token": { tokenAddress: [coin] },
      both: { tokenAddress: [weth, coin] },
      address: { address: [p1] },
      "from zero": { from: [zeroAddress] },
      "to zero in the token": { to: [zeroAddress], tokenAddress: [weth] },
      "zero to someone": { from: [zeroAddress], to: [p2] },
      "someone to zero": { from: [p1, p2], to: [zeroAddress] },
      blocks: { blockNumberFrom: 5, blockNumberTo: 20 },
      times: { timestampFrom: middle - 3, timestampTo: middle + 3 },
      "address at times": { address: [p2], timestampFrom: middle - 8, finalized: true },
    }
    const passes = (row: Row, filter: TransferFilter): boolean =>
      (filter.tokenAddress?.includes(row.token) ?? true) &&
      (filter.from?.includes(row.from) ?? true) &&
      (filter.to?.includes(row.to) ?? true) &&
      (filter.address?.some((it) => it === row.from || it === row.to) ?? true) &&
      row.block >= (filter.blockNumberFrom ?? 0) &&
      row.block <= (filter.blockNumberTo ?? Infinity) &&
      row.time >= (filter.timestampFrom ?? 0) &&
      row.time <= (filter.timestampTo ?? Infinity) &&
      (filter.finalized === undefined || row.block <= 12)

    test("with wraps a feed has them in their places, under every filter, both ways; without, it has none", async () => {
      for (const [label, filter] of Object.entries(filters)) {
        for (const chainIds of [[ids[0]!], ids]) {
          for (const wraps of [true, undefined] as const) {
            const wanted = rows.filter(
              (row) => chainIds.includes(row.chainId) && passes(row, filter) && (wraps || row.wrap === undefined),
            )
            const asked = wraps ? { ...filter, wraps } : filter
            for (const limit of filteredStepsOf(scope, [1000, 6], wanted.length)) {
              const up = await walkForward(read(chainIds, asked), limit)
              expect([label, up.map(shownOf)]).toEqual([label, wanted.map(shown)])
              const down = await walkBackward(read(chainIds, asked, "desc"), limit)
              expect([label, down.map(shownOf)]).toEqual([label, wanted.toReversed().map(shown)])
            }
            const { count } = (await read(chainIds, asked)({ limit: 1 }, true)).value
            expect([label, count]).toEqual([label, { count: wanted.length, countType: "exact" }])
          }
        }
      }
    })

    test("the rows of a token add up to what everybody holds, after every block", async () => {
      const chainId = ids[0]!
      const found = await walkForward(read([chainId], { tokenAddress: [weth], wraps: true }), 1000)
      for (const holder of people) {
        for (const blockNumber of [0, 7, 15, 29]) {
          const sum = found
            .filter((row) => row.blockNumber <= blockNumber)
            .reduce(
              (sum, { from, to, amount }) =>
                sum + (to === holder ? BigInt(amount) : 0n) - (from === holder ? BigInt(amount) : 0n),
              0n,
            )
          const { value } = await store.run(HolderStore.use((s) => s.findBalance(chainId, weth, holder, blockNumber)))
          expect([holder, blockNumber, value]).toEqual([holder, blockNumber, String(sum)])
        }
      }
      expect((await store.run(TransferStore.use((s) => s.wrapsFrom(ids)))).value).toBe(0)
    })

    test("of one transaction are its rows: of a final block where that is told, of the others wherever they are", async () => {
      const some = [
        rows.find((row) => row.wrap !== undefined)!,
        rows.find((row) => row.wrap === undefined)!,
        rows.find((row) => row.block === 13)!,
        rows.at(-1)!,
      ]
      for (const { txHash, chainId, block, from, token } of some) {
        // Both chains have equal blocks, and so such a transaction.
        const its = rows.filter((row) => row.txHash === txHash)
        /** Of a chain in the one block, of others in those that are not final. */
        const wanted = (told?: number) =>
          its
            .filter((row) => (row.chainId === chainId && told !== undefined ? row.block === told : row.block > 12))
            .map(shown)
        const filterOf = (transaction: Omit<PlacedTransaction, "hash">, filter: TransferFilter): TransferFilter => ({
          ...{ wraps: true, ...filter },
          transaction: { hash: txHash as Hash, ...transaction },
        })
        const found = async (transaction: Omit<PlacedTransaction, "hash">, filter: TransferFilter = {}) =>
          (await walkForward(read(ids, filterOf(transaction, filter)), 1)).map(shownOf)
        const headers = chains[ids.indexOf(chainId)]!.blocks.map(({ header }) => header)
        const told = (number: number, blockHash = headers[number]!.hash) => ({
          blocks: { [chainId]: { number, hash: blockHash } },
        })
        const none = { blocks: {} }
        expect(wanted(block)).not.toEqual([])
        // A block of the ledger: no other is looked at.
        for (const number of [0, 12, 14, 29, block])
          expect([block, number, await found(told(number))]).toEqual([block, number, wanted(number)])
        // Another fork's, or one that the ledger does not have yet.
        for (const number of [0, 12, 13, 14, 29, 30, 2 ** 32 - 1, block]) {
          const rowsOfIt = wanted(number > 12 ? undefined : number)
          expect([block, number, await found(told(number, hash("another fork's")))]).toEqual([block, number, rowsOfIt])
        }
        expect(await found(none)).toEqual(wanted())
        expect(await found(none, { finalized: true })).toEqual([])
        expect(await found({}, { blockNumberFrom: block, blockNumberTo: block })).toEqual(its.map(shown))
        expect((await read(ids, filterOf(none, {}))({ limit: 1 }, true)).value.count?.count).toBe(wanted().length)
        for (const [passed, filter] of [
          [(row: Row) => row.from === from || row.to === from, { address: [from] }],
          [(row: Row) => row.token === token, { tokenAddress: [token] }],
        ] as const) {
          const passing = its.filter(passed).map(shown)
          const isWanted = (told?: number) =>
            wanted(told).filter((row) => passing.some((it) => Bun.deepEquals(it, row)))
          expect(await found(told(block), filter)).toEqual(isWanted(block))
          expect(await found(none, filter)).toEqual(isWanted())
        }
        expect(await found(told(block), { address: [address(0xbeef)] })).toEqual([])
        expect(await found(told(block), { blockNumberFrom: 30 })).toEqual([])
      }
    })
  })
