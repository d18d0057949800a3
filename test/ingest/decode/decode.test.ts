/** Logs of real blocks and odd ones, through decoding and the ledger's rules. */
import { describe, expect, test } from "bun:test"
import { decode, type KnownContracts } from "../../../src/domain/ingest/decode/decode.ts"
import { movementOf } from "../../../src/domain/ingest/decode/ledgerRules.ts"
import { movementsOf, sortLogs } from "../../../src/domain/ingest/decode/sorting.ts"
import { topics } from "../../../src/domain/ingest/decode/topics.ts"
import type { Log } from "../../../src/model/block.ts"
import { burnAccount, mintAccount, type TokenEvent } from "../../../src/model/event.ts"
import { Address, Hash, zeroAddress } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const weth = Address.make("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2")
const wrapped = new Set([weth])
const known: KnownContracts = { wrappedNative: wrapped, poolManagers: new Set(), swaps: true }
const pad = (hex: string) => `0x${hex.replace(/^0x/, "").padStart(64, "0")}`

/** A log at WETH in Ethereum's block 17173049, of which the fields that matter are given. */
const log = (topicList: ReadonlyArray<string>, data: string, more: Partial<Log> = {}): Log => ({
  address: weth,
  topics: topicList,
  data,
  blockNumber: 17173049,
  blockHash: Hash.make("0xaa5ab9bb22d8020d438496a7edb4eff508b1c5128b0dc01fdecf57f96aac1bb3"),
  logIndex: 0,
  txHash: hash("tx"),
  txIndex: 7,
  ...more,
})
const [alice, bob] = [address(0xa), address(0xb)]

describe("a log of Ethereum's block 17173049", () => {
  test("of three topics and a word is an ERC-20 transfer", () => {
    expect<unknown>(
      decode(
        log(
          [
            topics.transfer,
            "0x0000000000000000000000006b75d8af000000e20b7a7ddf000ba900b4009a80",
            "0x0000000000000000000000007054b0f980a7eb5b3a6b3446f3c947d80162775c",
          ],
          "0x00000000000000000000000000000000000000000000000061ec933f00000000",
        ),
        known,
      ),
    ).toEqual({
      kind: "erc20Transfer",
      from: "0x6b75d8af000000e20b7a7ddf000ba900b4009a80",
      to: "0x7054b0f980a7eb5b3a6b3446f3c947d80162775c",
      amount: 7056176614974947328n,
    })
  })

  test("of four topics and no data is an ERC-721 transfer", () => {
    const mint = [topics.transfer, pad("0x0"), pad("0x3813ba8de772451b5459559011540f5bfc19432d"), pad("0x37e")]
    expect<unknown>(decode(log(mint, "0x"), known)).toEqual({
      kind: "nftTransfer",
      standard: "erc721",
      from: zeroAddress,
      to: "0x3813ba8de772451b5459559011540f5bfc19432d",
      units: [{ tokenId: 0x37en, amount: 1n }],
    })
  })

  test("at WETH is a Deposit or a Withdrawal, elsewhere nothing of ours", () => {
    const deposit = log(
      [topics.deposit, "0x000000000000000000000000ef1c6e67703c7bd7107eed8303fbe6ec2554bf6b"],
      "0x00000000000000000000000000000000000000000000000066b214cb09e40000",
    )
    const withdrawal = log(
      [topics.withdrawal, "0x0000000000000000000000007a250d5630b4cf539739df2c5dacb4c659f2488d"],
      "0x000000000000000000000000000000000000000000000000017b7d2f05e18a35",
    )
    expect<unknown>(decode(deposit, known)).toEqual({
      kind: "deposit",
      holder: "0xef1c6e67703c7bd7107eed8303fbe6ec2554bf6b",
      amount: 7400000000000000000n,
    })
    expect<unknown>(decode(withdrawal, known)).toEqual({
      kind: "withdrawal",
      holder: "0x7a250d5630b4cf539739df2c5dacb4c659f2488d",
      amount: 106816657088940597n,
    })
    expect([deposit, withdrawal].map((each) => decode(each, { ...known, wrappedNative: new Set() }))).toEqual([
      { kind: "other" },
      { kind: "other" },
    ])
  })
})

describe("an odd shape", () => {
  const [from, to, amount] = [pad(alice), pad(bob), pad("0x5")]
  const shapes: ReadonlyArray<[string, Log]> = [
    ["of one topic", log([topics.transfer], from + to.slice(2) + amount.slice(2))],
    ["of two topics", log([topics.transfer, from], to + amount.slice(2))],
    ["of three topics and no data", log([topics.transfer, from, to], "0x")],
    ["of three topics and 31 bytes", log([topics.transfer, from, to], amount.slice(0, -2))],
    ["of three topics and two words", log([topics.transfer, from, to], amount + amount.slice(2))],
    ["of four topics and data", log([topics.transfer, from, to, amount], amount)],
    ["with a sender of 32 bytes", log([topics.transfer, `0x01${from.slice(4)}`, to], amount)],
    ["with a receiver of 32 bytes", log([topics.transfer, from, `0x${"f".repeat(64)}`], amount)],
    ["of an ERC-721 with a receiver of 32 bytes", log([topics.transfer, from, `0x${"f".repeat(64)}`, amount], "0x")],
    ["of a Deposit with two topics in data", log([topics.deposit], from + amount.slice(2))],
    ["of a Withdrawal of 64 bytes", log([topics.withdrawal, from], amount + amount.slice(2))],
    ["of a TransferSingle of three topics", log([topics.transferSingle, from, to], amount)],
    ["of a ConsecutiveTransfer without an end", log([topics.consecutiveTransfer, amount, from, to], "0x")],
  ]
  for (const [name, given] of shapes) {
    test(`${name} is counted, never guessed`, () => expect(decode(given, known)).toEqual({ kind: "malformed" }))
  }

  test("of an unknown event is nothing of ours", () => {
    expect(decode(log([hash("Approval")], amount), known)).toEqual({ kind: "other" })
    expect(decode(log([], "0x"), known)).toEqual({ kind: "other" })
  })

  test("of the largest amount is exact", () => {
    expect(decode(log([topics.transfer, from, to], `0x${"f".repeat(64)}`), known)).toMatchObject({
      amount: 2n ** 256n - 1n,
    })
  })
})

