/** What is known of a token, as statements give it → the token record. */
import type { Fragment } from "postgres"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../../../model/primitives.ts"
import { type Erc20Token, standards, type TokenOfStandard, type TokenRecords } from "../../../../model/token.ts"
import type { TokenNote } from "../../../../model/tokenNote.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { isDenied } from "../common/denied.ts"
import { isPartial } from "../common/partial.ts"
import { selectTokenSupply } from "../holders/balances.ts"

export interface TokenDetails {
  readonly standard: number
  readonly address: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly created_time: number | null
  readonly created_tx: Hash | null
  readonly supply: string | null
  readonly price: string | null
  readonly market_cap: string | null
  readonly holders: number
  readonly last_24h: number
  readonly last_48h: number
  readonly last_72h: number
  /** Of what is at an address alone. */
  readonly described?: boolean
}

/** Whether the supply of a token `k` is what the ledger's events told: the audit did not deny it, and the ledger has all of the token. */
export const isSupplyKnown = (chain: ChainSql): Fragment => chain.sql`
  (not ${isDenied(chain, chain.sql`k`)} and not ${isPartial(chain)})`

/** Of which tokens `k` lists say what there is by their supply. */
const isSupplyListed = (chain: ChainSql): Fragment => chain.sql`k.standard = 20 and ${isSupplyKnown(chain)}`

/**
 * `TokenDetails` as JSON objects, of the tokens `k` that the condition finds; what there is by the supply of those that `supplied` says, and
 * what `more` adds.
 */
export const selectDetails = (
  chain: ChainSql,
  condition: Fragment,
  supplied = isSupplyListed(chain),
  more = chain.sql``,
): Fragment => {
  const { sql } = chain
  return sql`
    select json_build_object(
      'standard', k.standard, 'address', '0x' || encode(k.address, 'hex'), 'name', k.name, 'symbol', k.symbol,
      'decimals', k.decimals, 'created_time', k.created_time, 'created_tx', '0x' || encode(k.created_tx, 'hex'),
      'supply', case when ${supplied} then greatest((${selectTokenSupply(chain, sql`k.token_id`)}), 0)::text end,
      'price', s.price::text, 'market_cap', case when ${supplied} then s.market_cap::text end,
      'holders', s.holders, 'last_24h', s.last_24h, 'last_48h', s.last_48h, 'last_72h', s.last_72h ${more}) as details
    from ${chain.token} k cross join lateral (select * from ${chain.tokenStat} s where s.token_id = k.token_id limit 1) s
    where ${condition}`
}

/** All that is at an address, in the order of the standards: `TokenDetails` as one JSON array. */
export const selectDetailsAt = (chain: ChainSql, address: Address): Fragment => {
  const { sql } = chain
  const at = sql`k.address = ${address}::bytea`
  const details = selectDetails(chain, at, sql`k.standard <> 1155`, sql`, 'described', k.described`)
  return sql`select coalesce(json_agg(t.details), '[]') from (${details} order by k.standard) t`
}

/** What people say of a contract: its `TokenNote` as JSON, or no row. */
export const selectNoteAt = ({ sql, tokenNote }: ChainSql, address: Address): Fragment => sql`
  select json_build_object('trusted', n.trusted, 'texts', n.texts) from ${tokenNote} n
  where n.address = ${address}::bytea`

/** The record of a token of any standard: one of an ERC-20 says its decimals and supply too. */
export const tokenOf = (chainId: ChainId, details: TokenDetails): TokenRecords[keyof TokenRecords] => {
  const { standard, address, name, symbol, decimals, created_time, created_tx, supply, price, market_cap } = details
  const isErc20 = standard === standardNumbers.erc20
  const record: Erc20Token = {
    chainId,
    address,
    ...(name === null ? {} : { name }),
    ...(symbol === null ? {} : { symbol }),
    ...(!isErc20 || decimals === null ? {} : { decimals }),
    ...(!isErc20 || supply === null ? {} : { totalSupply: supply }),
    ...(price === null ? {} : { price }),
    ...(market_cap === null ? {} : { marketCap: market_cap }),
    ...(created_time === null && created_tx === null
      ? {}
      : {
          createOperation: {
            ...(created_time === null ? {} : { timestamp: dateTimeOf(created_time) }),
            ...(created_tx === null ? {} : { txHash: created_tx }),
          },
        }),
    transfers: { last24h: details.last_24h, last48h: details.last_48h, last72h: details.last_72h },
    holdersCount: details.holders,
  }
  return record
}

export const tokenOfStandard = (
  chainId: ChainId,
  details: TokenDetails,
  note: TokenNote | null | undefined,
): TokenOfStandard => ({
  standard: standards.find((standard) => standardNumbers[standard] === details.standard)!,
  record: tokenOf(chainId, details),
  isDescribed: details.described === true,
  ...(details.supply === null ? {} : { supply: details.supply }),
  ...(note === null || note === undefined ? {} : { note }),
})
