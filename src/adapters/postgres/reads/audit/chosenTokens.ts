/** SQL of the tokens that an audit looks at: which are due, and what is known of each beside its holders. */
import type { Fragment } from "postgres"
import { burnAccount } from "../../../../model/event.ts"
import { type Address, type Hash, zeroAddress } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import type { AuditChoice } from "../../../../ports/AuditStore.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { selectOlder } from "../common/partial.ts"
import { selectTokenSupply } from "../holders/balances.ts"
import type { recordOf } from "./record.ts"

export interface TokenRow {
  readonly token_id: number
  readonly standard: number
  readonly address: Address
  readonly first_block: number
  readonly first_log: number
  readonly first_tx: Hash
  readonly older?: boolean
  readonly mixed: boolean
  readonly supply: string
  readonly burnt: string
  readonly last?: Parameters<typeof recordOf>[1]
}

/** Of each standard, so many tokens count as the most active, and so many as the most held. */
const mostActive = 50

/** `TokenRow`s in the order chosen. */
export const selectTokens = (chain: ChainSql, choice: AuditChoice): Fragment => {
  const { sql } = chain
  return sql`
    with chosen as materialized (${"due" in choice ? selectDue(chain, choice) : selectNamed(chain, choice.tokens)})
    select k.token_id, k.standard, k.address, (k.first_pos >> 24)::int4 as first_block,
      (k.first_pos & 16777215)::int4 as first_log, k.first_tx,
      ${selectOlder(chain)} as older,
      k.standard <> 1155 and exists (
        select from ${chain.token} o where o.address = k.address and o.standard = 741 - k.standard) as mixed,
      (${selectTokenSupply(chain, sql`k.token_id`)})::text as supply,
      coalesce((select b.balance from ${chain.balance} b
        where b.holder = ${burnAccount}::bytea and b.token_id = k.token_id and k.standard = 20), 0)::text as burnt,
      (select json_build_object('state', a.state, 'block_number', a.block_number, 'time', a.time, 'compared', a.compared,
          'difference', a.difference, 'reason', a.reason, 'watched', a.watched, 'differed', a.differed, 'logs', a.logs,
          'healed', a.healed)
       from ${chain.tokenAudit} a where a.token_id = k.token_id) as last
    from chosen c
    cross join lateral (select * from ${chain.token} k where k.token_id = c.token_id limit 1) k
    order by c.place`
}

const selectNamed = ({ sql, token }: ChainSql, tokens: ReadonlyArray<Address>): Fragment => sql`
  select k.token_id, w.place * 10000 + k.standard as place
  from unnest(${hexArray([...new Set(tokens)])}::text::bytea[]) with ordinality as w (address, place)
  cross join lateral (select * from ${token} k where k.address = w.address order by k.standard limit 3) k`

/** Each branch reads an index from its start. One that two of them name has the place of the first. */
const selectDue = (
  { sql, token, tokenStat, tokenAudit }: ChainSql,
  { due, from = zeroAddress }: Extract<AuditChoice, { readonly due: number }>,
): Fragment => {
  const few = Math.ceil(due / 4)
  const active = standards.flatMap((standard) =>
    [sql`last_24h_step`, sql`holders_step`].map(
      (size) => sql`(
      select s.token_id, s.address, s.standard from ${tokenStat} s where s.standard = ${standardNumbers[standard]}
      order by s.${size} desc, s.address limit ${mostActive})`,
    ),
  )
  return sql`
    with unseen as materialized (
      (select 0 as turn, k.token_id, k.address, k.standard from ${token} k
        where not k.audited and k.address >= ${from}::bytea order by k.address, k.standard limit ${due})
      union all
      (select 1, k.token_id, k.address, k.standard from ${token} k
        where not k.audited and k.address < ${from}::bytea order by k.address, k.standard limit ${due})
      order by turn, address, standard limit ${due}
    )
    select d.token_id, min(d.place) as place from (
      (select a.token_id, -1000000 + row_number() over (order by a.block_number, a.address, a.standard) as place from (
        select * from ${tokenAudit} a where a.state = 1 order by a.block_number, a.address, a.standard limit ${few}) a)
      union all
      (select s.token_id, row_number() over (order by s.block_number, s.address, s.standard) as place from (
        select s.token_id, s.address, s.standard, coalesce(a.block_number, -1) as block_number
        from (select distinct * from (${unionAll(sql, active)}) every) s
        left join lateral (select * from ${tokenAudit} a where a.token_id = s.token_id limit 1) a on true
        order by 4, s.address, s.standard limit ${few}
      ) s)
      union all
      (select u.token_id, 1000000 + row_number() over (order by u.turn, u.address, u.standard) from unseen u)
      union all
      (select a.token_id, 2000000 + row_number() over (order by a.block_number, a.address, a.standard) from (
        select * from ${tokenAudit} a order by a.block_number, a.address, a.standard
        limit greatest(${few}, ${due} - (select count(*) from unseen))) a)
    ) d group by d.token_id`
}
