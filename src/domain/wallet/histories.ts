/** A balance, a supply, a price through time; and who came and left between two blocks. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { InvalidParameter } from "../../model/errors.ts"
import { type PageRequest, toListPage } from "../../model/page.ts"
import { type Address, type BigIntString, type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import type { FeedRange } from "../../model/transfer.ts"
import type { BalanceChange, BlockKey, PricePoint, SupplyChange } from "../../model/wallet/histories.ts"
import type { Partiality } from "../../ports/AuditStore.ts"
import { ChainSource, type SourceHeader } from "../../ports/ChainSource.ts"
import { type StoredVersion, TokenHistories, type VersionsQuery } from "../../ports/TokenHistories.ts"
import { isUntold } from "../audit/auditStatus.ts"
import { usdOf, usdText } from "../prices/worth.ts"
import { checkRange } from "../reads/feedRange.ts"
import { checkPin } from "../reads/history.ts"
import { atLeastZero } from "../reads/holders.ts"
import { briefNodeTimeout } from "../turns/nodeWait.ts"
import { finalTime } from "./finalTime.ts"

interface Asked {
  readonly chainId: ChainId
  readonly token: Address
  readonly range: FeedRange
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<BlockKey>
  readonly count: boolean
}

/** Which of the figures that an address has of a contract. */
export interface OneFigure {
  readonly standard?: Standard | undefined
  readonly tokenId?: BigIntString | undefined
}

/** undefined = the ledger knows no such contract. Sums of two standards are of two kinds: one of them has to be named. */
const standardOf = Effect.fnUntraced(function* (
  { standard, tokenId }: OneFigure,
  emitted: ReadonlyArray<Standard>,
  asOf: ReadonlyArray<AsOf>,
) {
  const named = standard === undefined ? emitted : [standard]
  if (tokenId !== undefined && named.length > 0 && !named.includes("erc1155")) {
    const wanted = `none of ${named.join(" and ")}: only amounts of an ERC-1155's ids have a history here`
    return yield* new InvalidParameter({ parameter: "tokenId", value: tokenId, wanted, asOf })
  }
  if (tokenId !== undefined) return "erc1155" as const
  if (named.length > 1) {
    const wanted = `${named.join(" or ")}, since the contract is of each`
    return yield* new InvalidParameter({ parameter: "standard", value: "", wanted, asOf })
  }
  return named[0]
})

/** Each block that touched what an address has of a token, with what that was worth. */
export const listBalanceChanges = Effect.fnUntraced(function* ({
  token,
  holder,
  tokenId,
  standard: wanted,
  ...asked
}: Asked & { readonly holder: Address } & OneFigure) {
  const { chainId, page } = asked
  const what =
    tokenId === undefined
      ? ({ of: "balance", token, holder, standard: wanted } as const)
      : ({ of: "unit", token, holder, tokenId } as const)
  const { asOf, value, ...told } = yield* readVersions({ ...asked, what })
  const standard = yield* standardOf({ tokenId, standard: wanted }, value.standards, asOf)
  if (standard === undefined) return { ...toListPage(page, { asOf, value: { ...value, items: [] } }), ...told }
  const hours = value.items.map(({ time }) => (time === undefined ? -1 : Math.floor(time / 3600)))
  const histories = yield* TokenHistories
  const priced = standard === "erc20" && hours.length > 0
  const { decimals, prices } = priced
    ? yield* histories.pricesAt(chainId, token, hours)
    : { decimals: undefined, prices: [] }
  const items = value.items.map((version, index): BalanceChange => {
    const price = prices[index] ?? undefined
    const balance = toldOf(version, "balance", value.partial)
    return {
      chainId,
      address: holder,
      tokenAddress: token,
      standard,
      ...(tokenId === undefined ? {} : { tokenId }),
      ...shared(version),
      ...(balance === undefined ? {} : { balance }),
      change: changeOf(version),
      transactions: version.transactions,
      ...(price === undefined ? {} : { price }),
      ...(price !== undefined && decimals !== undefined && balance !== undefined
        ? { valueUsd: usdText(usdOf(BigInt(balance), decimals, BigInt(price))) }
        : {}),
    }
  })
  return { ...toListPage(page, { asOf, value: { ...value, items } }), ...told }
})

/** Each block that changed the supply of an ERC-20, or in which as much was minted as burnt. */
export const listSupplyChanges = Effect.fnUntraced(function* ({ token, ...asked }: Asked) {
  const { chainId, page } = asked
  const { asOf, value, ...told } = yield* readVersions({ ...asked, what: { of: "supply", token } })
  const items = value.items.map((version): SupplyChange => {
    const totalSupply = toldOf(version, "supply", value.partial)
    return {
      chainId,
      tokenAddress: token,
      ...shared(version),
      ...(totalSupply === undefined ? {} : { totalSupply }),
      change: changeOf(version),
      transactions: version.transactions,
    }
  })
  return { ...toListPage(page, { asOf, value: { ...value, items } }), ...told }
})

