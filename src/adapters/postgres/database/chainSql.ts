/** One chain in statements: what makes them, and the names of its tables. */
import type { Fragment, Helper, Sql } from "postgres"
import { auditStates } from "../../../model/audit.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"

type Name = Helper<string>

/** `price_point.until_hour` of one that stands until there is a newer one. */
export const forEver = 2 ** 31 - 1

/** A standard as the tables have it. */
export const standardNumbers: Readonly<Record<Standard, number>> = { erc20: 20, erc721: 721, erc1155: 1155 }

/** States of the audit in which figures of now are not what events told, as the tables have them. */
export const [drift, rebasing] = [auditStates.indexOf("drift"), auditStates.indexOf("rebasing")]

/** In an update of `state`: something was learned that changes no figure. */
export const learnedMove = (sql: Sql): Fragment => sql`revision = revision + 1, learned = learned + 1`

/** Parts of statements take this first, and say the rest of what they are about. */
export interface ChainSql {
  readonly sql: Sql
  readonly chainId: ChainId
  readonly state: Name
  readonly block: Name
  readonly rollback: Name
  readonly clock: Name
  readonly token: Name
  readonly tokenStat: Name
  readonly tokenNote: Name
  readonly tokenAudit: Name
  readonly auditCount: Name
  /** Of each standard. */
  readonly transfers: Readonly<Record<Standard, Name>>
  readonly wrap: Name
  readonly approval: Name
  readonly oddLog: Name
  readonly balance: Name
  readonly history: Name
  readonly nft: Name
  readonly unitBalance: Name
  readonly unitHistory: Name
  readonly asset: Name
  readonly pool: Name
  readonly swap: Name
  readonly pricePoint: Name
  readonly priceProgress: Name
  readonly priceGap: Name
  readonly correction: Name
  readonly correctedRow: Name
  readonly accountCode: Name
  readonly marking: Name
  readonly markedAccount: Name
  readonly accountMark: Name
}

export const chainSqlOf = (sql: Sql, chainId: ChainId, schema: string): ChainSql => {
  const table = (name: string): Name => sql(`${schema}.${name}`) as unknown as Name
  return {
    sql,
    chainId,
    state: table("state"),
    block: table("block"),
    rollback: table("rollback"),
    clock: table("clock"),
    token: table("token"),
    tokenStat: table("token_stat"),
    tokenNote: table("token_note"),
    tokenAudit: table("token_audit"),
    auditCount: table("audit_count"),
    transfers: {
      erc20: table("erc20_transfer"),
      erc721: table("erc721_transfer"),
      erc1155: table("erc1155_transfer"),
    },
    wrap: table("wrap"),
    approval: table("approval"),
    oddLog: table("odd_log"),
    balance: table("balance"),
    history: table("balance_history"),
    nft: table("nft"),
    unitBalance: table("unit_balance"),
    unitHistory: table("unit_balance_history"),
    asset: table("asset"),
    pool: table("pool"),
    swap: table("swap"),
    pricePoint: table("price_point"),
    priceProgress: table("price_progress"),
    priceGap: table("price_gap"),
    correction: table("correction"),
    correctedRow: table("corrected_row"),
    accountCode: table("account_code"),
    marking: table("marking"),
    markedAccount: table("marked_account"),
    accountMark: table("account_mark"),
  }
}
