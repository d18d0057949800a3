/** Page 10,000 by cursor against page 1, and where that page is. */
import { Effect } from "effect"
import type postgres from "postgres"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { quantile } from "../support/output.ts"
import type { Stores } from "../support/stores.ts"
import type { Depths } from "./question.ts"
import { placeInFeed, type Subjects } from "./subjects.ts"

const limit = 25
/** Rows before page 10,000, or as near as the list goes. */
const far = (rows: number): number => Math.max(0, Math.min(9_999 * limit, rows - 2 * limit))

export const findDepths = async (sql: postgres.Sql, schema: string, subjects: Subjects): Promise<Depths> => {
  const { chainId, hotToken, transfers } = subjects
  const table = (name: string) => sql(`${schema}.${name}`)
  const [hot] = await sql`
    select token_id, transfers::int, holders::int from ${table("token_stat")} where address = decode(${hotToken.slice(2)}, 'hex')`
  const [holder] = await sql`
    select '0x' || encode(holder, 'hex') as address, balance::text from ${table("balance")}
    where token_id = ${hot!.token_id} and balance > 0 and octet_length(holder) = 20
    order by balance desc, holder offset ${far(hot!.holders)} limit 1`
  const [middle] = await sql`
    select '0x' || encode(t.address, 'hex') as address, t.sort_time::int as "createdAt", t.name, s.holders::int as "holdersCount"
    from ${table("token")} t join ${table("token_stat")} s using (token_id)
    where t.name is not null order by t.token_id offset (select count(*) / 2 from ${table("token")}) limit 1`
  const place = (value: number | string) => ({ value, chainId, address: middle!.address as string })
  return {
    feed: await placeInFeed(sql, schema, chainId, far(transfers)),
    tokenFeed: await placeInFeed(sql, schema, chainId, far(hot!.transfers), hotToken),
    holders: { address: holder!.address, balance: holder!.balance },
    tokens: {
      createdAt: place(middle!.createdAt),
      holdersCount: place(middle!.holdersCount),
      name: place(middle!.name),
    },
  }
}

/** A line for each list: milliseconds of both pages, middle of many tries in turn. */
export const compareDepths = async (
  stores: Stores,
  subjects: Subjects,
  depths: Depths,
): Promise<ReadonlyArray<string>> => {
  const { chainId, hotToken } = subjects
  const feed = (tokenAddress: ReadonlyArray<string> | undefined, after?: Depths["feed"]) =>
    TransferStore.use((it) =>
      it.list({
        standard: "erc20",
        chains: [chainId],
        filter: tokenAddress === undefined ? {} : { tokenAddress },
        direction: "desc",
        page: { limit, ...(after === undefined ? {} : { after }) },
        count: false,
      }),
    ).pipe(Effect.asVoid)
  const holders = (after?: Depths["holders"]) =>
    HolderStore.use((it) =>
      it.list("erc20", {
        chainId,
        token: hotToken,
        page: { limit, ...(after === undefined ? {} : { after }) },
        count: false,
      }),
    ).pipe(Effect.asVoid)
  const lists = [
    ["transfers of the chain", feed(undefined), feed(undefined, depths.feed)],
    ["transfers of a hot token", feed([hotToken]), feed([hotToken], depths.tokenFeed)],
    ["holders of a hot token", holders(), holders(depths.holders)],
  ] as const
  const lines: Array<string> = []
  for (const [name, first, deep] of lists) {
    const times: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round < 200; round++) {
      for (const [index, ask] of [first, deep].entries()) {
        const before = performance.now()
        await stores.run(ask)
        if (round >= 20) times[index]!.push(performance.now() - before)
      }
    }
    const [near, distant] = times.map((values) => quantile(values, 0.5).toFixed(2))
    lines.push(`  ${name}: page 1 in ${near} ms, page 10,000 (or the last) by cursor in ${distant} ms`)
  }
  return lines
}
