/** Questions that only Etherscan's own wordings ask: pages of a wallet's transfers by offset, blocks by time, top holders; and approvals. */
import { Effect } from "effect"
import type postgres from "postgres"
import { type Address, type ChainId, zeroAddress } from "../../src/model/primitives.ts"
import { standards } from "../../src/model/token.ts"
import { ApprovalStore } from "../../src/ports/ApprovalStore.ts"
import { BlockTimes } from "../../src/ports/BlockTimes.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { limit, type Question } from "./question.ts"
import type { Subjects } from "./subjects.ts"

/** The owner of most approvals that `seedApprovals` makes. */
export const owner = `0x${"ab".repeat(20)}` as Address

/** Approvals in a ledger that was made without: one owner has a thousand, one in ten of them taken back; the others have few. */
export const seedApprovals = async (sql: postgres.Sql, schema: string, rows: number): Promise<void> => {
  await sql.unsafe(`
    insert into ${schema}.approval
    select (n::int8 << 24), 1700000000 + n, 0, 0, decode(lpad(to_hex(n % 997), 40, '0'), 'hex'),
      case when n <= 1000 then '\\x${owner.slice(2)}'::bytea else decode(lpad(to_hex(n / 3), 40, 'c'), 'hex') end,
      decode(lpad(to_hex(n % 13), 40, 'd'), 'hex'), 0, '\\x', case when n % 10 = 0 then 0 else n end, sha256(int8send(n))
    from generate_series(1, ${rows}) n`)
  await sql.unsafe(`vacuum analyze ${schema}.approval`)
}

/** Times that no block, some block and every block is older than. */
const times = [0, 1_650_000_000, 4_000_000_000]

export const etherscanQuestions = (
  { chainId, hotToken, rareToken, exchange, trader, wallet }: Subjects,
  firstTime: number,
): ReadonlyArray<Question> => [
  ...standards.flatMap((standard) =>
    (
      [
        ["a wallet", wallet],
        ["a trader", trader],
        ["an exchange", exchange],
      ] as const
    ).flatMap(([name, address]) =>
      [0, 1000].map((skip): Question => {
        const isWide = name !== "a wallet"
        return {
          name: `${standard} transfers of ${name} by page and offset, behind ${skip}`,
          ask: transfersOf(standard, chainId, address, skip),
          ...(isWide || skip > 0
            ? { excuse: "an account's pairs are all looked at; paging by number walks what comes before" }
            : {}),
        }
      }),
    ),
  ),
  ...[...times, firstTime + 1000].map(
    (time): Question => ({
      name: `the blocks around time ${time}`,
      ask: BlockTimes.use((it) => it.around(chainId, time)).pipe(Effect.as(1)),
      excuse: "the window of newest blocks is looked through (FINALITY of them at most), and a few rows of each feed",
    }),
  ),
  ...[5, 10_001].map(
    (block): Question => ({
      name: `when block ${block} was`,
      ask: BlockTimes.use((it) => it.when(chainId, block)).pipe(Effect.as(1)),
    }),
  ),
  ...([hotToken, rareToken] as const).map(
    (token, index): Question => ({
      name: `the largest 1,000 holders of a ${index === 0 ? "hot" : "rare"} token`,
      ask: HolderStore.use((it) => it.listWindow(chainId, token, { page: 1, offset: 1000 })).pipe(
        Effect.map(({ value }) => value.length),
      ),
    }),
  ),
  ...(
    [
      ["many", owner],
      ["no", zeroAddress],
    ] as const
  ).flatMap(([name, by]) =>
    [false, true].map(
      (count): Question => ({
        name: `approvals of an owner of ${name}${count ? ", with count" : ""}`,
        ask: ApprovalStore.use((it) => it.list({ chainId, owner: by, page: { limit }, count })).pipe(
          Effect.map(({ value }) => Math.max(value.items.length, value.count?.count ?? 0)),
        ),
      }),
    ),
  ),
]

const transfersOf = (standard: (typeof standards)[number], chainId: ChainId, address: Address, skip: number) =>
  TransferStore.use((it) =>
    it.list({
      standard,
      chains: [chainId],
      filter: { address: [address] },
      direction: "desc",
      page: { limit },
      count: false,
      skip,
    }),
  ).pipe(Effect.map(({ value }) => value.items.length))
