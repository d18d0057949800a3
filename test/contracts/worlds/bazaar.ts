/** A chain on which contracts of every standard, and of several, are used in every odd way; and what is true of it. */
import { type Account, isReserved } from "../../../src/model/event.ts"
import { type Address, zeroAddress } from "../../../src/model/primitives.ts"
import type { Standard } from "../../../src/model/token.ts"
import {
  address,
  consecutiveTransfer,
  multiTransfer,
  nftTransfer,
  type TestBlock,
  TestChain,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"

export const traders: ReadonlyArray<Address> = [1, 2, 3, 4, 5].map((n) => address(0xb000 + n))
const hugeIds = [2n ** 256n - 1n, 2n ** 256n - 2n, 2n ** 255n, 10n ** 30n]
const ids = [0n, 1n, 2n, 9n, 10n, 11n, 100n, ...hugeIds]
const amounts = [0n, 1n, 1n, 5n, 2n ** 200n]

/** The standards that each contract emits. */
export const contracts: ReadonlyArray<{ readonly address: Address; readonly emits: ReadonlyArray<Standard> }> = [
  ["erc20"],
  ["erc721"],
  ["erc1155"],
  ["erc20", "erc721"],
  ["erc721", "erc1155"],
  ["erc20", "erc1155"],
  ["erc20", "erc721", "erc1155"],
].map((emits, index) => ({ address: address(0x8000 + 16 * index), emits: emits as ReadonlyArray<Standard> }))

/** Sixty blocks over five days: mints, gifts by owners and by liars, burns, mints of burnt ids, batches with an id twice. */
export const bazaar = (seed: number, wrapped: ReadonlyArray<Address> = []): TestChain => {
  let state = seed
  const below = (bound: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * bound)
  }
  const pick = <A>(values: ReadonlyArray<A>): A => values[below(values.length)]!
  const party = () => (below(4) === 0 ? zeroAddress : pick(traders))
  const eventOf = (contract: Address, standard: Standard): TestEvent => {
    if (standard === "erc20") return transfer(contract, party(), party(), pick(amounts))
    if (standard === "erc721") return nftTransfer(contract, party(), party(), pick(ids))
    const units = Array.from({ length: below(4) }, () => [pick(ids), pick(amounts)] as const)
    return multiTransfer(contract, party(), party(), units)
  }
  const chain = new TestChain(new Set(wrapped))
  for (const { address: contract, emits } of contracts) {
    chain.block(
      emits.map((standard) => {
        if (standard === "erc20") return transfer(contract, zeroAddress, traders[0]!, 100n)
        if (standard === "erc721") return nftTransfer(contract, zeroAddress, traders[0]!, 7n)
        return multiTransfer(
          contract,
          zeroAddress,
          traders[0]!,
          ids.slice(0, 3).map((id) => [id, 4n] as const),
        )
      }),
    )
  }
  for (let block = 0; block < 60; block++) {
    const events = Array.from({ length: below(6) }, () => {
      const { address: contract, emits } = pick(contracts)
      return eventOf(contract, pick(emits))
    })
    chain.block(events, { time: chain.blocks.at(-1)!.header.time + pick([0, 12, 3_600, 14_400]) })
  }
  return chain
}

/** A hundred and fifty ids of one ERC-721, some burnt, and as many rows of one ERC-1155, most of them equal. */
export const crowd = (): TestChain => {
  const [art, goods, coin] = crowded
  const people = Array.from({ length: 150 }, (_, n) => address(0xc000 + n))
  return new TestChain()
    .block([consecutiveTransfer(art, zeroAddress, people[0]!, 0n, 149n)])
    .block(people.slice(0, 40).map((person, n) => nftTransfer(art, people[0]!, person, BigInt(3 * n))))
    .block(hugeIds.map((id) => nftTransfer(art, zeroAddress, people[0]!, id)))
    .block([2n, 5n, 148n].map((id) => nftTransfer(art, people[0]!, zeroAddress, id)))
    .block(
      people.map((person, n) =>
        multiTransfer(
          goods,
          zeroAddress,
          person,
          (n < 5 ? ids : ids.slice(-1)).map((id, place) => [id, place % 3 === 0 ? 7n : 2n ** 256n - 1n] as const),
        ),
      ),
    )
    .block(people.map((person, n) => transfer(coin, zeroAddress, person, n % 3 === 0 ? 2n ** 255n : 7n)))
}
export const crowded = [address(0x9001), address(0x9002), address(0x9003)] as const

