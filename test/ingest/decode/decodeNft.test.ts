/** Logs of ERC-721 and ERC-1155 through the decoder: every shape the standards allow, and those they do not. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { decodeAbiParameters, decodeEventLog, encodeAbiParameters, encodeEventTopics, parseAbi } from "viem"
import { addressOf as addressOfText } from "../../../demo/chain/address.ts"
import { decode } from "../../../src/domain/ingest/decode/decode.ts"
import { topics } from "../../../src/domain/ingest/decode/topics.ts"
import type { TokenEvent } from "../../../src/model/event.ts"
import { Address } from "../../../src/model/primitives.ts"
import {
  consecutiveTransfer,
  encodeEvent,
  hash,
  multiTransfer,
  nftTransfer,
  operatorOf,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"

const abi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)",
])

const contract = Address.make(`0x${"70".repeat(20)}`)
const decoded = (topicList: ReadonlyArray<unknown>, data = "0x"): TokenEvent =>
  decode(
    {
      address: contract,
      topics: topicList as ReadonlyArray<string>,
      data,
      blockNumber: 1,
      blockHash: hash("block"),
      logIndex: 0,
      txHash: hash("tx"),
    },
    { wrappedNative: new Set(), poolManagers: new Set(), swaps: false },
  )

const word = (value: number | bigint) => value.toString(16).padStart(64, "0")
const data = (...words: ReadonlyArray<number | bigint>) => `0x${words.map(word).join("")}`
const topic = (value: number | bigint) => `0x${word(value)}`
const addressOf = (value: bigint) => addressOfText(`0x${value.toString(16).padStart(40, "0")}`)
const largest = 2n ** 256n - 1n
const [operator, from, to] = [0xfn, 0xan, 0xbn]
const parties = [topic(operator), topic(from), topic(to)]
const dirty = `0x${"0".repeat(23)}1${"0".repeat(38)}0a`
const short = `0x${"0".repeat(60)}0a`

const malformed: TokenEvent = { kind: "malformed" }
const moved = (standard: "erc721" | "erc1155", ...units: ReadonlyArray<readonly [bigint, bigint]>): TokenEvent => ({
  kind: "nftTransfer",
  standard,
  from: addressOf(from),
  to: addressOf(to),
  ...(standard === "erc1155" ? { operator: addressOf(operator) } : {}),
  units: units.map(([tokenId, amount]) => ({ tokenId, amount })),
})
const isOdd = (cases: ReadonlyArray<[string, ReadonlyArray<unknown>, string?]>) => {
  for (const [name, topicList, bytes] of cases) {
    test(`${name} is odd`, () => expect(decoded(topicList, bytes)).toEqual(malformed))
  }
}

describe("an ERC-721 transfer", () => {
  const of = (id: number | bigint) => [topics.transfer, topic(from), topic(to), topic(id)]
  test("has its id in the fourth topic, up to the largest", () => {
    expect(decoded(of(0))).toEqual(moved("erc721", [0n, 1n]))
    expect(decoded(of(largest))).toEqual(moved("erc721", [largest, 1n]))
  })
  isOdd([
    ["with data", of(1), data(1)],
    ["with a dirty sender", [topics.transfer, dirty, topic(to), topic(1)]],
    ["with a dirty receiver", [topics.transfer, topic(from), dirty, topic(1)]],
    ["with a short id", [topics.transfer, topic(from), topic(to), short]],
    ["of CryptoKitties' kind, all in the data", [topics.transfer], data(from, to, 1)],
    ["of five topics", [...of(1), topic(1)]],
  ])
})

describe("a TransferSingle", () => {
  const of = [topics.transferSingle, ...parties]
  test("has id and amount in the data", () => {
    expect(decoded(of, data(7, 9))).toEqual(moved("erc1155", [7n, 9n]))
    expect(decoded(of, data(largest, largest))).toEqual(moved("erc1155", [largest, largest]))
    expect(decoded(of, data(0, 0))).toEqual(moved("erc1155", [0n, 0n]))
  })
  isOdd([
    ["without data", of],
    ["of one word", of, data(7)],
    ["of three words", of, data(7, 9, 1)],
    ["of 63 bytes", of, data(7, 9).slice(0, -2)],
    ["without an operator", [topics.transferSingle, topic(from), topic(to)], data(7, 9)],
    ["with everything in the data", [topics.transferSingle], data(operator, from, to, 7, 9)],
    ["with a dirty operator", [topics.transferSingle, dirty, topic(from), topic(to)], data(7, 9)],
    ["with a dirty sender", [topics.transferSingle, topic(operator), dirty, topic(to)], data(7, 9)],
    ["with a dirty receiver", [topics.transferSingle, topic(operator), topic(from), dirty], data(7, 9)],
  ])
})

describe("a TransferBatch", () => {
  const of = [topics.transferBatch, ...parties]
  const two = moved("erc1155", [1n, 10n], [2n, 20n])
  const shapes: ReadonlyArray<[string, string, TokenEvent]> = [
    ["of two ids", data(64, 160, 2, 1, 2, 2, 10, 20), two],
    ["whose amounts come first", data(160, 64, 2, 10, 20, 2, 1, 2), two],
    ["with bytes behind its arrays", `${data(64, 160, 2, 1, 2, 2, 10, 20)}00ff`, two],
    ["with a gap before its arrays", data(96, 192, 99, 2, 1, 2, 2, 10, 20), two],
    ["at offsets that are no whole words", `${data(65, 161)}ff${data(2, 1, 2, 2, 10, 20).slice(2)}`, two],
    ["whose ids are its amounts", data(64, 64, 2, 5, 6), moved("erc1155", [5n, 5n], [6n, 6n])],
    ["of an id that comes twice", data(64, 160, 2, 1, 1, 2, 3, 4), moved("erc1155", [1n, 3n], [1n, 4n])],
    ["of nothing", data(64, 96, 0, 0), moved("erc1155")],
    ["of nothing, in two words", data(0, 0), moved("erc1155")],
    ["of the largest numbers", data(64, 128, 1, largest, 1, largest), moved("erc1155", [largest, largest])],
  ]
  for (const [name, bytes, event] of shapes) test(`${name} is read`, () => expect(decoded(of, bytes)).toEqual(event))
  isOdd([
    ["without data", of],
    ["of one word", of, data(64)],
    ["of offsets alone", of, data(64, 64)],
    ["with fewer amounts than ids", of, data(64, 160, 2, 1, 2, 1, 10)],
    ["with more amounts than ids", of, data(64, 128, 1, 1, 2, 10, 20)],
    ["whose amounts are cut", of, data(64, 160, 2, 1, 2, 2, 10)],
    ["whose last amount lacks a byte", of, data(64, 160, 2, 1, 2, 2, 10, 20).slice(0, -2)],
    ["with ids beyond the data", of, data(4096, 160, 2, 1, 2, 2, 10, 20)],
    ["with an offset at the very end", of, data(64, 256, 2, 1, 2, 2, 10, 20)],
    ["with an offset of 2²⁵⁶−1", of, data(largest, 160, 2, 1, 2, 2, 10, 20)],
    ["with a length of 2²⁵⁶−1", of, data(64, 64, largest)],
    ["with a length of 2²⁵¹, 32 times which is nothing", of, data(64, 64, 2n ** 251n, 1)],
    ["with a length of 2⁵³", of, data(64, 64, 2n ** 53n, 1)],
    ["with a dirty operator", [topics.transferBatch, dirty, topic(from), topic(to)], data(64, 96, 0, 0)],
    ["of three topics", [topics.transferBatch, topic(from), topic(to)], data(64, 96, 0, 0)],
  ])
})

describe("a ConsecutiveTransfer", () => {
  const of = (first: number | bigint) => [topics.consecutiveTransfer, topic(first), topic(from), topic(to)]
  const unitsOf = (event: TokenEvent) => (event.kind === "nftTransfer" ? event.units : [])
  test("of one id is one row", () => expect(decoded(of(5), data(5))).toEqual(moved("erc721", [5n, 1n])))
  test("is a row for each id, both ends included", () => {
    expect(decoded(of(5), data(7))).toEqual(moved("erc721", [5n, 1n], [6n, 1n], [7n, 1n]))
    expect(decoded(of(largest - 1n), data(largest))).toEqual(moved("erc721", [largest - 1n, 1n], [largest, 1n]))
  })
  test("of 5,000 ids is read", () => {
    const units = unitsOf(decoded(of(1), data(5000)))
    expect([units.length, units[0], units[4999]]).toEqual([
      5000,
      { tokenId: 1n, amount: 1n },
      { tokenId: 5000n, amount: 1n },
    ])
  })
  isOdd([
    ["of 5,001 ids", of(1), data(5001)],
    ["of all ids there are", of(0), data(largest)],
    ["that ends before it begins", of(6), data(5)],
    ["without an end", of(6)],
    ["with two ends", of(6), data(6, 7)],
    ["with its end in a topic", [...of(6), topic(7)], "0x"],
    ["with a dirty sender", [topics.consecutiveTransfer, topic(1), dirty, topic(to)], data(1)],
    ["with a dirty receiver", [topics.consecutiveTransfer, topic(1), topic(from), dirty], data(1)],
    ["with a short first id", [topics.consecutiveTransfer, short, topic(from), topic(to)], data(10)],
  ])
})

const anyWord = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: largest }))
const anyAddress = fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map(addressOf)
const anyUnits = fc.array(fc.tuple(anyWord, anyWord), { maxLength: 12 })
const runs = { numRuns: 300 }
const by = (operator: Address, { event }: TestEvent) => ({ ...event, operator })

describe("whatever viem encodes is decoded to the same", () => {
  test("of ERC-721", () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, anyWord, (sender, receiver, tokenId) => {
        const args = { from: sender, to: receiver, tokenId }
        const found = decoded(encodeEventTopics({ abi, eventName: "Transfer", args }))
        expect(found).toEqual(nftTransfer(contract, sender, receiver, tokenId).event)
      }),
      runs,
    )
  })

  test("of ERC-1155, single and batch", () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, anyAddress, anyUnits, (who, sender, receiver, units) => {
        const args = { operator: who, from: sender, to: receiver }
        const batch = encodeAbiParameters(
          [{ type: "uint256[]" }, { type: "uint256[]" }],
          [units.map(([id]) => id), units.map(([, amount]) => amount)],
        )
        const whole = by(who, multiTransfer(contract, sender, receiver, units))
        expect(decoded(encodeEventTopics({ abi, eventName: "TransferBatch", args }), batch)).toEqual(whole)
        for (const unit of units.slice(0, 1)) {
          const single = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], unit)
          expect(decoded(encodeEventTopics({ abi, eventName: "TransferSingle", args }), single)).toEqual(
            by(who, multiTransfer(contract, sender, receiver, [unit])),
          )
        }
      }),
      runs,
    )
  })

  test("of ERC-2309", () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, anyWord, fc.bigInt(1n, 40n), (sender, receiver, first, more) => {
        fc.pre(first + more <= largest)
        const args = { fromTokenId: first, fromAddress: sender, toAddress: receiver }
        const found = decoded(
          encodeEventTopics({ abi, eventName: "ConsecutiveTransfer", args }),
          encodeAbiParameters([{ type: "uint256" }], [first + more]),
        )
        expect(found).toEqual(consecutiveTransfer(contract, sender, receiver, first, first + more).event)
      }),
      runs,
    )
  })
})

test("the tests' own encoder makes logs that viem reads as the same events", () => {
  const read = ({ topics: own, data: bytes }: ReturnType<typeof encodeEvent>) =>
    decodeEventLog({ abi, topics: own as [`0x${string}`], data: bytes as `0x${string}`, strict: true })
  // Digits alone: viem answers with a checksum in letter case.
  const [sender, receiver] = [addressOf(0x10n), addressOf(0x11n)]
  expect(read(encodeEvent(nftTransfer(contract, sender, receiver, 3n).event)).args).toEqual({
    from: sender,
    to: receiver,
    tokenId: 3n,
  })
  const units = [
    [1n, 2n],
    [3n, 4n],
  ] as const
  expect(read(encodeEvent(multiTransfer(contract, sender, receiver, units).event)).args).toEqual({
    operator: operatorOf(sender) as string as `0x${string}`,
    from: sender,
    to: receiver,
    ids: [1n, 3n],
    values: [2n, 4n],
  })
  expect(read(encodeEvent(multiTransfer(contract, sender, receiver, units.slice(1)).event)).args).toEqual({
    operator: operatorOf(sender) as string as `0x${string}`,
    from: sender,
    to: receiver,
    id: 3n,
    value: 4n,
  })
  expect(read(encodeEvent(consecutiveTransfer(contract, sender, receiver, 3n, 9n).event)).args).toEqual({
    fromTokenId: 3n,
    toTokenId: 9n,
    fromAddress: sender,
    toAddress: receiver,
  })
})

describe("whatever the bytes", () => {
  const anyBytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`)
  /** Mostly small numbers: offsets and lengths that nearly fit. */
  const anyWords = fc.array(
    fc.oneof(
      fc.bigInt(0n, 9n).map((n) => n * 32n),
      fc.bigInt(0n, 3n),
      anyWord,
    ),
    { maxLength: 9 },
  )
  const anyTopic = fc.oneof(
    fc.constantFrom(...Object.values(topics)),
    anyWord.map(topic),
    anyAddress.map((it) => topic(BigInt(it))),
    anyBytes,
  )

  test("the decoder has an answer and never throws", () => {
    const kinds = ["erc20Transfer", "nftTransfer", "malformed", "other"]
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(topics)),
        fc.array(anyTopic, { maxLength: 4 }),
        fc.oneof(
          anyBytes,
          anyWords.map((words) => data(...words)),
        ),
        (signature, rest, bytes) => kinds.includes(decoded([signature, ...rest], bytes).kind),
      ),
      { numRuns: 2000 },
    )
  })

  test("a batch is read exactly where viem reads two arrays of one length, and as viem does", () => {
    fc.assert(
      fc.property(anyWords, (words) => {
        const bytes = data(...words)
        const found = decoded([topics.transferBatch, ...parties], bytes)
        expect(found).toEqual(viemsBatch(bytes as `0x${string}`))
      }),
      { numRuns: 2000 },
    )
  })

  const viemsBatch = (bytes: `0x${string}`): TokenEvent => {
    let arrays: readonly [ReadonlyArray<bigint>, ReadonlyArray<bigint>]
    try {
      arrays = decodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], bytes)
    } catch {
      return malformed
    }
    const [ids, amounts] = arrays
    return ids.length === amounts.length
      ? moved("erc1155", ...ids.map((id, place) => [id, amounts[place]!] as const))
      : malformed
  }
})

test("an ERC-20 transfer stays one beside them", () => {
  const { topics: own, data: bytes } = encodeEvent(transfer(contract, addressOf(from), addressOf(to), 5n).event)
  expect(decoded(own, bytes)).toEqual({
    kind: "erc20Transfer",
    from: addressOf(from),
    to: addressOf(to),
    amount: 5n,
  })
})
