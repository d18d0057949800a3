/** The ledger's tables as the simplest fold there is: maps, bigint, one row at a time. */
import {
  burnAccount,
  isReserved,
  mintAccount,
  type NftMovement,
  type PoolFacts,
  type SwapMovement,
} from "../../../src/model/event.ts"
import { isManaged } from "../../../src/model/poolKey.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import type { Standard } from "../../../src/model/token.ts"
import type { TestChain } from "../../support/chain/testChain.ts"

interface Version {
  readonly block: number
  readonly balance: bigint
}

/** Versions by a key of words. */
class Book {
  readonly versions = new Map<string, Array<Version>>()

  touch(key: string, block: number, change: bigint): void {
    const list = this.versions.get(key) ?? []
    const balance = this.of(key) + change
    if (list.at(-1)?.block === block) list.pop()
    list.push({ block, balance })
    this.versions.set(key, list)
  }

  of(key: string): bigint {
    return this.versions.get(key)?.at(-1)?.balance ?? 0n
  }

  /** The newest versions, or all others. */
  rows(newest: boolean) {
    return [...this.versions].flatMap(([key, list]) =>
      (newest ? list.slice(-1) : list.slice(0, -1)).map((version) => ({ key: key.split(" "), ...version })),
    )
  }
}

interface Nft {
  readonly standard: string
  readonly token: string
  readonly id: string
  readonly owner: string | null
  readonly block: number
  readonly mint: string | null
}

/** What `contentOfTables` gives for a ledger that holds exactly this chain. */
export const naiveContent = (chain: TestChain, finalizedBlock: number, nodeHead: number) => {
  const movements = chain.blocks.flatMap((block) => block.movements)
  const nftRows = chain.blocks.flatMap((block) => block.nfts)
  const transfers = movements.filter(({ kind }) => kind === "transfer")
  const pairs = new Book()
  const units = new Book()
  const owned = new Map<string, Nft>()
  const listed = [...transfers.map((row) => ({ ...row, standard: "erc20" as Standard })), ...nftRows]
  const firsts = new Map<
    string,
    { standard: Standard; blockNumber: number; logIndex: number; time: number; txHash: string }
  >()
  for (const row of [...movements.map((it) => ({ ...it, standard: "erc20" as Standard })), ...nftRows]) {
    const key = `${row.standard} ${row.token}`
    if (!firsts.has(key)) firsts.set(key, row)
  }
  for (const { token, blockNumber, debit, credit, amount } of movements) {
    pairs.touch(`erc20 ${token} ${debit}`, blockNumber, -amount)
    pairs.touch(`erc20 ${token} ${credit}`, blockNumber, amount)
  }
  for (const row of nftRows) if (row.standard === "erc721") moveId(pairs, owned, row)
  for (const row of nftRows) if (row.standard === "erc1155") moveUnits(pairs, units, row)

  const swapContent = naiveSwaps(chain)
  const head = chain.blocks.at(-1)?.header
  const standards = ["erc20", "erc721", "erc1155"] as const
  const count = (rows: Iterable<{ standard: string }>, standard: Standard) =>
    [...rows].filter((row) => row.standard === standard).length
  const version = ({ key: [standard, token, holder], block, balance }: ReturnType<Book["rows"]>[number]) => ({
    standard: numberOf(standard!),
    token: bare(token!),
    holder: bare(holder!),
    block,
    balance: String(balance),
  })
  const unit = ({ key: [token, id, holder], block, balance }: ReturnType<Book["rows"]>[number]) => ({
    token: bare(token!),
    id,
    holder: bare(holder!),
    block,
    balance: String(balance),
  })
  return {
    state: [
      {
        next_block: chain.nextBlock,
        finalized_block: finalizedBlock,
        node_head: nodeHead,
        head_hash: head === undefined ? null : bare(head.hash),
        head_parent: head === undefined ? null : bare(head.parentHash),
        head_time: head?.time ?? null,
        tokens: standards.map((standard) => count(firsts.values(), standard)),
        transfers: standards.map((standard) => count(listed, standard)),
        swaps: swapContent.swap.length,
      },
    ],
    block: chain.blocks
      .map(({ header }) => header)
      .filter(({ number }) => number >= finalizedBlock)
      .map(({ number, hash, parentHash, time }) => ({ number, hash: bare(hash), parent_hash: bare(parentHash), time })),
    token: sorted(
      [...firsts].map(([key, { blockNumber, logIndex, time, txHash }]) => {
        const [standard, address] = key.split(" ") as [Standard, string]
        const own = listed.filter((row) => row.standard === standard && row.token === address)
        const since = (hours: number) => own.filter((row) => row.time > (head?.time ?? 0) - hours * 3600).length
        const held = (book: Book, own: string) =>
          book.rows(true).filter(({ key, balance }) => `${key.join(" ")} `.startsWith(`${own} `) && balance > 0n)
        return {
          standard: numberOf(standard),
          address: bare(address),
          block: String(blockNumber),
          log_index: String(logIndex),
          sort_time: time,
          first_tx: bare(txHash),
          transfers: own.length,
          holders: held(pairs, key).filter((pair) => !isReserved(pair.key[2]!)).length,
          ids:
            standard === "erc721"
              ? [...owned.values()].filter(({ token, owner }) => token === address && owner !== null).length
              : standard === "erc1155"
                ? held(units, address).length
                : 0,
          last: [since(24), since(48), since(72)],
          stat_standard: numberOf(standard),
          stat_address: bare(address),
        }
      }),
    ),
    transfer: sorted(
      listed.map((row) => ({
        block: String(row.blockNumber).padStart(10, "0"),
        log_index: String(row.logIndex).padStart(8, "0"),
        sub: "sub" in row ? row.sub : 0,
        standard: numberOf(row.standard),
        time: row.time,
        token: bare(row.token),
        tx_hash: bare(row.txHash),
        from: bare(row.from),
        to: bare(row.to),
        id: "tokenId" in row ? String(row.tokenId) : null,
        amount: row.standard === "erc721" ? null : String(row.amount),
      })),
    ),
    wrap: movements
      .filter(({ kind }) => kind === "wrap")
      .map(({ blockNumber, logIndex, token, debit, credit, amount }) => ({
        block: String(blockNumber),
        log_index: String(logIndex),
        token: bare(token),
        holder: bare(isReserved(debit) ? credit : debit),
        amount: String(isReserved(debit) ? amount : -amount),
      })),
    odd_log: chain.blocks
      .flatMap(({ odd }) => odd)
      .map(({ blockNumber, logIndex, time, txIndex, hasRows, contract, txHash, topics, data }) => ({
        block: String(blockNumber),
        log_index: String(logIndex),
        time,
        tx_index: txIndex ?? null,
        has_rows: hasRows,
        contract: bare(contract),
        tx_hash: bare(txHash),
        topics: topics.map(bare),
        data: bare(data),
      })),
    balance: sorted(pairs.rows(true).map(version)),
    history: sorted(pairs.rows(false).map(version)),
    nft: sorted(
      [...owned.values()].map(({ token, id, owner, block, mint }) => ({
        token: bare(token),
        id,
        owner: owner === null ? null : bare(owner),
        block,
        mint,
      })),
    ),
    ...swapContent,
    unit: sorted(units.rows(true).map(unit)),
    unit_history: sorted(units.rows(false).map(unit)),
  }
}

