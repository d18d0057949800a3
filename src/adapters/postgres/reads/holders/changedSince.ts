/** Who of a token was touched since a block, where these are few: then all others are as they were, and in rank order. */
import type { Fragment, Sql } from "postgres"
import { type Standard, standards } from "../../../../model/token.ts"
import { type ChainTables, standardNumbers } from "../../database/tables.ts"
import { balanceAt, blockOf, endOf, ownerAt, unitBalanceAt } from "../common/atBlock.ts"

/** Rows since the block that are looked through at most; of a token with few pairs fewer, since reading all of those is cheap. */
const [mostRows, leastRows, pairsEach] = [20_000, 100, 20]

/** Scalar: whether rows since the block are few; null for an unknown token. Of table `near`. */
export const isNear = (sql: Sql): Fragment => sql`(select near.is_near from near)`

/**
 * Tables `near` (one row: the token's counters and `is_near`) and, empty unless near, `changed`: `holder`, `balance`
 * now and `balance_then` of each pair touched since.
 */
export const changedHolders = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment => {
  const { erc20, erc721, erc1155 } = chain.transfers
  const wraps = sql`select w.holder from ${chain.wrap} w
    where w.token_id = (${tokenId}) and w.pos >= ${endOf(sql, blockNumber)} and (${mayWrap(sql, chain, tokenId)})`
  return sql`
    ${nearTable(sql, chain, tokenId, blockNumber, standards)},
    since as materialized (
      select t.from_addr, t.to_addr, null::numeric as nft_id from ${erc20} t where ${since(sql, tokenId, blockNumber, "erc20")}
      union all
      select t.from_addr, t.to_addr, t.nft_id from ${erc721} t where ${since(sql, tokenId, blockNumber, "erc721")}
      union all
      select t.from_addr, t.to_addr, null from ${erc1155} t where ${since(sql, tokenId, blockNumber, "erc1155")}
    ),
    party as materialized (
      select from_addr as holder from since
      union select to_addr from since
      union ${wraps} and ${isNear(sql)}
      -- who lost an id is whom the ledger held for its owner, whatever the log says
      union select ${ownerAt(sql, chain, blockNumber)} from (select distinct nft_id from since where nft_id is not null) i
        cross join lateral (
          select * from ${chain.nft} n where n.token_id = (${tokenId}) and n.nft_id = i.nft_id offset 0
        ) n
    ),
    changed as materialized (
      select party.holder, b.balance, b.balance_then from party cross join lateral (
        select b.balance, ${balanceAt(sql, chain, blockNumber)} as balance_then from ${chain.balance} b
        where b.holder = party.holder and b.token_id = (${tokenId}) and b.block_number > ${blockOf(sql, blockNumber)}
        offset 0
      ) b
    )`
}

/** The same of the pairs of address and id of an ERC-1155 contract: `changed` has `nft_id` too. */
export const changedUnits = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment => {
  const { erc1155 } = chain.transfers
  return sql`
    ${nearTable(sql, chain, tokenId, blockNumber, ["erc1155"])},
    since as materialized (
      select t.from_addr, t.to_addr, t.nft_id from ${erc1155} t where ${since(sql, tokenId, blockNumber, "erc1155")}
    ),
    party as materialized (
      select from_addr as holder, nft_id from since union select to_addr, nft_id from since
    ),
    changed as materialized (
      select party.holder, party.nft_id, b.balance, b.balance_then from party cross join lateral (
        select b.balance, ${unitBalanceAt(sql, chain, blockNumber)} as balance_then from ${chain.unitBalance} b
        where b.holder = party.holder and b.token_id = (${tokenId}) and b.nft_id = party.nft_id
          and b.block_number > ${blockOf(sql, blockNumber)}
        offset 0
      ) b
    )`
}

const nearTable = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  blockNumber: number,
  feeds: ReadonlyArray<Standard>,
): Fragment => {
  const ofToken = (table: ChainTables["wrap"], condition: Fragment) => sql`
    union all (select from ${table} t where t.pos >= ${endOf(sql, blockNumber)} and ${condition} limit most.rows + 1)`
  return sql`
    near as materialized (
      select s.standard, s.holders, s.ids, (
        select count(*) from (
          (select where false)
          ${feeds.map((feed) =>
            ofToken(chain.transfers[feed], sql`t.token_id = (${tokenId}) and s.standard = ${standardNumbers[feed]}`),
          )}
          ${ofToken(chain.wrap, sql`(${mayWrap(sql, chain, tokenId)})`)}
        ) seen
      ) <= most.rows as is_near
      from ${chain.tokenStat} s
        cross join lateral (select least(${mostRows}, greatest(${leastRows}, s.holder_seq / ${pairsEach})) as rows) most
      where s.token_id = (${tokenId})
    )`
}

/** Condition on a transfer `t`. Feeds of other standards are not even opened: where tokens are few they would be read by place. */
const since = (sql: Sql, tokenId: Fragment, blockNumber: number, standard: Standard): Fragment => sql`
  t.token_id = (${tokenId}) and t.pos >= ${endOf(sql, blockNumber)}
  and (select near.is_near and near.standard = ${standardNumbers[standard]} from near)`

/** Scalar: whether a token may be wrapped native: the ledger's settings name it. Deposits and Withdrawals have no index by token. */
const mayWrap = (sql: Sql, { state, token }: ChainTables, tokenId: Fragment): Fragment => sql`
  select position('0x' || encode(k.address, 'hex') in s.settings) > 0
  from ${state} s cross join ${token} k where k.token_id = (${tokenId})`