describe("who loses and who gains", () => {
  const token = address(0x70)
  const ends = (from: Address, to: Address, at = token) => {
    const moved = movementOf(
      { kind: "erc20Transfer", from, to, amount: 1n },
      log([], "0x", { address: at }),
      7,
      wrapped,
    )!
    return { kind: moved.kind, from: moved.from, to: moved.to, debit: moved.debit, credit: moved.credit }
  }
  const cases: ReadonlyArray<[string, ReturnType<typeof ends>, string, string]> = [
    ["an ordinary transfer", ends(alice, bob), alice, bob],
    ["a transfer to oneself", ends(alice, alice), alice, alice],
    ["a mint", ends(zeroAddress, bob), mintAccount, bob],
    ["a mint to the zero address", ends(zeroAddress, zeroAddress), mintAccount, zeroAddress],
    ["a burn", ends(alice, zeroAddress), alice, burnAccount],
    ["wrapped native sent to the zero address", ends(alice, zeroAddress, weth), alice, zeroAddress],
    ["wrapped native from the zero address", ends(zeroAddress, bob, weth), mintAccount, bob],
  ]
  for (const [name, moved, debit, credit] of cases) {
    test(`in ${name}`, () => expect(moved).toMatchObject({ kind: "transfer", debit, credit }))
  }

  test("in a transfer, the feed's own from and to stay as the log has them", () => {
    expect(ends(alice, zeroAddress)).toMatchObject({ from: alice, to: zeroAddress })
    expect(ends(zeroAddress, bob)).toMatchObject({ from: zeroAddress, to: bob })
  })

  test("in a Deposit and a Withdrawal, which are not transfers", () => {
    const at = log([], "0x")
    expect(movementOf({ kind: "deposit", holder: alice, amount: 3n }, at, 7, wrapped)).toMatchObject({
      kind: "wrap",
      debit: mintAccount,
      credit: alice,
      amount: 3n,
      time: 7,
    })
    expect(movementOf({ kind: "withdrawal", holder: alice, amount: 3n }, at, 7, wrapped)).toMatchObject({
      kind: "wrap",
      debit: alice,
      credit: burnAccount,
    })
  })

  test("in other standards' events: nobody, as far as the ledger goes", () => {
    const nft: TokenEvent = { kind: "nftTransfer", standard: "erc721", from: alice, to: bob, units: [] }
    for (const event of [nft, { kind: "malformed" }, { kind: "other" }] satisfies ReadonlyArray<TokenEvent>) {
      expect(movementOf(event, log([], "0x"), 7, wrapped)).toBeUndefined()
    }
  })
})

test("logs are sorted out into rows and counts; contracts that are not followed are neither", () => {
  const [from, to, amount] = [pad(alice), pad(bob), pad("0x5")]
  const [followed, ignored] = [address(0x70), address(0x71)]
  const logs = [
    log([topics.transfer, from, to], amount, { address: followed, logIndex: 1 }),
    log([topics.transfer, from, to], amount, { address: ignored, logIndex: 2 }),
    log([topics.transfer, from, to, amount], "0x", { address: followed, logIndex: 3 }),
    log([topics.transfer, from, to, amount], "0x", { address: ignored, logIndex: 4 }),
    log([topics.transferSingle, from, from, to], amount + amount.slice(2), { address: followed, logIndex: 5 }),
    log([topics.transferSingle, from, from, to], amount, { address: followed, logIndex: 6 }),
    log([topics.transfer, from], amount, { address: followed, logIndex: 7 }),
    log([topics.deposit, from], amount, { address: followed, logIndex: 8 }),
    log([topics.consecutiveTransfer, amount, from, to], pad("0x6"), { address: followed, logIndex: 9 }),
  ]
  const contracts = { ...known, tokens: new Set([followed]) }
  const sorted = sortLogs(logs, contracts)
  expect(sorted.malformed).toBe(2)
  const row = { token: followed, blockNumber: 17173049, txHash: hash("tx"), txIndex: 7, from: alice, to: bob }
  expect(movementsOf(sorted, contracts, ({ logIndex }) => 100 + logIndex)).toEqual({
    movements: [{ ...row, kind: "transfer", logIndex: 1, time: 101, debit: alice, credit: bob, amount: 5n }],
    nfts: [
      { ...row, standard: "erc721", logIndex: 3, sub: 0, time: 103, tokenId: 5n, amount: 1n },
      { ...row, standard: "erc1155", operator: alice, logIndex: 5, sub: 0, time: 105, tokenId: 5n, amount: 5n },
      { ...row, standard: "erc721", logIndex: 9, sub: 0, time: 109, tokenId: 5n, amount: 1n },
      { ...row, standard: "erc721", logIndex: 9, sub: 1, time: 109, tokenId: 6n, amount: 1n },
    ],
    swaps: [],
    approvals: [],
    odd: [6, 7].map((logIndex) => ({
      contract: followed,
      topics: logs[logIndex - 1]!.topics,
      data: amount,
      ...{
        blockNumber: row.blockNumber,
        logIndex,
        time: 100 + logIndex,
        txHash: row.txHash,
        txIndex: 7,
        hasRows: false,
      },
    })),
  })
})