export interface Facts {
  readonly standard: Standard
  readonly address: Address
  readonly firstTime: number
  /** Of the rows of its feed. */
  readonly times: ReadonlyArray<number>
  readonly supply: bigint
  /** Every account's, addresses and reserved ones, whatever its sign. */
  readonly balances: ReadonlyMap<Account, bigint>
  /** Above zero, largest first, then by address. */
  readonly holders: ReadonlyArray<{ readonly address: Address; readonly balance: string }>
  /** ERC-1155: above zero, largest first, then by address and id. */
  readonly units: ReadonlyArray<{ readonly address: Address; readonly tokenId: string; readonly balance: string }>
  /** ERC-721: live ids ascending. */
  readonly ids: ReadonlyArray<{ readonly tokenId: string; readonly owner: Address; readonly mintTime: number }>
}

const compare = (a: bigint | string, b: bigint | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What is true of every token after the blocks. */
export const factsOf = (blocks: ReadonlyArray<TestBlock>): ReadonlyArray<Facts> => {
  const found = new Map<string, { standard: Standard; address: Address; times: Array<number>; firstTime: number }>()
  const sums = new Map<string, Map<Account, bigint>>()
  const units = new Map<string, Map<string, bigint>>()
  const owners = new Map<string, Map<bigint, { owner: Address; mintTime: number }>>()
  const inner = <K, V>(all: Map<string, Map<K, V>>, key: string): Map<K, V> => {
    const map = all.get(key) ?? new Map<K, V>()
    all.set(key, map)
    return map
  }
  const add = <K>(all: Map<K, bigint>, key: K, by: bigint) => all.set(key, (all.get(key) ?? 0n) + by)
  for (const { header, movements, nfts } of blocks) {
    const { time } = header
    const see = (standard: Standard, token: Address): string => {
      const key = `${standard}:${token}`
      if (!found.has(key)) found.set(key, { standard, address: token, times: [], firstTime: time })
      return key
    }
    for (const { token, debit, credit, amount, kind } of movements) {
      const key = see("erc20", token)
      if (kind === "transfer") found.get(key)!.times.push(time)
      add(inner(sums, key), debit, -amount)
      add(inner(sums, key), credit, amount)
    }
    for (const { standard, token, from, to, tokenId, amount } of nfts) {
      const key = see(standard, token)
      found.get(key)!.times.push(time)
      if (standard === "erc721") {
        const all = inner(owners, key)
        const mintTime = all.get(tokenId)?.mintTime ?? time
        if (to === zeroAddress) all.delete(tokenId)
        else all.set(tokenId, { owner: to, mintTime })
      } else {
        if (from !== zeroAddress) add(inner(units, key), `${from} ${tokenId}`, -amount)
        if (from === zeroAddress || to !== zeroAddress) add(inner(units, key), `${to} ${tokenId}`, amount)
      }
    }
  }
  return [...found].map(([key, token]) => {
    const held = [...inner(units, key)].flatMap(([unit, balance]) => {
      const [owner, tokenId] = unit.split(" ") as [Address, string]
      return balance > 0n ? [{ address: owner, tokenId, balance }] : []
    })
    const live = [...inner(owners, key)].map(([tokenId, facts]) => ({ tokenId, ...facts }))
    const balances = new Map(inner(sums, key))
    for (const { address: owner, balance } of held) add(balances, owner, balance)
    for (const { owner } of live) add(balances, owner, 1n)
    const reserved = [...balances].filter(([account]) => isReserved(account))
    return {
      ...token,
      balances,
      supply:
        token.standard === "erc721" ? BigInt(live.length) : -reserved.reduce((sum, [, balance]) => sum + balance, 0n),
      holders: [...balances]
        .flatMap(([account, balance]) => (isReserved(account) || balance <= 0n ? [] : [{ address: account, balance }]))
        .sort((a, b) => compare(b.balance, a.balance) || compare(a.address, b.address))
        .map(({ address, balance }) => ({ address, balance: String(balance) })),
      units: held
        .sort(
          (a, b) =>
            compare(b.balance, a.balance) ||
            compare(a.address, b.address) ||
            compare(BigInt(a.tokenId), BigInt(b.tokenId)),
        )
        .map((unit) => ({ ...unit, balance: String(unit.balance) })),
      ids: live
        .sort((a, b) => compare(a.tokenId, b.tokenId))
        .map(({ tokenId, ...facts }) => ({ tokenId: String(tokenId), ...facts })),
    }
  })
}
