/** Which tables have the logs of a signature, what a topic is in their columns, and how much of them a search may read. */
import type { Fragment } from "postgres"
import { addressAt } from "../../../../domain/ingest/decode/abi.ts"
import { approvalTopics, topics } from "../../../../domain/ingest/decode/topics.ts"
import type { LedgerLogFilter } from "../../../../ports/LedgerLogs.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"
import { ends, placesOf, rowsOf, tokenAt } from "./bounds.ts"
import { type Column, numberIn, partyIn, topicsFit } from "./columns.ts"

export type FeedKind = "erc20" | "erc721" | "range" | "single" | "batch" | "wrap" | "approval" | "odd"

/** Rows of one table in the order of their places. */
export interface LogFeed {
  readonly kind: FeedKind
  /** `t` in all that follows. */
  readonly from: Fragment
  /** Of all rows that are read: what an index gives. */
  readonly where: Fragment
  /** Whether a row is a log that is asked for. */
  readonly fits: Fragment
  readonly order: Fragment
  /** Whether every row that is read may fit: then no more are read than the page needs. */
  readonly isPlain: boolean
  /** An index gives these rows in no order: all of them are read, or nothing is known. */
  readonly isUnordered?: true
}

export const feedsOf = (chain: ChainSql, filter: LedgerLogFilter): ReadonlyArray<LogFeed> => {
  const kinds = kindsOf(filter.signature)
  return [...kinds.map((kind) => feedOf(chain, filter, kind)), oddFeed(chain, filter)]
}

const kindsOf = (signature: string): ReadonlyArray<Exclude<FeedKind, "odd">> => {
  switch (signature) {
    case topics.transfer:
      return ["erc20", "erc721"]
    case topics.consecutiveTransfer:
      return ["range"]
    case topics.transferSingle:
      return ["single"]
    case topics.transferBatch:
      return ["batch"]
    case topics.deposit:
    case topics.withdrawal:
      return ["wrap"]
    default:
      return ["approval"]
  }
}

const feedOf = (chain: ChainSql, filter: LedgerLogFilter, kind: Exclude<FeedKind, "odd">): LogFeed => {
  if (kind === "erc20") return erc20Feed(chain, filter)
  if (kind === "wrap") return wrapFeed(chain, filter)
  return kind === "approval" ? approvalFeed(chain, filter) : nftFeed(chain, filter, kind)
}

const erc20Feed = (chain: ChainSql, filter: LedgerLogFilter): LogFeed => {
  const { sql, transfers } = chain
  const { where, order } = rowsOf(chain, filter, standardNumbers.erc20)
  return {
    kind: "erc20",
    from: sql`${transfers.erc20} t`,
    where: sql`${where} ${ends(chain, filter, 0)}`,
    fits: topicsFit(chain, filter, [partyIn(sql`t.from_addr`, sql), partyIn(sql`t.to_addr`, sql)]),
    order,
    isPlain: filter.topics.every((topic) => topic === undefined),
  }
}

const wrapFeed = (chain: ChainSql, filter: LedgerLogFilter): LogFeed => {
  const { sql, wrap } = chain
  const { address, signature } = filter
  const kind = signature === topics.deposit ? sql`t.is_deposit` : sql`not t.is_deposit`
  const contract =
    address === undefined ? sql`` : sql`and t.token_id = ${tokenAt(chain, address, standardNumbers.erc20)}`
  return {
    kind: "wrap",
    from: sql`${wrap} t`,
    where: placesOf(chain, filter),
    fits: sql`coalesce(${kind}, false) ${contract} and (${topicsFit(chain, filter, [partyIn(sql`t.holder`, sql)])})`,
    order: sql`t.pos`,
    isPlain: false,
  }
}

/** The first row of a place is its log. Others of the place tell a batch from a single, and a range from one id. */
const nftFeed = (chain: ChainSql, filter: LedgerLogFilter, kind: "erc721" | "range" | "single" | "batch"): LogFeed => {
  const { sql, transfers, oddLog } = chain
  const standard = kind === "erc721" || kind === "range" ? "erc721" : "erc1155"
  const table = transfers[standard]
  const [from, to, id] = [
    partyIn(sql`t.from_addr`, sql),
    partyIn(sql`t.to_addr`, sql),
    numberIn(sql`t.nft_id`, sql, sql`true`),
  ]
  const columns = {
    erc721: [from, to, id],
    range: [id, from, to],
    single: [partyIn(sql`t.operator`, sql), from, to],
    batch: [partyIn(sql`t.operator`, sql), from, to],
  }[kind]
  const { where, order } = rowsOf(chain, filter, standardNumbers[standard])
  const several = sql`exists (select from ${table} n where n.pos = t.pos and n.sub = 1)`
  return {
    kind,
    from: sql`${table} t`,
    where: sql`${where} ${ends(chain, filter, kind === "erc721" ? 0 : 1)}`,
    fits: sql`t.sub = 0 and (${topicsFit(chain, filter, columns)})
      and ${kind === "range" || kind === "batch" ? sql`` : sql`not`} ${several}
      and not exists (select from ${oddLog} o where o.pos = t.pos)`,
    order: sql`${order}, t.sub`,
    isPlain: false,
  }
}

const approvalFeed = (chain: ChainSql, filter: LedgerLogFilter): LogFeed => {
  const { sql, approval } = chain
  const { address, match, topics: asked } = filter
  const isForAll = filter.signature === approvalTopics.approvalForAll
  const isOfId = sql`t.kind = 1`
  const columns: ReadonlyArray<Column> = [
    partyIn(sql`t.owner`, sql),
    partyIn(sql`case when t.kind = 1 then t.approved else t.spender end`, sql),
    isForAll ? () => sql`false` : numberIn(sql`t.nft_id`, sql, isOfId),
  ]
  const fits = sql`t.kind ${isForAll ? sql`= 2` : sql`< 2`} and (${topicsFit(chain, filter, columns)})`
  const contract = address === undefined ? sql`true` : sql`t.contract = ${bytesOf(address)}`
  const owner = addressAt(asked[0])
  const shape = { kind: "approval", from: sql`${approval} t`, order: sql`t.pos`, isPlain: false } as const
  return match === "all" && owner !== undefined
    ? {
        ...shape,
        where: sql`t.owner = ${bytesOf(owner)} and ${contract}`,
        fits: sql`${placesOf(chain, filter)} and ${fits}`,
        isUnordered: true,
      }
    : { ...shape, where: placesOf(chain, filter), fits: sql`${contract} and ${fits}` }
}

const oddFeed = (chain: ChainSql, filter: LedgerLogFilter): LogFeed => {
  const { sql, oddLog } = chain
  const { address, signature } = filter
  const columns = [sql`t.topic1`, sql`t.topic2`, sql`t.topic3`].map(
    (column): Column =>
      (topic) =>
        sql`coalesce(${column} = ${bytesOf(topic)}, false)`,
  )
  const contract = address === undefined ? sql`` : sql`t.contract = ${bytesOf(address)} and`
  return {
    kind: "odd",
    from: sql`${oddLog} t`,
    where: sql`${contract} ${placesOf(chain, filter)}`,
    fits: sql`t.topic0 = ${bytesOf(signature)} and (${topicsFit(chain, filter, columns)})`,
    order: sql`t.pos`,
    isPlain: false,
  }
}
