/** The two tables that lists of holders are read off, and all that they differ by: `balance`, and `unit_balance` of ERC-1155. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, HolderKey } from "../../../../model/holder.ts"
import type { Address, BigIntString, ChainId } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { joined } from "../../database/fragments.ts"
import type { BlockSql } from "../common/atBlock.ts"
import { holderParties, unitParties } from "./parties.ts"

/** A column of the table's key beside the token: rows of equal balance are ranked by it, ascending. */
interface KeyColumn<Key> {
  readonly name: Fragment
  /** The place's value in it. */
  readonly seekValue: (key: Key) => Fragment
  /** Name and value of the field of a `Key` that it makes, of row `b`. */
  readonly field: Fragment
}

/** A row is what an account holds of a token, or of an id of it; the newest version here, superseded ones in `history`. */
export interface RankedTable<Key extends HolderKey> {
  readonly chain: ChainSql
  readonly newest: ChainSql["balance"]
  readonly history: ChainSql["history"]
  /** The column that names a row in `history`; the counter of `token_stat` that gave it out. */
  readonly number: Fragment
  readonly lastNumber: Fragment
  readonly key: ReadonlyArray<KeyColumn<Key>>
  /** Condition on row `b`: `and …`. */
  readonly isListed: Fragment
  /** Whether its holder is a contract, as a field of row `b`; absent = it is not asked for. */
  readonly code?: Fragment
  /** The counter of `token_stat` that has the number of rows listed. */
  readonly total: Fragment
  /** Row `b` as a text that a `LineReader` reads: many rows take a third of what their JSON takes. It has no comma, and not `code`. */
  readonly line: Fragment
  /** Of which standards a token of such rows may have transfers. */
  readonly feeds: ReadonlyArray<Standard>
  /** Tables `since` and `party`: key columns of the rows that may have been touched since a block. */
  readonly parties: (tokenId: Fragment, blockNumber: BlockSql) => Fragment
}

/** What addresses hold of a token; reserved accounts are no addresses. Of an ERC-1155 the sums over its ids. */
export const holderTable = (chain: ChainSql, codes = false): RankedTable<HolderKey> => {
  const { sql, balance, history } = chain
  return {
    chain,
    newest: balance,
    history,
    number: sql`holder_no`,
    lastNumber: sql`holder_seq`,
    key: [holderColumn(sql)],
    isListed: sql`and octet_length(b.holder) = 20`,
    ...(codes && { code: codeField(chain) }),
    total: sql`holders`,
    line: sql`'0x' || encode(b.holder, 'hex') || b.balance::text`,
    feeds: standards,
    parties: (tokenId, blockNumber) => holderParties(chain, tokenId, blockNumber),
  }
}

/** What addresses hold of the ids of an ERC-1155. */
export const unitTable = (chain: ChainSql, codes = false): RankedTable<Erc1155HolderKey> => {
  const { sql, unitBalance, unitHistory } = chain
  const idColumn = {
    name: sql`nft_id`,
    seekValue: ({ tokenId }: Erc1155HolderKey) => sql`${tokenId}::numeric`,
    field: sql`'tokenId', b.nft_id::text`,
  }
  return {
    chain,
    newest: unitBalance,
    history: unitHistory,
    number: sql`unit_no`,
    lastNumber: sql`unit_seq`,
    key: [holderColumn(sql), idColumn],
    isListed: sql``,
    ...(codes && { code: codeField(chain) }),
    total: sql`ids`,
    line: sql`'0x' || encode(b.holder, 'hex') || b.nft_id::text || ' ' || b.balance::text`,
    feeds: ["erc1155"],
    parties: (tokenId, blockNumber) => unitParties(chain, tokenId, blockNumber),
  }
}

/** `0x` and 20 bytes. */
const addressLength = 42

/** How rows that come as lines are read, each into the record that it is. They are made field by field: a page may have a thousand. */
export type LineReader<Key> = (chainId: ChainId, line: string) => Key & { readonly chainId: ChainId }

/** Of `holderTable`. */
export const holderLine: LineReader<HolderKey> = (chainId, line) => ({
  chainId,
  address: line.slice(0, addressLength) as Address,
  balance: line.slice(addressLength) as BigIntString,
})

/** Of `unitTable`. */
export const unitLine: LineReader<Erc1155HolderKey> = (chainId, line) => {
  const space = line.indexOf(" ", addressLength)
  return {
    chainId,
    address: line.slice(0, addressLength) as Address,
    tokenId: line.slice(addressLength, space) as BigIntString,
    balance: line.slice(space + 1) as BigIntString,
  }
}

const codeField = ({ sql, accountCode }: ChainSql): Fragment =>
  sql`, 'isContract', (select c.is_contract from ${accountCode} c where c.address = b.holder)`

const holderColumn = (sql: Sql): KeyColumn<HolderKey> => ({
  name: sql`holder`,
  seekValue: ({ address }) => sql`${address}::bytea`,
  field: sql`'address', '0x' || encode(b.holder, 'hex')`,
})

/** `alias.holder, alias.nft_id` */
export const keyColumns = <Key extends HolderKey>({ chain: { sql }, key }: RankedTable<Key>, alias: string) =>
  joined(
    key.map(({ name }) => sql`${sql.unsafe(alias)}.${name}`),
    sql`,`,
  )

/** Row `b` as the JSON of a `Key`. */
export const keyJson = <Key extends HolderKey>({ chain: { sql }, key, code = sql`` }: RankedTable<Key>): Fragment =>
  sql`json_build_object(${key.map(({ field }) => sql`${field},`)} 'balance', b.balance::text ${code})`

/** `desc` = the order of display: largest balance first, ties by key. */
export const rankOrder = <Key extends HolderKey>(
  { chain: { sql }, key }: RankedTable<Key>,
  reading: "asc" | "desc",
): Fragment =>
  reading === "desc"
    ? sql`b.balance desc ${key.map(({ name }) => sql`, b.${name}`)}`
    : sql`b.balance ${key.map(({ name }) => sql`, b.${name} desc`)}`
