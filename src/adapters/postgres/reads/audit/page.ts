/** SQL of a page of the list of audits, over chains. */
import type { Fragment, Sql } from "postgres"
import { type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import type { AuditsQuery } from "../../../../ports/AuditStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { joined, unionAll } from "../../database/fragments.ts"
import { type ListParts, selectShares } from "../common/lists.ts"
import { seekOf } from "../common/page.ts"
import { type AuditReading, auditBranches, selectAuditCount } from "./branches.ts"
import type { AuditRow } from "./record.ts"

export type Listed = AuditRow & { readonly chain_id: number }

/** A page's parts over chains, without a total: chain after chain, tokens by address and standard. */
export const auditListOf = ({
  state,
  tokens,
  page,
}: Pick<AuditReading, "state" | "tokens"> & Pick<AuditsQuery, "page">): Omit<ListParts<Listed>, "total"> => {
  const { key, reading: direction } = seekOf(page, "asc")
  const sideOf = (chainId: ChainId, of: { readonly chainId: ChainId }): number =>
    compareChainIds(chainId, of.chainId) * (direction === "asc" ? 1 : -1)
  const readingOf = ({ chainId }: ChainSql, limit: number): AuditReading => {
    const side = key === undefined ? 0 : sideOf(chainId, key)
    const place =
      key === undefined
        ? undefined
        : side === 0
          ? { address: key.address, standard: standardNumbers[key.standard] }
          : side > 0 === (direction === "asc")
            ? belowAll
            : aboveAll
    return { state, tokens, key: place, direction, limit }
  }
  const order = (sql: Sql): Fragment =>
    direction === "asc" ? sql`r.chain_id, r.address, r.standard` : sql`r.chain_id desc, r.address desc, r.standard desc`
  const firsts = (sql: Sql, chains: ReadonlyArray<ChainSql>, limit: number): Fragment => {
    const branches = chains.flatMap((chain) => auditBranches(chain, readingOf(chain, limit)))
    return sql`select * from (${unionAll(sql, branches)}) r order by ${order(sql)} limit ${limit}`
  }
  return {
    question: ["audits", state, tokens, page],
    limit: page.limit + 1,
    rows: (chain, limit) => {
      const { sql } = chain
      return sql`
        select coalesce(json_agg(json_build_object('chain_id', r.chain_id, 'address', '0x' || encode(r.address, 'hex'),
          'standard', r.standard, 'state', r.state, 'block_number', r.block_number, 'time', r.time,
          'compared', r.compared, 'difference', r.difference, 'reason', r.reason) order by ${order(sql)}), '[]')
        from (${firsts(sql, [chain], limit)}) r`
    },
    // Chain after chain: where the first has a page of rows, no other is asked.
    stages: (chains) => {
      const isAsked = ({ chainId }: ChainSql) => key === undefined || sideOf(chainId, key) >= 0
      const going = chains.filter(isAsked).sort((a, b) => sideOf(a.chainId, b))
      return [going.slice(0, 1), going.slice(1, fewChains), going.slice(fewChains)].flatMap(([first, ...others]) =>
        first === undefined
          ? []
          : [
              {
                chains: [first, ...others] as const,
                isSteady: key === undefined,
                shares: (sql: Sql, some: ReadonlyArray<ChainSql>) =>
                  selectShares(sql, firsts(sql, some, page.limit + 1)),
              },
            ],
      )
    },
    compare: (a, b) => {
      const ascending =
        a.chain_id - b.chain_id ||
        (a.address < b.address ? -1 : Number(a.address > b.address)) ||
        a.standard - b.standard
      return direction === "asc" ? ascending : -ascending
    },
  }
}

/** That are asked before all the others are. */
const fewChains = 8

/** Around every token. */
const belowAll = { address: "0x", standard: -1 } as const
const aboveAll = { address: `0x${"ff".repeat(21)}`, standard: 32_767 } as const

/** Scalar: how many rows the whole list has. */
export const selectAuditTotal = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  filter: Pick<AuditReading, "state" | "tokens">,
): Fragment => {
  const counts = chains.map((chain) => sql`(${selectAuditCount(chain, filter)})`)
  return sql`(${joined(counts, sql` + `)})`
}
