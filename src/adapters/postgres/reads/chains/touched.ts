/** Which contracts and accounts further blocks had rows of: of no others did a figure change. */
import { Effect } from "effect"
import type { Fragment } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Touched } from "../../../../ports/Freshness.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"

/** With more rows than these it is no longer told: a chain that is far behind moves everything. */
const mostRows = 4096

/** A block where the ledger stood. */
type Seen = Pick<AsOf, "blockNumber" | "hash">

/** Contracts by their ids, and of whom there are rows; null = of ids (ERC-721, ERC-1155), where the rows do not say who loses what. */
interface Moved {
  /** One that is new may have been of another standard before, and another standard's balances are its own. */
  readonly contracts: ReadonlyArray<readonly [id: number, address: Address, isNew: boolean]>
  readonly accounts: ReadonlyArray<readonly [id: number, account: Address | null]>
}

export const makeTouched =
  ({ probe }: Pick<AcrossChains["Service"], "probe">) =>
  (since: AsOf, shown: ReadonlyArray<Seen> = []): Effect.Effect<Touched | undefined, StoreError> => {
    const seen = [since, ...shown]
    const none: { readonly moved: Moved | null } = { moved: null }
    const read = probe(
      undefined,
      [since.chainId],
      none,
      (sql, [chain]) => sql`(${selectMoved(chain, since, seen)}) as moved`,
    )
    const highest = Math.max(...seen.map(({ blockNumber }) => blockNumber))
    return Effect.map(read, ({ asOf: [point], value: { moved } }) =>
      point?.rewrites === since.rewrites && point.blockNumber >= highest && moved
        ? { point, tokens: tokensOf(moved) }
        : undefined,
    )
  }

const tokensOf = ({ contracts, accounts }: Moved): Touched["tokens"] => {
  const found = new Map<number, Set<Address> | undefined>()
  for (const [id, account] of accounts) {
    if (account === null) found.set(id, undefined)
    else if (!found.has(id)) found.set(id, new Set([account]))
    else found.get(id)?.add(account)
  }
  const tokens = new Map<Address, ReadonlySet<Address> | undefined>()
  for (const [id, address, isNew] of contracts) {
    const [one, other] = [isNew ? undefined : found.get(id), tokens.get(address)]
    // A contract may be of two standards.
    tokens.set(address, tokens.has(address) ? one && other && new Set([...one, ...other]) : one)
  }
  return tokens
}

/** Scalar: as JSON, since parts of one long text would keep all of it; null where there are too many rows, or where one of the blocks that were seen is another one now, as in a database that was restored. */
const selectMoved = (
  { sql, block, token, transfers, wrap }: ChainSql,
  since: Seen,
  seen: ReadonlyArray<Seen>,
): Fragment => {
  const [numbers, hashes] = [seen.map(({ blockNumber }) => blockNumber), seen.map(({ hash }) => hash)]
  const next = sql`${since.blockNumber + 1}::int8 << 24`
  const { erc20, erc721, erc1155 } = transfers
  const tables = [
    [erc20, sql`from_addr as one, to_addr as other`],
    [erc721, sql`null, null`],
    [erc1155, sql`null, null`],
    [wrap, sql`holder, holder`],
  ] as const
  const rows = tables.map(
    ([table, accounts]) =>
      sql`(select token_id, ${accounts} from ${table} where pos >= ${next} order by pos limit ${mostRows + 1}::int4)`,
  )
  return sql`
    with moved as materialized (select token_id, one, other from (${unionAll(sql, rows)}) r)
    select case when (select count(*) from moved) <= ${mostRows}::int4
      and not exists (
        select from unnest(${numberArray(numbers)}::text::int4[], ${hexArray(hashes)}::text::bytea[]) seen (number, hash)
        where (select b.hash from ${block} b where b.number = seen.number) <> seen.hash)
    then json_build_object(
      'contracts', coalesce(
        (select json_agg(json_build_array(k.token_id, '0x' || encode(k.address, 'hex'), k.first_pos >= ${next}))
         from ${token} k where k.token_id = any(array(select distinct token_id from moved))), '[]'),
      'accounts', coalesce(
        (select json_agg(json_build_array(token_id, '0x' || encode(one, 'hex')))
         from (select token_id, one from moved union select token_id, other from moved) p), '[]')) end`
}
