/** Random chains whose blocks hold all three standards, written straight into the tables, and a naive reader of their feeds. */
import type postgres from "postgres"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { type Account, burnAccount, mintAccount } from "../../../src/model/event.ts"
import { type Address, type ChainId, compareChainIds, dateTimeOf, zeroAddress } from "../../../src/model/primitives.ts"
import type { Standard } from "../../../src/model/token.ts"
import type { FeedKey, TransferFilter } from "../../../src/model/transfer.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { accounts, randomOf } from "./reads.support.ts"

export interface FeedRow {
  readonly standard: Standard
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub: number
  readonly time: number
  readonly txHash: string
  readonly from: Address
  readonly to: Address
  readonly tokenId: bigint
  readonly amount: bigint
}

export interface FeedChain {
  readonly chainId: ChainId
  readonly rows: ReadonlyArray<FeedRow>
  readonly head: { readonly number: number; readonly time: number }
}

/** The first emits all standards. */
export const feedTokens: ReadonlyArray<Address> = [1, 2, 3].map((number) => address(0xc00 + number))
export const ids = [0n, 1n, 2n, 7n, 2n ** 64n, 2n ** 256n - 1n]
const numbers: Record<Standard, number> = { erc20: 20, erc721: 721, erc1155: 1155 }

export interface FeedTraffic {
  readonly logs: number
  /** Most logs of a block. */
  readonly logsOfBlock: number
  /** Most rows of an NFT log. */
  readonly rowsOfLog: number
}

export const randomFeeds = (chainId: ChainId, seed: number, traffic: FeedTraffic): FeedChain => {
  const random = randomOf(seed)
  const rows: Array<FeedRow> = []
  let blockNumber = random.below(3)
  let time = 1_700_000_000
  for (let logs = 0; logs < traffic.logs; ) {
    const count = 1 + random.below(traffic.logsOfBlock)
    for (let at = 0, logIndex = random.below(3); at < count; at++, logIndex += 1 + random.below(3), logs++) {
      const standard = random.pick(["erc20", "erc721", "erc721", "erc1155", "erc1155"] as const)
      const account = () => accounts[Math.min(random.below(6), random.below(7))]!
      const log = {
        standard,
        token: random.pick(feedTokens),
        blockNumber,
        logIndex,
        time,
        txHash: hash(`${chainId} ${blockNumber} ${logIndex}`),
        from: account(),
        to: account(),
      }
      const several = standard === "erc20" ? 1 : random.pick([1, 1, 1, 1 + random.below(traffic.rowsOfLog)])
      for (let sub = 0; sub < several; sub++) {
        rows.push({ ...log, sub, tokenId: random.pick(ids), amount: BigInt(random.below(9)) })
      }
    }
    blockNumber += random.pick([1, 1, 1, 2, 3, 300])
    time += random.pick([0, 0, 0, 1, 1, 2, 5])
  }
  return { chainId, rows, head: { number: blockNumber, time } }
}

/** The accounts whose pair a row touches. */
const touched = ({ standard, from, to }: FeedRow): ReadonlyArray<Account> => {
  if (standard === "erc721") return [from, to].filter((account) => account !== zeroAddress)
  if (from === zeroAddress) return [mintAccount, to]
  return [from, to === zeroAddress ? burnAccount : to]
}

