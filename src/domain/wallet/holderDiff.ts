/** Who came, who left and whose balance is another between two blocks. */
import { Effect } from "effect"
import { HistoryNotAvailable, InvalidParameter } from "../../model/errors.ts"
import { type PageRequest, toListPage } from "../../model/page.ts"
import { type Address, type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { FeedRange } from "../../model/transfer.ts"
import type { BlockKey, HolderChange } from "../../model/wallet/histories.ts"
import { TokenHistories } from "../../ports/TokenHistories.ts"
import { findAskedBlock } from "../reads/askedBlock.ts"
import { beginAnew } from "../reads/beginAnew.ts"
import { checkRange } from "../reads/feedRange.ts"
import { checkBlock, checkPin } from "../reads/history.ts"
import { atLeastZero } from "../reads/holders.ts"

/** `blockNumber`: the last block. */
export interface DiffKey extends BlockKey {
  readonly address: Address
  /** The first block; absent = the cursor is of an older version, which found it anew for each page. */
  readonly from?: number
}

export interface HolderDiffQuery {
  readonly chainId: ChainId
  readonly token: Address
  /** `finalized`: the last block is one that no reorg takes back any more. */
  readonly range: Pick<FeedRange, "blockNumberFrom" | "blockNumberTo" | "timestampFrom" | "timestampTo" | "finalized">
  readonly page: PageRequest<DiffKey>
  readonly count: boolean
}

/** The block before a chain's first: nobody has anything. */
export const beforeAll = -1

/** Whose balance is another after the last block (`at`) than after the first (`from`); absent = before the chain's first. The last is the walk's. */
export const listHolderChanges = (query: HolderDiffQuery) =>
  (query.page.after ?? query.page.before) === undefined ? beginAnew(readChanges(query)) : readChanges(query)

const readChanges = Effect.fnUntraced(function* (query: HolderDiffQuery) {
  const { chainId, token, range, count } = query
  yield* checkRange(range)
  const { after, before, ...rest } = query.page
  const place = after ?? before
  const last: Meant = place ?? (yield* lastOf(chainId, range))
  const named = last.blockNumber
  const first: Meant =
    place?.from === undefined
      ? yield* blockOf(chainId, "From", range.blockNumberFrom, range.timestampFrom)
      : { blockNumber: place.from }
  const from = first.blockNumber ?? beforeAll
  const page = { ...sinceFound([first, last]), ...rest, ...(after && { after }), ...(before && { before }) }
  const read = yield* (yield* TokenHistories).diff({
    chainId,
    token,
    from,
    page,
    count,
    ...(named === undefined ? {} : { to: named }),
  })
  const { asOf, value } = read
  yield* checkPin(value.pin)
  const to = named ?? asOf[0]?.blockNumber ?? beforeAll
  if (to !== beforeAll) yield* checkBlock(asOf, to, undefined, "blockNumberTo")
  if (from === beforeAll && value.partial !== undefined) {
    const start = asOf[0]?.firstBlock
    const age = value.partial === "known" ? "is" : "may be"
    return yield* new HistoryNotAvailable({
      message: `without a first block everybody had nothing before: the token ${age} older than the indexed history, so name one from block ${start} on (blockNumberFrom)`,
      asOf,
    })
  }
  if (from !== beforeAll) yield* checkBlock(asOf, from, undefined, "blockNumberFrom")
  if (from > to) {
    const lastWords = to === beforeAll ? "before the first block" : to
    const { timestampFrom: time } = range
    return yield* time === undefined
      ? new InvalidParameter({
          parameter: "blockNumberFrom",
          value: String(from),
          wanted: `a block up to the last one (${lastWords})`,
          asOf,
        })
      : new InvalidParameter({
          parameter: "timestampFrom",
          value: dateTimeOf(time),
          wanted: `a time before the end of the last block (${lastWords}); the newest block by then is ${from}`,
          asOf,
        })
  }
  const items = value.items.map((row): HolderChange => {
    const [balanceBefore, balanceAfter] = [atLeastZero(row.before).value, atLeastZero(row.after).value]
    return {
      chainId,
      address: row.address,
      kind:
        balanceBefore === "0"
          ? balanceAfter === "0"
            ? "changed"
            : "entered"
          : balanceAfter === "0"
            ? "left"
            : "changed",
      balanceBefore,
      balanceAfter,
      change: String(BigInt(row.after) - BigInt(row.before)),
    }
  })
  const keys = value.keys.map(({ address }): DiffKey => ({ address, blockNumber: to, from }))
  const told = [first, last].some(({ ofNode }) => ofNode === true) ? { ofNode: true as const } : {}
  return {
    ...toListPage(query.page, { asOf, value: { ...value, items, keys } }),
    ...told,
    at: blocksOf(chainId, to),
    from: blocksOf(chainId, from),
  }
})

const blocksOf = (chainId: ChainId, blockNumber: number) =>
  blockNumber === beforeAll ? [] : [{ chainId, blockNumber }]

/** Which block an end came to mean, and whether a node had a part in that. Without a number: none was named. */
interface Meant {
  readonly blockNumber?: number | undefined
  readonly ofNode?: boolean
  /** Of the ledger when it was found. */
  readonly rollbacks?: number | undefined
}

/** What was found out of the page's blocks has to be true of the ledger still. */
const sinceFound = (ends: ReadonlyArray<Meant>): Pick<PageRequest<unknown>, "rollbacks"> => {
  const found = ends.flatMap(({ rollbacks }) => rollbacks ?? [])
  return found.length === 0 ? {} : { rollbacks: Math.min(...found) }
}

/** Without a number: the newest. */
const lastOf = Effect.fnUntraced(function* (chainId: ChainId, range: HolderDiffQuery["range"]) {
  const last = yield* blockOf(chainId, "To", range.blockNumberTo, range.timestampTo)
  if (range.finalized !== true) return last
  const final = yield* findAskedBlock(chainId, { by: "finality" })
  const { blockNumber = final.blockNumber } = last
  const end: Meant = { ...last, ...sinceFound([last, final]), blockNumber: Math.min(blockNumber, final.blockNumber) }
  return end
})

const blockOf = Effect.fnUntraced(function* (
  chainId: ChainId,
  end: "From" | "To",
  blockNumber: number | undefined,
  time: number | undefined,
) {
  if (blockNumber !== undefined && time !== undefined) {
    const wanted = `no value beside blockNumber${end}: each names a block`
    return yield* new InvalidParameter({ parameter: `timestamp${end}`, value: dateTimeOf(time), wanted })
  }
  if (time === undefined) return { blockNumber } as Meant
  const given = { parameter: `timestamp${end}`, text: dateTimeOf(time) }
  return yield* findAskedBlock(chainId, { by: "timestamp", time, given }).pipe(
    Effect.map((found): Meant => found),
    // Of a ledger that has every block of its chain.
    Effect.catchTag("HistoryNotAvailable", (error) =>
      error.asOf?.[0]?.firstBlock === 0 ? Effect.succeed<Meant>({ blockNumber: beforeAll }) : Effect.fail(error),
    ),
  )
})
