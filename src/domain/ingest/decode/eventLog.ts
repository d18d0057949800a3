/** Event → log: the one usual way to write what an event says. Of a log that is not odd it gives back every byte. Pure. */
import type { NftUnit, TokenEvent } from "../../../model/event.ts"
import { approvalTopics, topics } from "./topics.ts"

export interface WrittenLog {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Undefined for what no usual log says. Several units are a batch or an ERC-2309 range, one is a single. */
export const logOfEvent = (event: TokenEvent): WrittenLog | undefined => {
  switch (event.kind) {
    case "erc20Transfer":
      return written([topics.transfer, event.from, event.to], [event.amount])
    case "deposit":
    case "withdrawal":
      return written([topics[event.kind], event.holder], [event.amount])
    case "nftTransfer":
      return event.standard === "erc721" ? erc721(event) : erc1155(event)
    case "approval": {
      const { of, owner, spender, tokenId, amount } = event
      if (of === "operator") return written([approvalTopics.approvalForAll, owner, spender], [amount])
      return of === "tokenId"
        ? written([approvalTopics.approval, owner, spender, tokenId], [])
        : written([approvalTopics.approval, owner, spender], [amount])
    }
    default:
      return undefined
  }
}

type NftTransfer = Extract<TokenEvent, { readonly kind: "nftTransfer" }>

const erc721 = ({ from, to, units }: NftTransfer): WrittenLog | undefined => {
  const [first, last] = [units[0], units.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return units.length === 1
    ? written([topics.transfer, from, to, first.tokenId], [])
    : written([topics.consecutiveTransfer, first.tokenId, from, to], [last.tokenId])
}

const erc1155 = ({ operator, from, to, units }: NftTransfer): WrittenLog | undefined => {
  const [only] = units
  if (only === undefined || operator === undefined) return undefined
  return units.length === 1
    ? written([topics.transferSingle, operator, from, to], [only.tokenId, only.amount])
    : written([topics.transferBatch, operator, from, to], batchWords(units))
}

/** Two offsets, the ids behind their number, the amounts behind theirs. */
const batchWords = (units: ReadonlyArray<NftUnit>): ReadonlyArray<bigint> => {
  const count = BigInt(units.length)
  const [ids, amounts] = [units.map(({ tokenId }) => tokenId), units.map(({ amount }) => amount)]
  return [64n, 96n + 32n * count, count, ...ids, count, ...amounts]
}

const written = (values: ReadonlyArray<string | bigint>, words: ReadonlyArray<bigint>): WrittenLog => ({
  topics: values.map((value) => `0x${wordOf(value)}`),
  data: `0x${words.map(wordOf).join("")}`,
})

/** 64 hex digits, of an address or a signature too. */
const wordOf = (value: string | bigint): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")