/** Makes the chain's schema and writes what feeds are read from. */
export const writeFeeds = async (sql: postgres.Sql, prefix: string, chain: FeedChain): Promise<void> => {
  const { chainId, rows, head } = chain
  const schema = `${prefix}_${chainId}`
  await migrate(sql, schema, ledgerMigrations)
  const insert = async (name: string, all: ReadonlyArray<object>): Promise<void> => {
    for (let at = 0; at < all.length; at += 1000)
      await sql`insert into ${sql(`${schema}.${name}`)} ${sql(all.slice(at, at + 1000))}`
  }
  const of = (standard: Standard) => rows.filter((row) => row.standard === standard)
  const idOf = ({ standard, token }: Pick<FeedRow, "standard" | "token">) =>
    1 + feedTokens.indexOf(token) * 3 + Object.keys(numbers).indexOf(standard)
  await insert("state", [
    {
      ledger_version: 1,
      settings_digest: "",
      settings: "",
      first_block: 0,
      next_block: head.number + 1,
      head_hash: hash("head"),
      head_parent: hash("parent"),
      head_time: head.time,
      erc20_transfers: of("erc20").length,
      erc721_transfers: of("erc721").length,
      erc1155_transfers: of("erc1155").length,
    },
  ])
  await insert("clock", [
    ...new Map(
      rows.toReversed().map(({ blockNumber: block, time }) => [block >> 8, { block, time }] as const),
    ).values(),
  ])
  const tokens = [...new Map(rows.map((row) => [idOf(row), row])).values()]
  await insert(
    "token",
    tokens.map((row) => ({
      token_id: idOf(row),
      standard: numbers[row.standard],
      address: row.token,
      name: row.standard === "erc1155" ? null : `name of ${row.standard}`,
      symbol: row.standard === "erc721" ? null : "SYM",
      decimals: row.standard === "erc20" ? 6 : null,
      first_pos: 0,
      sort_time: 0,
    })),
  )
  await insert(
    "token_stat",
    tokens.map((token) => ({
      token_id: idOf(token),
      standard: numbers[token.standard],
      address: token.token,
      transfers: rows.filter((row) => idOf(row) === idOf(token)).length,
      holder_seq: 99,
    })),
  )
  for (const standard of ["erc20", "erc721", "erc1155"] as const) {
    await insert(
      `${standard}_transfer`,
      of(standard).map((row) => ({
        pos: String((BigInt(row.blockNumber) << 24n) + BigInt(row.logIndex)),
        time: row.time,
        token_id: idOf(row),
        tx_hash: row.txHash,
        from_addr: row.from,
        to_addr: row.to,
        ...(standard === "erc20" ? {} : { sub: row.sub, nft_id: String(row.tokenId) }),
        ...(standard === "erc721" ? {} : { amount: String(row.amount) }),
      })),
    )
  }
  const blocks = new Map<string, Set<number>>()
  for (const row of rows) {
    for (const account of touched(row)) {
      const key = `${idOf(row)} ${account}`
      blocks.set(key, (blocks.get(key) ?? new Set()).add(row.blockNumber))
    }
  }
  const versions = [...blocks].map(([key, all], at) => {
    const [token, holder] = key.split(" ") as [string, string]
    const pair = { token_id: Number(token), holder_no: at, balance: 0 }
    return { holder, of: [...all].map((block_number) => ({ ...pair, block_number })) }
  })
  await insert(
    "balance",
    versions.map(({ holder, of }) => ({ ...of.at(-1)!, holder })),
  )
  await insert(
    "balance_history",
    versions.flatMap(({ of }) => of.slice(0, -1)),
  )
}

const passes = (row: FeedRow, filter: TransferFilter): boolean =>
  (filter.tokenAddress?.includes(row.token) ?? true) &&
  (filter.tokenId?.includes(String(row.tokenId)) ?? true) &&
  (filter.from?.includes(row.from) ?? true) &&
  (filter.to?.includes(row.to) ?? true) &&
  (filter.address?.some((who) => who === row.from || who === row.to) ?? true) &&
  row.blockNumber >= (filter.blockNumberFrom ?? 0) &&
  row.blockNumber <= (filter.blockNumberTo ?? Infinity)

/** The feed as records and keys, in the order asked for. */
export const naiveFeed = (
  chains: ReadonlyArray<FeedChain>,
  standard: Standard,
  filter: TransferFilter,
  direction: "asc" | "desc",
) => {
  const rows = chains
    .flatMap(({ chainId, rows }) => rows.map((row) => ({ ...row, chainId })))
    .filter((row) => row.standard === standard && passes(row, filter))
    .sort(
      (a, b) =>
        a.time - b.time ||
        compareChainIds(a.chainId, b.chainId) ||
        a.blockNumber - b.blockNumber ||
        a.logIndex - b.logIndex ||
        a.sub - b.sub,
    )
  if (direction === "desc") rows.reverse()
  return {
    items: rows.map((row) => ({
      chainId: row.chainId,
      blockNumber: row.blockNumber,
      txHash: row.txHash,
      logIndex: row.logIndex,
      from: row.from,
      to: row.to,
      createdAt: dateTimeOf(row.time),
      timestamp: dateTimeOf(row.time),
      tokenAddress: row.token,
      ...(standard === "erc20" ? {} : { tokenId: String(row.tokenId) }),
      ...(standard === "erc721" ? {} : { amount: String(row.amount) }),
      ...(standard === "erc1155" ? {} : { tokenName: `name of ${standard}` }),
      ...(standard === "erc721" ? {} : { tokenSymbol: "SYM" }),
      ...(standard === "erc20" ? { tokenDecimals: 6 } : {}),
    })),
    keys: rows.map(
      ({ time, chainId, blockNumber, logIndex, sub }): FeedKey => ({ time, chainId, blockNumber, logIndex, sub }),
    ),
  }
}
