/** The filters that a row met on the way must pass yet. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import { ofTransaction } from "../../feed/bounds.ts"

/** Conditions on `t`, each starting with `and`. Token and blocks are the caller's. */
export const filterRows = (sql: Sql, filter: TransferFilter): Array<Fragment> => {
  const { from, to, address, either, tokenId } = filter
  const sent = (by: ReadonlyArray<Address>) => sql`t.from_addr = any(${by as Array<Address>}::bytea[])`
  const received = (by: ReadonlyArray<Address>) => sql`t.to_addr = any(${by as Array<Address>}::bytea[])`
  return [
    ofTransaction(sql, filter),
    ...(from === undefined ? [] : [sql`and ${sent(from)}`]),
    ...(to === undefined ? [] : [sql`and ${received(to)}`]),
    ...(address === undefined ? [] : [sql`and (${sent(address)} or ${received(address)})`]),
    ...(either === undefined ? [] : [sql`and (${sent(either.from)} or ${received(either.to)})`]),
    ...(tokenId === undefined ? [] : [sql`and t.nft_id = any(${tokenId as Array<string>}::numeric[])`]),
  ]
}