/** Absent = the ledger may lack what the token had before, and nobody knows the figure. */
const toldOf = ({ balance }: StoredVersion, of: "balance" | "supply", partial: Partiality | undefined) =>
  isUntold(partial, of, BigInt(balance)) ? undefined : atLeastZero(balance).value

const shared = ({ blockNumber, time }: StoredVersion) => ({
  blockNumber,
  ...(time === undefined ? {} : { timestamp: dateTimeOf(time) }),
})

const changeOf = ({ balance, before }: StoredVersion): BigIntString => String(BigInt(balance) - BigInt(before))

const readVersions = Effect.fnUntraced(function* (query: VersionsQuery) {
  const { chainId, range } = query
  yield* checkRange(range)
  const found = yield* (yield* TokenHistories).versions(query)
  yield* checkPin(found.value.pin)
  const { items, ...told } = yield* withTimes(chainId, found.asOf, found.value.items)
  return { asOf: found.asOf, value: { ...found.value, items }, ...told }
})

/** What a node had a part in, its silence included, is of its moment. */
interface Timed {
  readonly items: ReadonlyArray<StoredVersion>
  readonly ofNode?: true
}

/**
 * A block with nothing but Deposits and Withdrawals of an older version has no time in the ledger: its header has it. Such a block is final,
 * and of those the ledger keeps no hash: what it knows of the blocks around it is what a header is held against.
 */
const withTimes = Effect.fnUntraced(function* (
  chainId: ChainId,
  asOf: ReadonlyArray<AsOf>,
  versions: ReadonlyArray<StoredVersion>,
): Effect.fn.Return<Timed, never, ChainSource> {
  const timeless = versions.filter(({ time }) => time === undefined).map(({ blockNumber }) => blockNumber)
  if (timeless.length === 0) return { items: versions }
  const headers = yield* (yield* ChainSource)
    .of(chainId)
    .headers(timeless)
    .pipe(
      Effect.timeout(briefNodeTimeout),
      Effect.catchCause(() => Effect.succeed([])),
    )
  const known = [
    ...asOf,
    ...versions.flatMap(({ blockNumber, time }) => (time === undefined ? [] : [{ blockNumber, time }])),
  ]
  // Time never falls along a chain.
  const isPossible = ({ number, time }: Pick<SourceHeader, "number" | "time">): boolean =>
    known.every((it) => (it.blockNumber < number ? it.time <= time : it.time >= time))
  const items = versions.map((version): StoredVersion => {
    const header = headers[timeless.indexOf(version.blockNumber)]
    const isTold = version.time === undefined && header?.number === version.blockNumber && isPossible(header)
    return isTold ? { ...version, time: header.time } : version
  })
  return { items, ofNode: true }
})

/** The price points of an ERC-20, as they are kept. */
export const listPricePoints = Effect.fnUntraced(function* ({
  chainId,
  token,
  range,
  ...asked
}: Omit<Asked, "page" | "range"> & {
  /** `finalized`: of hours that had begun by the newest final block. */
  readonly range: Pick<FeedRange, "timestampFrom" | "timestampTo" | "finalized">
  readonly page: PageRequest<{ readonly hour: number }>
}) {
  const { timestampFrom } = range
  const final = range.finalized === true ? yield* finalTime(chainId) : undefined
  const timestampTo = [range.timestampTo, final].reduce((one, other) =>
    one === undefined || other === undefined ? (one ?? other) : Math.min(one, other),
  )
  const hours = {
    ...(timestampFrom === undefined ? {} : { from: Math.max(hourWithin(Math.ceil(timestampFrom / 3600)), 0) }),
    ...(timestampTo === undefined ? {} : { to: hourWithin(Math.floor(timestampTo / 3600)) }),
  }
  const { asOf, value } = yield* (yield* TokenHistories).prices({ chainId, token, ...hours, ...asked })
  const items = value.items.map(
    ({ hour, untilHour, price }): PricePoint => ({
      chainId,
      tokenAddress: token,
      timestamp: dateTimeOf(hour * 3600),
      price,
      ...(untilHour === undefined ? {} : { validTo: dateTimeOf((untilHour + 1) * 3600 - 1) }),
    }),
  )
  return toListPage(asked.page, { asOf, value: { ...value, items } })
})

/** -1 = none: what is held from the first hour on is of no block. */
const hourWithin = (hour: number): number => Math.min(Math.max(hour, -1), 2 ** 31 - 2)
