/** Balances, supplies and prices through time, and who came and left: one list each. */
import { Result } from "effect"
import { listBalanceChanges, listPricePoints, listSupplyChanges } from "../../../../domain/wallet/histories.ts"
import { listHolderChanges } from "../../../../domain/wallet/holderDiff.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import {
  BalanceChange,
  type BlockKey,
  HolderChange,
  PricePoint,
  SupplyChange,
} from "../../../../model/wallet/histories.ts"
import { costlyWhenGiven } from "../../contract/cost.ts"
import { defined, type ParameterDoc } from "../../contract/parameter.ts"
import { firstValue } from "../../contract/query.ts"
import { invalidParameter } from "../../contract/statuses.ts"
import { blockRange, tokenIdOf } from "../filters.ts"
import { listOfContract } from "../list.ts"
import { feedSort, limit, type NativeParameter } from "../parameters.ts"
import { decodeBegin, decodeTime, finality, finalityOf, timeDoc, timeRange } from "../times.ts"
import { blockCursor, diffCursor, hourCursor } from "./historyCursors.ts"
import { listOfHolding } from "./listOfHolding.ts"

export const range = { ...blockRange, ...timeRange, finality }

interface Between {
  readonly sort: "asc" | "desc"
  readonly blockNumberFrom?: number | undefined
  readonly blockNumberTo?: number | undefined
}

/** Newest first the rows that follow may be of any block that is asked for. Without rows it is the last of those. */
const lowestRow = (
  { items }: { readonly items: ReadonlyArray<BlockKey> },
  { sort, blockNumberFrom = 0, blockNumberTo }: Between,
  goesOn: boolean,
): number | undefined => {
  if (goesOn && sort === "desc") return blockNumberFrom
  return items.length === 0 ? blockNumberTo : Math.min(...items.map(({ blockNumber }) => blockNumber))
}

/** A range as the services take it. */
export const rangeOf = <R extends object>({
  finality: finalized,
  ...given
}: R & { readonly finality?: true | undefined }) => defined({ ...given, finalized })

const tokenId: NativeParameter<string | undefined> = {
  bound: true,
  doc: {
    description:
      "Of an ERC-1155: the balance of this id, instead of the sum over all that are held. Of another standard it is refused",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "42",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const id = tokenIdOf(text)
    return id === undefined
      ? Result.fail(invalidParameter(name, text, "a token id: 0 to 2^256-1 in decimal"))
      : Result.succeed(id)
  },
}

const standard: NativeParameter<Standard | undefined> = {
  bound: "given",
  doc: {
    description: "Which balance, of a contract that is of several standards: there it has to be said",
    schema: { type: "string", enum: standards },
    example: "erc1155",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    const found = standards.find((standard) => standard === text)
    return found === undefined && text !== undefined
      ? Result.fail(invalidParameter(name, text, standards.join(" or ")))
      : Result.succeed(found)
  },
}

export const balanceHistory = listOfHolding({
  id: "address/tokens/balances",
  path: "/address/{address}/tokens/{token}/balances",
  summary: "Each block that touched what an address has of a token, with what it was worth then",
  description:
    "A block that touched it and left it as it was has `change` 0. Blocks that did not touch it have no row.",
  record: BalanceChange,
  parameters: { standard, tokenId, sort: feedSort, limit, ...range },
  lowestBlock: lowestRow,
  cursor: () => blockCursor,
  // Without a standard the contract is of one: of several one has to be named.
  aboutStandard: ({ standard, tokenId }) => standard ?? (tokenId === undefined ? "first" : "erc1155"),
  list: ({ chainId, owner, token, page, count }, { standard, tokenId, sort: direction, limit: _, ...given }) =>
    listBalanceChanges({
      ...{ chainId, holder: owner, token, page, count },
      ...{ standard, tokenId, direction },
      range: rangeOf(given),
    }),
})

