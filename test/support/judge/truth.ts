/** What the chain itself says: its logs folded in the plainest way. */
import { callBatch } from "../../../demo/chain/rpc.ts"
import { nobody, type RawLog, rowsOf, type TrueRow, type TrueStandard, wrapOf } from "./trueLogs.ts"
import { swapOf, type TrueSwap } from "./trueSwaps.ts"

export { nobody, type TrueRow, type TrueStandard } from "./trueLogs.ts"

/** ERC-20. */
export interface TrueToken {
  readonly balances: Map<string, bigint>
  supply: bigint
}

/** ERC-721. */
export interface TrueCollection {
  readonly owners: Map<bigint, string>
  /** Seconds, of the latest mint of each id that lives. */
  readonly mintedAt: Map<bigint, number>
}

/** ERC-1155: amounts by id, then holder. */
export type TrueGoods = Map<bigint, Map<string, bigint>>

export interface Truth {
  /** The block which everything here speaks of. */
  readonly head: { readonly number: number; readonly hash: string; readonly time: number }
  /** By address: every contract with an ERC-20 transfer, or that wraps. */
  readonly tokens: ReadonlyMap<string, TrueToken>
  readonly collections: ReadonlyMap<string, TrueCollection>
  readonly goods: ReadonlyMap<string, TrueGoods>
  /** Ascending by block, log and place in it. */
  readonly rows: Readonly<Record<TrueStandard, ReadonlyArray<TrueRow>>>
  /** Ascending by block and log. */
  readonly swaps: ReadonlyArray<TrueSwap>
  /** The same, of an older block. */
  readonly at: (block: number) => Truth
}

/** Folds all of the node's logs. `wrapped`: the token whose Deposit and Withdrawal count, and whose zero address holds. */
export const foldTruth = async (url: string, wrapped: string): Promise<Truth> => {
  const [head] = (await callBatch<Record<"number" | "hash" | "timestamp", string>>(url, [
    { method: "eth_getBlockByNumber", params: ["latest", false] },
  ])) as [Record<"number" | "hash" | "timestamp", string>]
  const [logs] = (await callBatch<ReadonlyArray<RawLog>>(url, [
    { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: head.number }] },
  ])) as [ReadonlyArray<RawLog>]
  return fold({ number: Number(head.number), hash: head.hash, time: Number(head.timestamp) }, logs, wrapped)
}

/** All logs of a chain up to `head`, folded. */
export const fold = (head: Truth["head"], logs: ReadonlyArray<RawLog>, wrapped: string): Truth => {
  const tokens = new Map<string, TrueToken>()
  const collections = new Map<string, TrueCollection>()
  const goods = new Map<string, TrueGoods>()
  const rows = { erc20: [], erc721: [], erc1155: [] } as Record<TrueStandard, Array<TrueRow>>
  const tokenOf = (address: string) => known(tokens, address, () => ({ balances: new Map(), supply: 0n }))
  for (const log of logs) {
    for (const row of rowsOf(log)) {
      rows[row.standard].push(row)
      if (row.standard === "erc20") moveAmount(tokenOf(row.token), row, row.token === wrapped)
      else if (row.standard === "erc721")
        moveId(
          known(collections, row.token, () => ({ owners: new Map(), mintedAt: new Map() })),
          row,
        )
      else moveGoods(known(goods, row.token, () => new Map()) as TrueGoods, row)
    }
    const address = log.address.toLowerCase()
    const wrap = address === wrapped ? wrapOf(log) : undefined
    if (wrap === undefined) continue
    tokenOf(address).supply += wrap[1]
    add(tokenOf(address).balances, wrap[0], wrap[1])
  }
  const at = (block: number) =>
    fold(
      { number: block, hash: "", time: 0 },
      logs.filter((log) => Number(log.blockNumber) <= block),
      wrapped,
    )
  const swaps = logs.flatMap((log) => swapOf(log) ?? [])
  return { head, tokens, collections, goods, rows, swaps, at }
}

const moveAmount = (token: TrueToken, { from, to, amount }: TrueRow, zeroHolds: boolean) => {
  const burns = from !== nobody && to === nobody && !zeroHolds
  if (from === nobody) token.supply += amount
  else add(token.balances, from, -amount)
  if (burns) token.supply -= amount
  else add(token.balances, to, amount)
}

const moveId = ({ owners, mintedAt }: TrueCollection, { to, tokenId, time }: TrueRow) => {
  if (to === nobody) {
    owners.delete(tokenId)
    mintedAt.delete(tokenId)
    return
  }
  if (!owners.has(tokenId)) mintedAt.set(tokenId, time)
  owners.set(tokenId, to)
}

const moveGoods = (goods: TrueGoods, { from, to, tokenId, amount }: TrueRow) => {
  const holders = known(goods, tokenId, () => new Map<string, bigint>())
  if (from !== nobody) add(holders, from, -amount)
  if (from === nobody || to !== nobody) add(holders, to, amount)
}

const add = (balances: Map<string, bigint>, holder: string, amount: bigint) =>
  balances.set(holder, (balances.get(holder) ?? 0n) + amount)

const known = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** What is held of every contract. */
export type Holdings = Pick<Truth, "tokens" | "collections" | "goods">

export type Held = ReadonlyArray<readonly [holder: string, balance: bigint]>

/** Balance descending, then address: those above zero. Of ERC-721 the number of ids, of ERC-1155 the sum of what is above zero. */
export const holdersOf = (truth: Holdings, standard: TrueStandard, address: string): Held => {
  const balances = new Map<string, bigint>()
  if (standard === "erc20")
    for (const [holder, balance] of truth.tokens.get(address)?.balances ?? []) add(balances, holder, balance)
  if (standard === "erc721")
    for (const owner of truth.collections.get(address)?.owners.values() ?? []) add(balances, owner, 1n)
  if (standard === "erc1155") for (const [, holder, balance] of unitsOf(truth, address)) add(balances, holder, balance)
  return [...balances]
    .filter(([, balance]) => balance > 0n)
    .sort(([a, x], [b, y]) => (x === y ? before(a, b) : x > y ? -1 : 1))
}

/** What is held of an ERC-1155 contract: balance descending, then address, then id. */
export const unitsOf = (
  truth: Pick<Holdings, "goods">,
  address: string,
): ReadonlyArray<readonly [id: bigint, holder: string, balance: bigint]> =>
  [...(truth.goods.get(address) ?? [])]
    .flatMap(([id, holders]) => [...holders].map(([holder, balance]) => [id, holder, balance] as const))
    .filter(([, , balance]) => balance > 0n)
    .sort(([i, a, x], [j, b, y]) => (x !== y ? (x > y ? -1 : 1) : a !== b ? before(a, b) : i < j ? -1 : 1))

/** The ids of an ERC-721 contract that live, ascending. */
export const idsOf = (truth: Pick<Holdings, "collections">, address: string): ReadonlyArray<bigint> =>
  [...(truth.collections.get(address)?.owners.keys() ?? [])].sort((a, b) => (a < b ? -1 : 1))

/** The contracts of a standard, by address. */
export const contractsOf = (truth: Truth, standard: TrueStandard): ReadonlyArray<string> =>
  [...{ erc20: truth.tokens, erc721: truth.collections, erc1155: truth.goods }[standard].keys()].sort()

const before = (a: string, b: string): number => (a < b ? -1 : 1)
