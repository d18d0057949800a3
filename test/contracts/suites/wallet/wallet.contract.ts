/** The contract of what addresses hold of all standards together, over chains, with values, now and after any block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { auditStates } from "../../../../src/model/audit.ts"
import { oneDollar } from "../../../../src/model/price.ts"
import { type Address, type ChainId, zeroAddress } from "../../../../src/model/primitives.ts"
import type { Standard } from "../../../../src/model/token.ts"
import { compareHeld, type HeldSort } from "../../../../src/model/wallet/heldOrder.ts"
import type { HeldKey, StoredHolding } from "../../../../src/model/wallet/holdings.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TokenNotes } from "../../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { type HeldBy, WalletStore } from "../../../../src/ports/WalletStore.ts"
import type { TestChain } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"
import { bazaar, contracts, type Facts, factsOf, traders } from "../../worlds/bazaar.ts"

const standards: ReadonlyArray<Standard> = ["erc20", "erc721", "erc1155"]
const trustedTokens: ReadonlyArray<Address> = [contracts[0]!.address, contracts[1]!.address, contracts[3]!.address]
/** Decimals and prices of what is an ERC-20. The last has no decimals, which is no reason to be worth nothing. */
const decimals = new Map<Address, number>([
  [contracts[0]!.address, 0],
  [contracts[3]!.address, 60],
])
const priceNow = new Map<Address, bigint>([
  [contracts[0]!.address, 3n * oneDollar],
  [contracts[3]!.address, oneDollar / 7n],
  [contracts[5]!.address, oneDollar],
])
const drifted = contracts[6]!.address

interface World {
  readonly chain: TestChain
  readonly chainId: ChainId
}

/** Prices at the beginnings of hours: of contract 0 every third hour, of contract 3 once. */
const hoursOf = ({ blocks }: TestChain) => {
  const first = Math.floor(blocks[0]!.header.time / 3600)
  const last = Math.floor(blocks.at(-1)!.header.time / 3600)
  const points: Array<{ hour: number; address: Address; price: bigint }> = []
  for (let hour = first; hour <= last; hour++) {
    if (hour % 3 === 0) points.push({ hour, address: contracts[0]!.address, price: BigInt(hour) * 10n ** 14n + 1n })
    if (hour === first + 2) points.push({ hour, address: contracts[3]!.address, price: 10n ** 58n })
  }
  return points
}

const hourAt = ({ blocks }: TestChain, block: number) => Math.floor(blocks[block]!.header.time / 3600)

/** What the ledger with these facts holds, as a plain program says it. */
const truthOf = (
  chainId: ChainId,
  { blocks }: TestChain,
  facts: ReadonlyArray<Facts>,
  { holders, byId }: Pick<HeldBy, "holders" | "byId">,
  /** undefined = now; null = none. */
  hour: number | null | undefined,
): ReadonlyArray<Omit<StoredHolding, "changedBlock">> => {
  const priceOf = (token: Address): bigint | undefined => {
    if (hour === undefined) return priceNow.get(token)
    if (hour === null) return undefined
    const point = hoursOf({ blocks } as TestChain)
      .filter((it) => it.address === token && it.hour <= hour)
      .at(-1)
    return point !== undefined && hour - point.hour < 24 ? point.price : undefined
  }
  return facts.flatMap(({ standard, address: tokenAddress, balances, units, ids }) =>
    holders.flatMap((address) => {
      const held =
        standard === "erc1155"
          ? units.filter((unit) => unit.address === address).map(({ tokenId, balance }) => ({ tokenId, balance }))
          : standard === "erc721" && byId
            ? ids.filter(({ owner }) => owner === address).map(({ tokenId }) => ({ tokenId, balance: "1" }))
            : (balances.get(address) ?? 0n) > 0n
              ? [{ balance: String(balances.get(address)) }]
              : []
      const price = standard === "erc20" ? priceOf(tokenAddress) : undefined
      const digits = standard === "erc20" ? decimals.get(tokenAddress) : undefined
      const known = digits === undefined ? {} : { decimals: digits }
      const scale = 10n ** BigInt(digits ?? 0)
      return held.map((unit) => ({
        chainId,
        address,
        standard,
        tokenAddress,
        ...unit,
        ...(standard === "erc20" ? { name: `Coin ${tokenAddress.slice(-4)}`, symbol: "C" } : {}),
        ...known,
        ...(trustedTokens.includes(tokenAddress) ? { logoUri: `https://logos.example/${tokenAddress}` } : {}),
        ...(price === undefined ? {} : { price: String(price) }),
        // Half up.
        ...(price === undefined || digits === undefined
          ? {}
          : { value: String((BigInt(unit.balance) * price + scale / 2n) / scale) }),
        trusted: trustedTokens.includes(tokenAddress),
        auditState: "unverified" as const,
      }))
    }),
  )
}