export const supplyHistory = listOfContract({
  id: "erc20/supply/history",
  path: "/erc20/{address}/supply/history",
  standard: "erc20",
  summary: "Each block that minted or burnt, with the supply after it",
  record: SupplyChange,
  parameters: { sort: feedSort, limit, ...range },
  lowestBlock: lowestRow,
  cursor: () => blockCursor,
  list: ({ chainId, token, page, count }, { sort: direction, limit: _, ...given }) =>
    listSupplyChanges({ ...{ chainId, token, page, count, direction }, range: rangeOf(given) }),
})

export const priceHistory = listOfContract({
  id: "erc20/price/history",
  path: "/erc20/{address}/price/history",
  standard: "erc20",
  summary: "The prices that are kept of a token: at the beginnings of hours",
  description:
    "A price speaks for its hour and, where no newer one is, for those up to `validTo`. All values of the past are made of these.",
  record: PricePoint,
  parameters: { sort: feedSort, limit, ...timeRange, finality },
  cursor: () => hourCursor,
  list: ({ chainId, token, page, count }, { sort: direction, limit: _, ...given }) =>
    listPricePoints({ ...{ chainId, token, page, count, direction }, range: rangeOf(given) }),
})

const { blockNumberFrom, blockNumberTo } = blockRange
/** A time names the last block by then, as `timestamp` does. */
const lastBlockBy = (
  decode: typeof timeRange.timestampTo.decode,
  description: string,
  example: string,
): typeof timeRange.timestampTo => ({
  ...timeRange.timestampTo,
  isCostly: costlyWhenGiven,
  faults: ["BlockUnknown"],
  doc: timeDoc(description, example),
  decode,
})

export const holdersDiff = listOfContract({
  id: "erc20/holders/diff",
  path: "/erc20/{address}/holders/diff",
  standard: "erc20",
  summary: "Whose balance changed between two blocks: who entered, who left, whose is another",
  description:
    "By address. The state after `blockNumberFrom` (absent = before the first block, when nobody had anything) is compared with that after `blockNumberTo` (absent = the newest); times name the last blocks by then. The sum of `change` is the change of what events told of the supply.",
  record: HolderChange,
  // Each page looks through all that changed, or all of the token's holders.
  rowsAtOnce: 10_000,
  parameters: {
    limit: { ...limit, isCostly: () => true },
    blockNumberFrom: {
      ...blockNumberFrom,
      faults: ["HistoryNotAvailable"],
      doc: {
        ...(blockNumberFrom.doc as ParameterDoc),
        description: "The state after this block is what is compared with: what it changed itself is no change",
      },
    } as typeof blockNumberFrom,
    blockNumberTo: {
      ...blockNumberTo,
      doc: {
        ...(blockNumberTo.doc as ParameterDoc),
        description: "The last block whose changes count; absent = the newest",
        example: 1_000_000,
      },
    } as typeof blockNumberTo,
    timestampFrom: lastBlockBy(
      decodeBegin(Math.floor),
      "The last block by this time, in the place of `blockNumberFrom`: ISO 8601 (UTC without a zone) or seconds since 1970. Before the chain's first block nobody had anything",
      "2026-01-01T00:00:12Z",
    ),
    timestampTo: lastBlockBy(
      decodeTime(Math.floor),
      "The last block by this time, in the place of `blockNumberTo`: ISO 8601 (UTC without a zone) or seconds since 1970",
      "2026-01-31T12:00:00Z",
    ),
    finality: finalityOf(
      "`finalized`: up to a block that no reorg takes back any more; `latest`: up to the newest (the default)",
      costlyWhenGiven,
      ["HistoryNotAvailable"],
    ),
  },
  // Before everything nobody had anything, which is true of whichever token.
  lowestBlock: ({ at, from }) => (from?.[0] ?? at?.[0])?.blockNumber,
  cursor: () => diffCursor,
  list: (query, { limit: _, ...given }) => listHolderChanges({ ...query, range: rangeOf(given) }),
})
