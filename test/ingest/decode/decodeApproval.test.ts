/** Approval and ApprovalForAll: which shapes are what, what is malformed, and that nobody who did not ask gets any. */
import { describe, expect, test } from "bun:test"
import { encodeAbiParameters, encodeEventTopics, parseAbi } from "viem"
import { canonical, digestOf } from "../../../src/adapters/postgres/database/ledgerSettings.ts"
import { decode } from "../../../src/domain/ingest/decode/decode.ts"
import { approvalTopics, followedTopics } from "../../../src/domain/ingest/decode/topics.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { settingsOf } from "../../contracts/store.ts"
import { address, approval, encodeEvent, hash, idApproval, operatorApproval } from "../../support/chain/testChain.ts"

const [token, alice, bob] = [address(0x70), address(0xa), address(0xb)]
const known = { wrappedNative: new Set<never>(), poolManagers: new Set<never>(), swaps: true, approvals: true }
const decoded = (topics: ReadonlyArray<string>, data: string, approvals = true) =>
  decode(
    { address: token, topics, data, blockNumber: 1, blockHash: hash("block"), logIndex: 0, txHash: hash("tx") },
    { ...known, approvals },
  )
const word = (value: bigint | number) => value.toString(16).padStart(64, "0")
const topic = (value: bigint | number | string) =>
  typeof value === "string" ? `0x${value.slice(2).padStart(64, "0")}` : `0x${word(value)}`
const abi = parseAbi([
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
])
const idAbi = parseAbi(["event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)"])
const topicsOf = (given: unknown) => given as ReadonlyArray<string>
const parties = { owner: alice as `0x${string}` }

describe("approvals", () => {
  test("are read as viem writes them", () => {
    const spender = bob as `0x${string}`
    const amount = topicsOf(encodeEventTopics({ abi, eventName: "Approval", args: { ...parties, spender } }))
    expect(decoded(amount, encodeAbiParameters([{ type: "uint256" }], [2n ** 256n - 1n]))).toEqual(
      approval(token, alice, bob, 2n ** 256n - 1n).event,
    )
    const id = topicsOf(
      encodeEventTopics({ abi: idAbi, eventName: "Approval", args: { ...parties, approved: spender, tokenId: 7n } }),
    )
    expect(decoded(id, "0x")).toEqual(idApproval(token, alice, bob, 7n).event)
    const all = topicsOf(
      encodeEventTopics({ abi, eventName: "ApprovalForAll", args: { ...parties, operator: spender } }),
    )
    for (const isAllowed of [true, false]) {
      const data = encodeAbiParameters([{ type: "bool" }], [isAllowed])
      expect(decoded(all, data)).toEqual(operatorApproval(token, alice, bob, isAllowed).event)
    }
  })

  const { approval: one, approvalForAll: all } = approvalTopics
  test.each([
    ["without a spender", [one, topic(alice)], `0x${word(1)}`],
    ["whose parties are in the data", [one], `0x${word(1)}${word(2)}${word(3)}`],
    ["of an amount and an id", [one, topic(alice), topic(bob), topic(7)], `0x${word(1)}`],
    ["without an amount", [one, topic(alice), topic(bob)], "0x"],
    ["of an owner with more than 20 bytes", [one, topic(2n ** 160n), topic(bob)], `0x${word(1)}`],
    ["for all that is neither yes nor no", [all, topic(alice), topic(bob)], `0x${word(2)}`],
    ["for all with a topic too many", [all, topic(alice), topic(bob), topic(1)], `0x${word(1)}`],
  ])("%s are counted, never guessed", (_, topics, data) => {
    expect(decoded(topics, data)).toEqual({ kind: "malformed" })
  })

  test("are nothing of ours, and not asked for, where they are not stored", () => {
    for (const { event } of [approval(token, alice, bob, 1n), operatorApproval(token, alice, bob, true)]) {
      const { topics, data } = encodeEvent(event)
      expect(decoded(topics, data, false)).toEqual({ kind: "other" })
    }
    expect(followedTopics(true, true).filter((it) => !followedTopics(true).includes(it))).toEqual(
      Object.values(approvalTopics),
    )
  })

  test("are part of what a ledger is made with; off, its digest is that of ledgers from before they could be stored", () => {
    const settings = settingsOf({ chainId: ChainId.make("1") })
    const off = canonical(settings)
    expect(Object.keys(off)).not.toContain("approvals")
    expect(digestOf(canonical({ ...settings, approvals: false }))).toBe(digestOf(off))
    expect(digestOf(canonical({ ...settings, approvals: true }))).not.toBe(digestOf(off))
  })
})
