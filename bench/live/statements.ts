/** What the writer's statements cost the server while blocks come: `pg_stat_statements`, where the server has it. */
import type postgres from "postgres"

/** One kind of statement, over all blocks of a phase. */
export interface StatementCost {
  readonly what: string
  readonly calls: number
  /** At the server, planning included. */
  readonly milliseconds: number
}

type Cost = Omit<StatementCost, "what">

const shownLength = 70

export interface StatementCosts {
  readonly reset: () => Promise<void>
  /** Dearest first: of the writer, and of all else, by how each begins. */
  readonly read: () => Promise<{ writer: ReadonlyArray<StatementCost>; others: ReadonlyArray<StatementCost> }>
}

/** Undefined where the server does not keep them. */
export const openStatementCosts = async (sql: postgres.Sql): Promise<StatementCosts | undefined> => {
  try {
    await sql`create extension if not exists pg_stat_statements`
    await sql`select pg_stat_statements_reset()`
  } catch {
    return undefined
  }
  return {
    reset: async () => {
      await sql`select pg_stat_statements_reset()`
    },
    read: async () => {
      const rows = await sql<Array<{ query: string; calls: number; milliseconds: number }>>`
        select query, calls::int, total_exec_time + total_plan_time as milliseconds from pg_stat_statements`
      const sums = { writer: new Map<string, Cost>(), others: new Map<string, Cost>() }
      for (const { query, calls, milliseconds } of rows) {
        const kind = kinds.find(([pattern]) => pattern.test(query))?.[1]
        const of = kind === undefined ? sums.others : sums.writer
        const what =
          kind ??
          query
            .replaceAll(/[\s"]+/g, " ")
            .trim()
            .slice(0, shownLength)
        const sum = of.get(what) ?? { calls: 0, milliseconds: 0 }
        of.set(what, { calls: sum.calls + calls, milliseconds: sum.milliseconds + milliseconds })
      }
      const sorted = (of: ReadonlyMap<string, Cost>) =>
        [...of].map(([what, cost]) => ({ what, ...cost })).sort((a, b) => b.milliseconds - a.milliseconds)
      return { writer: sorted(sums.writer), others: sorted(sums.others) }
    },
  }
}

/** By the text that only the writer sends, in this order. */
const kinds: ReadonlyArray<readonly [RegExp, string]> = [
  [/^begin/i, "begin"],
  [/^commit/i, "commit"],
  [/^copy balance \(/i, "new pairs: COPY"],
  [/^copy balance_history/i, "history: COPY"],
  [/^copy erc20_transfer/i, "transfers: COPY"],
  [/^copy changed/i, "changed rows: COPY"],
  [/^copy/i, "other rows: COPY"],
  [/insert into balance .* on conflict/is, "changed pairs: update"],
  [/update nft|insert into unit_balance .* on conflict/is, "changed ids: update"],
  [/from "balance" k/i, "pairs: look-up"],
  [/join (nft n|token t)|from "unit_balance" k/i, "tokens and ids: look-up"],
  [/recursive halving/i, "windows: edges"],
  [/update token_stat/i, "token counters: update"],
  [/update state/i, "state: update"],
  [/(insert into|delete from) (block|clock)/i, "headers and clock"],
  [/insert into (token|pool|asset)/i, "new tokens and pools"],
]
