/** Of which block a list is asked: a number, a time, a hash or the newest final one. One of them; the walk keeps the block that it began with. */
import { Effect, Result } from "effect"
import { type AskedBlock, type BlockSelector, findAskedBlock } from "../../../domain/reads/askedBlock.ts"
import { beginAnew } from "../../../domain/reads/beginAnew.ts"
import type { LeftOut } from "../../../model/block.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { PageRequest } from "../../../model/page.ts"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { costlyWhenGiven } from "../contract/cost.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { sampleBlockHash } from "../contract/samples.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { type CursorShape, isBlockNumber } from "./cursors.ts"
import { readCursor } from "./link.ts"
import { asOfBlock, decodeHash, type NativeParameter } from "./parameters.ts"
import { decodeTime, finalityOf, timeDoc } from "./times.ts"

const timestamp: NativeParameter<number | undefined> = {
  bound: "given",
  isCostly: costlyWhenGiven,
  faults: ["HistoryNotAvailable", "BlockUnknown"],
  doc: timeDoc(
    "The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970",
  ),
  decode: decodeTime(Math.floor),
}

const blockHash: NativeParameter<Hash | undefined> = {
  bound: "given",
  isCostly: costlyWhenGiven,
  faults: ["HistoryNotAvailable", "BlockUnknown"],
  doc: {
    description:
      "The list as it was after the block with this hash; refused when the block is not of this chain any more",
    schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
    example: sampleBlockHash,
  },
  decode: decodeHash("a block's hash"),
}

/** Of a list as of a block. */
export const asOf = {
  blockNumber: asOfBlock,
  timestamp,
  blockHash,
  finality: finalityOf(
    "`finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default)",
    costlyWhenGiven,
    ["HistoryNotAvailable"],
  ),
} satisfies Readonly<Record<string, NativeParameter<unknown>>>

/** Whether a list can be asked as of a block. In others `finality` is a range's end, as a feed's is. */
export const takesBlock = (parameters: object): boolean => "blockHash" in parameters

type Given = Readonly<Record<string, unknown>>

/** What has to be found out; undefined = the block's number is given, or none is meant. Fails for more than one of them. */
export const selectorOf = (
  parameters: Given,
  query: Query,
): Result.Result<BlockSelector | undefined, InvalidParameter> => {
  const [first, second] = (["blockNumber", "timestamp", "blockHash", "finality"] as const).filter(
    (name) => parameters[name] !== undefined,
  )
  if (first !== undefined && second !== undefined) {
    return Result.fail(invalidParameter(second, "both", `no value beside ${first}: each names a block`))
  }
  switch (first) {
    case "timestamp": {
      const given = { parameter: first, text: (firstValue(query, first) ?? "").slice(0, 64) }
      return Result.succeed({ by: "timestamp", time: parameters.timestamp as number, given })
    }
    case "blockHash":
      return Result.succeed({ by: "blockHash", hash: parameters.blockHash as Hash })
    case "finality":
      return Result.succeed({ by: "finality" })
    default:
      return Result.succeed(undefined)
  }
}

/** A place and the block of its walk. */
export interface PlaceAt<Key> {
  readonly key: Key
  readonly blockNumber: number
}

/** Places of a walk whose block was found out. */
const placesAt = <Key>(shape: CursorShape<Key>): CursorShape<PlaceAt<Key>> => ({
  ...shape,
  toParts: ({ key, blockNumber }) => [...shape.toParts(key), blockNumber],
  fromParts: (parts) => {
    const blockNumber = parts.at(-1)
    const key = shape.fromParts(parts.slice(0, -1))
    return key === undefined || !isBlockNumber(blockNumber) ? undefined : { key, blockNumber }
  },
})

/** The same of one block: what its links are made by. */
export const placesOf = <Key>(shape: CursorShape<Key>, blockNumber: number | undefined): CursorShape<Key> =>
  blockNumber === undefined ? shape : { ...shape, toParts: (key) => [...shape.toParts(key), blockNumber] }

/** A page request without its block, and the block. */
const splitPlace = <Key>({
  after,
  before,
  ...page
}: PageRequest<PlaceAt<Key>>): { readonly page: PageRequest<Key>; readonly blockNumber?: number } => {
  const place = after ?? before
  if (place === undefined) return { page }
  const { key, blockNumber } = place
  return { page: { ...page, ...(after === undefined ? { before: key } : { after: key }) }, blockNumber }
}

/** What a page's cursor is read by. */
interface Asked<Key> {
  readonly query: Query
  readonly binding: string
  readonly shape: CursorShape<Key>
  readonly limit: number
}

/** Where a page starts whose walk has a block of its own. */
export const readPlaceAt = <Key>({ query, binding, shape, limit }: Asked<Key>) =>
  Effect.map(readCursor(query, binding, placesAt(shape)), ({ points, ...cursor }) => ({
    points,
    ...splitPlace<Key>({ limit, ...cursor }),
  }))

/** The same of any other list. `hadBlock`: its cursors had a block too, before, to which its rows did not keep. */
export const readPlace = <Key>(asked: Asked<Key>, hadBlock: boolean) => {
  const { query, binding, shape, limit } = asked
  const read = Effect.map(readCursor(query, binding, shape), ({ points, ...cursor }) => {
    const page: PageRequest<Key> = { limit, ...cursor }
    return { points, page }
  })
  return hadBlock ? Effect.catchTag(read, "InvalidCursor", () => readPlaceAt(asked)) : read
}

/** `read` as of the block that is meant; a first page is begun anew where a reorg took it. A walk that goes on has its block. */
export const readAsked = <A, E, R>(
  chainId: ChainId,
  selector: BlockSelector,
  going: number | undefined,
  read: (asked: Pick<AskedBlock, "blockNumber"> & Partial<AskedBlock>) => Effect.Effect<A, E, R>,
) => {
  if (going !== undefined) return read({ blockNumber: going })
  return beginAnew(Effect.flatMap(findAskedBlock(chainId, selector), read))
}

/** `x-at-block`: which block was meant. */
export const blockHeader = (chainId: ChainId, blockNumber: number): Readonly<Record<string, string>> =>
  blockHeaders({ at: [{ chainId, blockNumber }] })

/** Which blocks a page is of, each chain's own; absent or none = the newest. `from`: what a difference is to, absent or none = nothing. */
export interface SaidBlocks {
  readonly at?: ReadonlyArray<BlockOfChain>
  readonly from?: ReadonlyArray<BlockOfChain>
  /** Chains of which it has none; absent = there are none. */
  readonly leftOut?: ReadonlyArray<LeftOut>
}
interface BlockOfChain {
  readonly chainId: ChainId
  readonly blockNumber: number
}

/** `x-at-block`, `x-from-block`: each where there is something to say. */
export const blockHeaders = ({ at = [], from = [] }: SaidBlocks): Readonly<Record<string, string>> => ({
  ...(at.length === 0 ? {} : { "x-at-block": textOf(at) }),
  ...(from.length === 0 ? {} : { "x-from-block": textOf(from) }),
})

const textOf = (blocks: ReadonlyArray<BlockOfChain>): string =>
  blocks.map(({ chainId, blockNumber }) => `${chainId}:${blockNumber}`).join(",")