export const walletContract = (name: string, makeStore: MakeStore) =>
  describe(`What addresses hold on ${name}`, () => {
    let store: TestStore
    const worlds: ReadonlyArray<World> = [21, 22].map((seed) => ({ chain: bazaar(seed), chainId: freshChainId() }))
    const chains = worlds.map(({ chainId }) => chainId)
    const asked: HeldBy = {
      chains,
      holders: [...traders, zeroAddress],
      standards,
      onlyTrusted: false,
      byId: false,
    }
    const sorts: ReadonlyArray<HeldSort> = (["valueUsd", "tokenAddress"] as const).flatMap((field) =>
      (["asc", "desc"] as const).map((direction) => ({ field, direction })),
    )

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const { chain, chainId } of worlds) {
        const writer = await store.open({ chainId })
        // Block by block, so that history has what an append by segments would leave out.
        for (let block = 0; block < chain.nextBlock; block++) {
          await store.run(writer.append(chain.segment(block, block, { finalizedBlock: block - 20 })))
        }
        const born = await store.run(writer.listUndescribedTokens(100))
        const described = born
          .filter(({ standard }) => standard === "erc20")
          .map((token) => {
            const digits = decimals.get(token.address)
            const words = { name: `Coin ${token.address.slice(-4)}`, symbol: "C" }
            return { token, description: digits === undefined ? words : { ...words, decimals: digits } }
          })
        await store.run(writer.describeTokens(described))
        const notes = trustedTokens.map((address) => ({
          address,
          trusted: true,
          texts: { image: `https://logos.example/${address}` },
        }))
        await store.run(TokenNotes.use((port) => port.record(chainId, notes)))
        const prices = [...priceNow].map(([address, price]) => ({ address, price }))
        await store.run(TokenPrices.use((port) => port.record(chainId, prices)))
        for (const { hour, ...point } of hoursOf(chain)) {
          await store.run(TokenPrices.use((port) => port.recordHour(chainId, hour, [point], hour + 1)))
        }
      }
    })
    afterAll(() => store.close())

    const list =
      (query: Partial<HeldBy>, sort: HeldSort) => async (page: { limit: number; after?: HeldKey; before?: HeldKey }) =>
        store.run(WalletStore.use((port) => port.list({ ...asked, ...query, sort, page, count: page.limit === 7 })))
    const keyOf = ({ field }: HeldSort, row: Omit<StoredHolding, "changedBlock">): HeldKey => ({
      value: field === "valueUsd" ? (row.value ?? null) : "0",
      chainId: row.chainId,
      address: row.address,
      standard: row.standard,
      tokenAddress: row.tokenAddress,
      tokenId: row.tokenId ?? null,
    })
    const truth = (query: HeldBy, sort: HeldSort, block?: number, hour?: number | null) =>
      worlds
        .filter(({ chainId }) => query.chains.includes(chainId))
        .flatMap(({ chain, chainId }) => {
          const facts = factsOf(block === undefined ? chain.blocks : chain.blocks.slice(0, block + 1))
          const then = hour === undefined && block !== undefined ? hourAt(chain, block) : hour
          return truthOf(chainId, chain, facts, query, then)
        })
        .filter(({ standard, trusted }) => query.standards.includes(standard) && (trusted || !query.onlyTrusted))
        .filter(({ tokenAddress }) => query.tokens?.includes(tokenAddress) ?? true)
        .filter(({ value }) => query.minValue === undefined || (value !== undefined && BigInt(value) >= query.minValue))
        .sort((a, b) => compareHeld(sort)(keyOf(sort, a), keyOf(sort, b)))
    const bare = (rows: ReadonlyArray<StoredHolding>) => rows.map(({ changedBlock: _, ...row }) => row)

    test("every row with its value, in every order, walked both ways over two chains", async () => {
      for (const sort of sorts) {
        const wanted = truth(asked, sort)
        expect(wanted.length).toBeGreaterThan(40)
        const read = list({}, sort)
        for (const limit of sort === sorts[1] ? [1, 7, 1000] : [7, 1000]) {
          expect(bare(await walkForward(read, limit))).toEqual([...wanted])
          if (limit > 1) expect(bare(await walkBackward(read, limit))).toEqual([...wanted])
        }
        expect((await read({ limit: 7 })).value.count).toEqual({ count: wanted.length, countType: "exact" })
      }
    })

    test("filters: standards, ids, trust, least value, one address, one chain", async () => {
      const cases: ReadonlyArray<Partial<HeldBy>> = [
        { standards: ["erc20"] },
        { standards: ["erc721", "erc1155"] },
        { standards: ["erc1155"] },
        { standards: [] },
        { byId: true },
        { byId: true, standards: ["erc721"] },
        { onlyTrusted: true },
        { minValue: 0n },
        { minValue: 4n * oneDollar },
        { minValue: 10n ** 70n, onlyTrusted: true },
        { holders: [traders[2]!], chains: [chains[1]!] },
        { tokens: contracts.slice(0, 3).map(({ address }) => address) },
        { tokens: contracts.slice(2, 9).map(({ address }) => address), byId: true, standards: ["erc721", "erc1155"] },
        { tokens: [contracts[3]!.address, traders[0]!], onlyTrusted: true, minValue: 0n },
        { tokens: [] },
        { holders: [] },
        { chains: [] },
      ]
      for (const sort of [sorts[1]!, sorts[2]!]) {
        for (const one of cases) {
          const wanted = truth({ ...asked, ...one }, sort)
          expect(bare((await list(one, sort)({ limit: 1000 })).value.items)).toEqual([...wanted])
        }
      }
    })

    test("after any block: balances, ids and prices of then, and the block that changed each", async () => {
      const [{ chain, chainId }] = worlds as [World]
      for (const block of [0, 3, 7, 20, 33, 47, 60, chain.nextBlock - 1]) {
        for (const byId of [false, true]) {
          const at = [{ chainId, blockNumber: block, hour: hourAt(chain, block) }]
          const some = { chains: [chainId], byId, at, tokens: contracts.slice(1, 8).map(({ address }) => address) }
          expect(bare((await list(some, sorts[1]!)({ limit: 1000 })).value.items)).toEqual([
            ...truth({ ...asked, ...some }, sorts[1]!, block),
          ])
          const query = { chains: [chainId], byId, at }
          const found = (await list(query, sorts[1]!)({ limit: 1000 })).value
          expect(bare(found.items)).toEqual([...truth({ ...asked, ...query }, sorts[1]!, block)])
          expect(found.pins).toEqual([{ chainId, rollbacks: 0, replaced: false }])
          // What a row says of its last change: as of the block before, it is another one.
          for (const { changedBlock, ...row } of byId ? [] : found.items.slice(0, 5)) {
            expect(changedBlock).toBeLessThanOrEqual(block)
            const before = { ...query, at: [{ chainId, blockNumber: changedBlock, hour: null }] }
            const same = (await list(before, sorts[1]!)({ limit: 1000 })).value.items
            expect(
              same.find(
                (it) =>
                  it.tokenAddress === row.tokenAddress &&
                  it.address === row.address &&
                  it.standard === row.standard &&
                  it.tokenId === row.tokenId,
              ),
            ).toMatchObject({ balance: row.balance, changedBlock })
          }
        }
      }
    })

    test("prices are of the hour that is named, whenever the block was; of no hour there are none", async () => {
      const [{ chain, chainId }] = worlds as [World]
      const block = chain.nextBlock - 1
      const points = hoursOf(chain)
      const [first, last] = [points[0]!.hour, points.at(-1)!.hour]
      expect(last).toBeGreaterThan(first)
      const prices = new Set<string>()
      for (const hour of [first - 1, first, last, last + 24, null]) {
        const query = { chains: [chainId], at: [{ chainId, blockNumber: block, hour }] }
        const { items } = (await list(query, sorts[1]!)({ limit: 1000 })).value
        expect(bare(items)).toEqual(truth({ ...asked, ...query }, sorts[1]!, block, hour))
        prices.add(JSON.stringify(items.map(({ price }) => price)))
      }
      // Before the first, of the first, of the last; a day later and of no hour there is none either.
      expect(prices.size).toBe(3)
    })

    test("sums are those of the rows, to the last digit", async () => {
      for (const one of [{}, { onlyTrusted: true }, { minValue: oneDollar }, { holders: [traders[0]!] }]) {
        const { items } = (await list(one, sorts[1]!)({ limit: 1000 })).value
        const { totals } = (await store.run(WalletStore.use((port) => port.total({ ...asked, ...one })))).value
        expect(totals).toEqual(
          chains.map((chainId) => {
            const values = items.filter((it) => it.chainId === chainId)
            const valued = values.flatMap(({ value }) => (value === undefined ? [] : [BigInt(value)]))
            return {
              chainId,
              rows: values.length,
              priced: valued.length,
              value: String(valued.reduce((sum, value) => sum + value, 0n)),
              suspect: 0,
              states: [],
            }
          }),
        )
      }
    })

    test("what gas is paid in costs what the token costs that wraps it", async () => {
      const [{ chain, chainId }] = worlds as [World]
      const facts = (wrapped: ReadonlyArray<Address>, blockNumber?: number, hour: number | null = null) => {
        const at = blockNumber === undefined ? undefined : { blockNumber, hour }
        return store.run(WalletStore.use((port) => port.nativeFacts(chainId, wrapped, at)))
      }
      expect(await facts([contracts[1]!.address, contracts[0]!.address])).toEqual({ price: String(3n * oneDollar) })
      expect(await facts([])).toEqual({})
      const head = worlds[0]!.chain.blocks.at(-1)!.header
      expect((await facts([], head.number)).hash).toBe(head.hash)
      expect(await facts([], 2)).toEqual({})
      const [point] = hoursOf(chain)
      const priced = [contracts[0]!.address, point!.address]
      expect(await facts(priced, 2, point!.hour)).toEqual({ price: String(point!.price) })
      expect(await facts(priced, 2)).toEqual({})
    })

    test("tokens in doubt stand apart, now and not as of a block", async () => {
      const [{ chain, chainId }] = worlds as [World]
      const record = {
        state: auditStates[1],
        blockNumber: 5,
        time: 1_700_000_000,
        compared: 1,
        watched: [],
        differed: { from: 3, to: 7 },
      }
      const sort = sorts[1]!
      const query = { chains: [chainId] }
      const before = (await list(query, sort)({ limit: 1000 })).value
      expect(before.doubtful).toEqual([])
      const { logs, header } = chain.blocks[6]!
      const token = {
        standard: "erc20" as const,
        address: drifted,
        firstBlock: header.number,
        firstLogIndex: 0,
        firstTxHash: logs[0]!.txHash,
      }
      await store.run(AuditStore.use((port) => port.record(chainId, [{ token, record }])))
      const { items, doubtful } = (await list(query, sort)({ limit: 1000 })).value
      const isDrifted = (it: StoredHolding) => it.tokenAddress === drifted && it.standard === "erc20"
      expect(items).toEqual(before.items.filter((it) => !isDrifted(it)))
      expect(doubtful.length).toBeGreaterThan(0)
      const byHolder = (rows: ReadonlyArray<StoredHolding>) =>
        [...rows].sort((a, b) => (a.address < b.address ? -1 : 1))
      expect(byHolder(doubtful.filter(({ balance }) => BigInt(balance) > 0n))).toEqual(
        byHolder(before.items.filter(isDrifted)).map((it) => ({
          ...it,
          auditState: "drift",
          suspect: true,
          mixed: true,
        })),
      )
      // Of whom the ledger says that they hold nothing, or less, the contract may say otherwise.
      const without = doubtful.filter(({ balance }) => BigInt(balance) <= 0n)
      const moved = chain.blocks.flatMap(({ movements }) => movements.filter(({ token }) => token === drifted))
      const folded = (holder: string) =>
        moved.reduce(
          (sum, { debit, credit, amount }) =>
            sum + (credit === holder ? amount : 0n) - (debit === holder ? amount : 0n),
          0n,
        )
      expect(without.length).toBeGreaterThan(0)
      for (const { address, balance } of without) expect([address, BigInt(balance)]).toEqual([address, folded(address)])
      const touched = traders.filter((trader) => moved.some(({ debit, credit }) => [debit, credit].includes(trader)))
      expect(new Set(doubtful.map(({ address }) => address))).toEqual(new Set(touched))
      const at = (blockNumber: number) => ({ ...query, at: [{ chainId, blockNumber, hour: null }] })
      const then = (await list(at(7), sort)({ limit: 1000 })).value
      expect(then.doubtful).toEqual([])
      expect(new Set(then.items.filter(isDrifted).map(({ auditState }) => auditState))).toEqual(new Set(["drift"]))
      expect(then.items.length).toBe(truth({ ...asked, ...at(7) }, sort, 7).length)
      expect(chain.nextBlock).toBeGreaterThan(5)
    })
  })
