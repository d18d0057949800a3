/** The filters that the feeds' contract tries, by what they say. */
import { type Address, zeroAddress } from "../../../src/model/primitives.ts"
import type { TransferFilter } from "../../../src/model/transfer.ts"
import { address, TestChain } from "../../support/chain/testChain.ts"
import { people } from "./chatter.ts"
import { contracts, largestId } from "./feeds.truth.ts"

const [hot, other, rare] = contracts as [Address, Address, Address]
const [p1, p2, p3] = people as [Address, Address, Address]
const stranger = address(0xbeef)
/** A time between that of the first block and the last. */
const middle = new TestChain().genesisTime + 40

export const filters: Readonly<Record<string, TransferFilter>> = {
  nothing: {},
  "one token": { tokenAddress: [hot] },
  "a rare token": { tokenAddress: [rare] },
  "three tokens": { tokenAddress: contracts },
  "a token nobody knows": { tokenAddress: [stranger] },
  from: { from: [p1] },
  "from two": { from: [p1, p2] },
  to: { to: [p3] },
  "from and to": { from: [p1, p2], to: [p2, p3] },
  address: { address: [p1] },
  "address of two": { address: [p1, p2] },
  "address and token": { address: [p2], tokenAddress: [other] },
  "from in some tokens": { from: [p3], tokenAddress: [hot, rare] },
  mints: { from: [zeroAddress] },
  "mints of a token": { from: [zeroAddress], tokenAddress: [other] },
  burns: { to: [zeroAddress] },
  "mints and burns": { address: [zeroAddress] },
  "mints to someone": { from: [zeroAddress], to: [p2] },
  "burns or gifts": { to: [zeroAddress, p1] },
  "zero to zero": { from: [zeroAddress], to: [zeroAddress] },
  "zero to zero in a token": { from: [zeroAddress], to: [zeroAddress], tokenAddress: [other] },
  "zero or someone to zero or someone": { from: [zeroAddress, p1], to: [zeroAddress, p2] },
  "address and from": { address: [p1], from: [p1, p2] },
  "zero or someone, in tokens": { address: [zeroAddress, p3], tokenAddress: [hot, other] },
  either: { either: { from: [p1], to: [p3] } },
  "either in tokens": { either: { from: [p1, p2], to: [p2] }, tokenAddress: [hot, other] },
  "mints or burns": { either: { from: [zeroAddress], to: [zeroAddress] } },
  "mints or someone's": { either: { from: [zeroAddress], to: [p2] } },
  "either and address": { either: { from: [p1], to: [p2] }, address: [p3, p2] },
  "either and the zero address": { either: { from: [p1], to: [p2] }, address: [zeroAddress] },
  "blocks from": { blockNumberFrom: 15 },
  "blocks to": { blockNumberTo: 15 },
  "one block": { blockNumberFrom: 1, blockNumberTo: 1 },
  "blocks beyond the head": { blockNumberFrom: 2 ** 53 - 1 },
  "blocks up to infinity": { blockNumberFrom: 10, blockNumberTo: 2 ** 53 - 1 },
  "address in blocks": { address: [p1], blockNumberFrom: 12, blockNumberTo: 25 },
  "a stranger": { address: [stranger] },
  "times from": { timestampFrom: middle },
  "times to": { timestampTo: middle },
  "one second": { timestampFrom: middle, timestampTo: middle + 1 },
  "times after all": { timestampFrom: 2 ** 40 },
  "times of all": { timestampFrom: 0, timestampTo: 2 ** 40 },
  "times and blocks": { timestampFrom: middle - 10, blockNumberFrom: 9, timestampTo: middle + 8, blockNumberTo: 30 },
  "a token at times": { tokenAddress: [hot], timestampFrom: middle - 12, timestampTo: middle + 12 },
  "address at times": { address: [p1], timestampFrom: middle - 12, timestampTo: middle + 12 },
  "blocks that stay": { finalized: true },
  "address in blocks that stay": { address: [p2], finalized: true, timestampFrom: middle - 20 },
}

const one = { tokenAddress: [hot] }

/** Of tokens on lists: what another filter says of them, and the list besides. */
export const trustedFilters: Readonly<Record<string, TransferFilter>> = Object.fromEntries(
  Object.entries({
    ...Object.fromEntries(
      [
        "nothing",
        "three tokens",
        "one token",
        "address",
        "address and token",
        "from and to",
        "mints",
        "mints and burns",
      ].map((name) => [name, filters[name]!]),
    ),
    ...Object.fromEntries(
      [
        "zero to zero",
        "zero or someone to zero or someone",
        "either",
        "mints or someone's",
        "address in blocks",
        "blocks that stay",
      ].map((name) => [name, filters[name]!]),
    ),
    "a time": { timestampFrom: middle - 12, timestampTo: middle + 12 },
  }).map(([name, filter]) => [name, { ...filter, trusted: true }]),
)

/** Of ERC-721 and ERC-1155. */
export const idFilters: Readonly<Record<string, TransferFilter>> = {
  "one id": { ...one, tokenId: ["1"] },
  "the largest id": { ...one, tokenId: [String(largestId)] },
  "three ids, one of them twice": { ...one, tokenId: ["3", "0", "2", "3"] },
  "an id nobody knows": { ...one, tokenId: ["123456789"] },
  "an id of a token nobody knows": { tokenAddress: [stranger], tokenId: ["1"] },
  "ids in blocks": { ...one, tokenId: ["1", "2"], blockNumberFrom: 5, blockNumberTo: 30 },
  "an id from someone": { ...one, tokenId: ["1"], from: [p1] },
  "ids to someone": { ...one, tokenId: ["1", "2", "3"], to: [p2, p3] },
  "ids by address": { ...one, tokenId: ["1", "2", "3"], address: [p1, p3] },
  "ids between two": { ...one, tokenId: ["0", "1", "2", "3"], from: [p1, p2, p3], to: [p1, p2, p3] },
  "mints of an id": { ...one, tokenId: ["1"], from: [zeroAddress] },
  "burns of ids": { ...one, tokenId: ["1", "2", "3"], to: [zeroAddress] },
  "mints and burns of ids": { ...one, tokenId: ["1", "2"], address: [zeroAddress] },
  "an id from zero to zero": { tokenAddress: [other], tokenId: ["9", "1"], from: [zeroAddress], to: [zeroAddress] },
}