/** A pool begins with its first swap, or where it is initialized; earlier swaps are of no pool. */
const naiveSwaps = (chain: TestChain) => {
  const pools = new Map<string, Omit<PoolFacts, "since"> & { readonly since: number }>()
  const assets = new Map<string, { readonly decimals: number; readonly since: number }>()
  const swaps: Array<SwapMovement> = []
  for (const { header, swaps: made, initialized } of chain.blocks) {
    const since = header.number
    for (const { pool } of [...made.filter(({ pool }) => !isManaged(pool)), ...initialized]) {
      const facts = chain.pools.get(pool)
      if (facts === undefined || pools.has(pool)) continue
      pools.set(pool, { ...facts, since })
      for (const [token, decimals] of [
        [facts.token0, facts.decimals0],
        [facts.token1, facts.decimals1],
      ] as const) {
        if (!assets.has(token)) assets.set(token, { decimals, since })
      }
    }
    swaps.push(...made.filter(({ pool }) => pools.has(pool)))
  }
  return {
    swap: swaps.map(({ pool, paid0, paid, got, blockNumber, logIndex, time, txHash }) => {
      const { token0, token1 } = pools.get(pool)!
      return {
        block: String(blockNumber),
        log_index: String(logIndex),
        time,
        pool: keyOf(pool),
        token_in: bare(paid0 ? token0 : token1),
        token_out: bare(paid0 ? token1 : token0),
        tx_hash: bare(txHash),
        qty_in: String(paid),
        qty_out: String(got),
      }
    }),
    pool: sorted(
      [...pools.values()].map(({ pool, token0, token1, factory, since }) => ({
        key: keyOf(pool),
        token0: bare(token0),
        token1: bare(token1),
        factory: factory === undefined ? null : bare(factory),
        since,
      })),
    ),
    asset: sorted([...assets].map(([address, asset]) => ({ address: bare(address), ...asset }))),
  }
}

const moveId = (pairs: Book, owned: Map<string, Nft>, row: NftMovement): void => {
  const { standard, token, blockNumber, logIndex, time, tokenId, from, to } = row
  const key = `${token} ${tokenId}`
  const before = owned.get(key)
  const owner = before?.owner ?? null
  const next = to === zeroAddress ? null : to
  for (const party of [from, to])
    if (party !== zeroAddress) pairs.touch(`${standard} ${token} ${party}`, blockNumber, 0n)
  if (owner !== null || next !== null) {
    pairs.touch(`${standard} ${token} ${owner ?? mintAccount}`, blockNumber, -1n)
    pairs.touch(`${standard} ${token} ${next ?? burnAccount}`, blockNumber, 1n)
  }
  const mint = owner === null ? `${blockNumber} ${logIndex} ${time}` : before!.mint
  owned.set(key, { standard, token, id: String(tokenId), owner: next, block: blockNumber, mint: next && mint })
}

const moveUnits = (
  pairs: Book,
  units: Book,
  { standard, token, blockNumber, tokenId, from, to, amount }: NftMovement,
) => {
  const change = (holder: string, by: bigint) => {
    const key = `${token} ${tokenId} ${holder}`
    const held = () => (units.of(key) > 0n ? units.of(key) : 0n)
    const before = held()
    units.touch(key, blockNumber, by)
    pairs.touch(`${standard} ${token} ${holder}`, blockNumber, held() - before)
  }
  if (from !== zeroAddress) change(from, -amount)
  if (from === zeroAddress || to !== zeroAddress) change(to, amount)
}

const numbers: Readonly<Record<string, number>> = { erc20: 20, erc721: 721, erc1155: 1155 }
const numberOf = (standard: string): number => numbers[standard]!
const bare = (hex: string): string => hex.slice(2)
const keyOf = (pool: string): string => pool.replaceAll(/0x|\//g, "")

/** In the order of their JSON texts: as good as any, and the same on both sides. */
export const sorted = <Row>(rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ row }) => row)
