/** Which tables have the logs of a signature, what a topic is in their columns, and how much of them a search may read. */
import type { Fragment } from "postgres"
import { isAddressTopic } from "../../../../domain/ingest/decode/abi.ts"
import { approvalTopics, topics } from "../../../../domain/ingest/decode/topics.ts"
import { addressOfHex, zeroAddress } from "../../../../model/primitives.ts"
import type { LedgerLogFilter } from "../../../../ports/LedgerLogs.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"

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

type Column = (topic: string) => Fragment

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
  if (kind === "erc20" || kind === "wrap") return plainFeed(chain, filter, kind)
  return kind === "approval" ? approvalFeed(chain, filter) : nftFeed(chain, filter, kind)
}

const plainFeed = (chain: ChainSql, filter: LedgerLogFilter, kind: "erc20" | "wrap"): LogFeed => {
  const { sql, transfers, wrap } = chain
  const isWrap = kind === "wrap"
  const columns = isWrap
    ? [partyIn(sql`t.holder`, sql)]
    : [partyIn(sql`t.from_addr`, sql), partyIn(sql`t.to_addr`, sql)]
  const only = isWrap ? sql`and t.is_deposit is ${filter.signature === topics.deposit ? sql`true` : sql`false`}` : sql``
  return {
    kind,
    from: sql`${isWrap ? wrap : transfers.erc20} t`,
    where: sql`${ofToken(chain, filter, 20)} ${isWrap ? sql`` : ends(chain, filter, 0)} and ${placesOf(chain, filter)}`,
    fits: sql`(${topicsFit(chain, filter, columns)}) ${only}`,
    order: sql`t.pos`,
    isPlain: !isWrap && filter.topics.every((topic) => topic === undefined),
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
  const several = sql`exists (select from ${table} n where n.pos = t.pos and n.sub = 1)`
  return {
    kind,
    from: sql`${table} t`,
    where: sql`${ofToken(chain, filter, standardNumbers[standard])} ${ends(chain, filter, kind === "erc721" ? 0 : 1)}
      and ${placesOf(chain, filter)}`,
    fits: sql`t.sub = 0 and (${topicsFit(chain, filter, columns)})
      and ${kind === "range" || kind === "batch" ? sql`` : sql`not`} ${several}
      and not exists (select from ${oddLog} o where o.pos = t.pos)`,
    order: sql`t.pos, t.sub`,
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
  const [owner] = asked
  const shape = { kind: "approval", from: sql`${approval} t`, order: sql`t.pos`, isPlain: false } as const
  return match === "all" && owner !== undefined && isAddressTopic(owner)
    ? {
        ...shape,
        where: sql`t.owner = ${bytesOf(addressInTopic(owner))} and ${contract}`,
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

const addressInTopic = (topic: string) => addressOfHex(`0x${topic.slice(26)}`)

const partyIn =
  (column: Fragment, sql: ChainSql["sql"]): Column =>
  (topic) =>
    isAddressTopic(topic) ? sql`${column} = ${bytesOf(addressInTopic(topic))}` : sql`false`

const numberIn =
  (column: Fragment, sql: ChainSql["sql"], isThere: Fragment): Column =>
  (topic) =>
    sql`${isThere} and ${column} = ${String(BigInt(topic))}::numeric`

/** Columns that a kind does not have are of no topic. */
const topicsFit = ({ sql }: ChainSql, { topics: asked, match }: LedgerLogFilter, columns: ReadonlyArray<Column>) => {
  const conditions = asked.flatMap((topic, place) =>
    topic === undefined ? [] : [(columns[place] ?? never(sql))(topic)],
  )
  const [first = sql`true`, ...others] = conditions
  const word = match === "all" ? sql`and` : sql`or`
  return others.reduce((sum, condition) => sql`${sum} ${word} (${condition})`, sql`(${first})`)
}

const never =
  (sql: ChainSql["sql"]): Column =>
  () =>
    sql`false`

const placesOf = ({ sql }: ChainSql, { fromBlock, toBlock }: LedgerLogFilter): Fragment => sql`
  t.pos >= ${placeOf(fromBlock)}::int8 and t.pos < ${placeOf((toBlock ?? mostBlock) + 1)}::int8`

const mostBlock = 2 ** 31 - 1
const placeOf = (block: number): string => String(BigInt(Math.min(block, mostBlock + 1)) << 24n)

const ofToken = ({ sql, token }: ChainSql, { address }: LedgerLogFilter, standard: number): Fragment =>
  address === undefined
    ? sql`true`
    : sql`t.token_id = (select k.token_id from ${token} k
        where k.address = ${bytesOf(address)} and k.standard = ${standard}::int2)`

/** Mints and burns have indexes of their own, which want the zero address in so many letters. `first`: the topic that is the sender. */
const ends = ({ sql }: ChainSql, { topics: asked, match }: LedgerLogFilter, first: 0 | 1): Fragment => {
  const isZero = (topic: string | undefined) =>
    topic !== undefined && isAddressTopic(topic) && addressInTopic(topic) === zeroAddress
  const zero = sql`'\\x0000000000000000000000000000000000000000'`
  if (match !== "all") return sql``
  return sql`${isZero(asked[first]) ? sql`and t.from_addr = ${zero}` : sql``}
    ${isZero(asked[first + 1]) ? sql`and t.to_addr = ${zero}` : sql``}`
}
