/** Holders of a contract, largest balance first: one list per standard. */
import { Result, Schema, Struct } from "effect"
import { currentHolders, currentUnits } from "../../../domain/audit/current.ts"
import { Erc1155Holder, erc1155HolderExtras, Holder, type HolderExtra, holderExtras } from "../../../model/holder.ts"
import type { Address, BigIntString } from "../../../model/primitives.ts"
import type { HeldStandard } from "../../../ports/HolderStore.ts"
import { costlyWhenCounted, hasOnly } from "../contract/cost.ts"
import { defined } from "../contract/parameter.ts"
import { firstValue, listValues, type Query } from "../contract/query.ts"
import { sampleHolder } from "../contract/samples.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { asOf } from "./asOf.ts"
import { erc1155HolderCursor, holderCursor } from "./cursors.ts"
import { addresses, included } from "./filters.ts"
import { listOfContract } from "./list.ts"
import { type NativeParameter, onlyTrue, limit as rowLimit } from "./parameters.ts"

const minBalance: NativeParameter<BigIntString | undefined> = {
  bound: "given",
  isCostly: costlyWhenCounted,
  doc: {
    description: "Only balances from this on: raw subunits, numbers of ids, or amounts of an id",
    schema: { type: "string", pattern: "^[0-9]{1,78}$" },
    example: "1",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    return /^\d{1,78}$/.test(text)
      ? Result.succeed(String(BigInt(text)))
      : Result.fail(invalidParameter(name, text, "a whole number of up to 78 digits"))
  },
}

const address: NativeParameter<ReadonlyArray<Address> | undefined> = {
  ...addresses("Only these holders", sampleHolder),
  bound: "given",
}

const excludeContracts = onlyTrue(
  "`true` = without holders that are known to be contracts. Rows then say `isContract`: null where nobody has asked yet",
)

/** Of all holders, now, a page of a thousand is one stretch of an index. */
const limit: NativeParameter<number> = {
  ...rowLimit,
  isCostly: (query, name, counted) =>
    !hasOnly(query, ofAllHolders) && rowLimit.isCostly?.(query, name, counted) === true,
}
const ofAllHolders: ReadonlySet<string> = new Set(["limit", "next", "nextToken", "prev", "prevToken", "count"])

const parameters = { limit, ...asOf, minBalance, address, excludeContracts }

/** Narrows what is asked. Every balance that is listed is above zero. */
const narrowedBy = (given: {
  readonly blockNumber: number | undefined
  readonly minBalance: BigIntString | undefined
  readonly address: ReadonlyArray<Address> | undefined
  readonly excludeContracts: true | undefined
  readonly include: ReadonlyArray<HolderExtra>
}) => {
  const { blockNumber, minBalance: least, address: addresses } = given
  const { excludeContracts } = given
  const codes = showsCodes(given) ? (true as const) : undefined
  return defined({ blockNumber, minBalance: least === "0" ? undefined : least, addresses, excludeContracts, codes })
}

interface Shown {
  readonly include: ReadonlyArray<HolderExtra>
  readonly excludeContracts: true | undefined
}

/** Whoever wants no contracts has to see of which rows it is not known. */
const showsCodes = ({ include, excludeContracts }: Shown) => include.includes("isContract") || excludeContracts === true

/** Ranks are counted. */
const include = {
  ...included(holderExtras),
  isCostly: (query: Query, name: string) => listValues(query, name).includes("rank"),
}

/** The record without the fields that were not asked for. */
const shownHolder = (shown: Shown) =>
  Schema.Struct(
    Struct.omit(Holder.fields, [
      ...(shown.include.includes("rank") ? [] : (["rank"] as const)),
      ...(showsCodes(shown) ? [] : (["isContract"] as const)),
    ]),
  )

const shownUnit = (shown: Shown) =>
  showsCodes(shown) ? Erc1155Holder : Schema.Struct(Struct.omit(Erc1155Holder.fields, ["isContract"]))

const holdersOf = (standard: HeldStandard, summary: string) =>
  listOfContract({
    id: `${standard}/holders`,
    path: `/${standard}/{address}/holders`,
    standard,
    summary,
    record: Holder,
    columns: shownHolder,
    parameters: { ...parameters, include },
    joined: new Set(["limit"]),
    ofBalances: true,
    ofFigures: (given) => !showsCodes(given),
    cursor: () => holderCursor,
    list: (query, given, auditRead) => {
      const rank = given.include.includes("rank") ? { rank: true as const } : {}
      return currentHolders(standard, { ...query, ...narrowedBy(given), ...rank }, auditRead)
    },
  })

export const erc20Holders = holdersOf("erc20", "Holders of an ERC-20 token, each with its fraction of the supply")
export const erc721Holders = holdersOf("erc721", "Owners of ids of an ERC-721 contract, each with how many")

export const erc1155Holders = listOfContract({
  id: "erc1155/holders",
  path: "/erc1155/{address}/holders",
  standard: "erc1155",
  summary: "Holders of an ERC-1155 contract, a row per address and id",
  record: Erc1155Holder,
  columns: shownUnit,
  // Rows are of ids: an address has as many places among them as ids, and none among holders.
  parameters: { ...parameters, include: included(erc1155HolderExtras) },
  ofBalances: true,
  ofFigures: (given) => !showsCodes(given),
  cursor: () => erc1155HolderCursor,
  list: (query, given, auditRead) => currentUnits({ ...query, ...narrowedBy(given) }, auditRead),
})
