/** logsBloom as a hint: bits as another library computes them, and what is read out of them. */
import { describe, expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { bloomOf, wantedOf } from "../../../src/adapters/rpc/chain/bloom.ts"
import { followedTopics, topics } from "../../../src/domain/ingest/decode/topics.ts"
import type { Address } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { bloomOf as trueBloom } from "../../support/nodes/replayChain.ts"

const log = (token: Address, topic: string = topics.transfer) => ({
  address: token,
  topics: [topic, hash("from"), hash("to")],
  data: "0x",
  blockNumber: 1,
  blockHash: hash("block"),
  logIndex: 0,
  txHash: hash("tx"),
})
const everything = wantedOf(followedTopics(), undefined)

describe("a bloom", () => {
  test("holds every log it was made of, and hardly any other", () => {
    const random = randomOf(5)
    const made = Array.from({ length: 40 }, () => log(address(random.below(2 ** 31))))
    const bloom = bloomOf(trueBloom(made), everything)
    expect(made.every((each) => bloom.mayHold(each))).toBe(true)
    const others = Array.from({ length: 2000 }, (_, index) => log(address(2 ** 40 + index)))
    expect(others.filter((each) => bloom.mayHold(each)).length).toBeLessThan(40)
  })

  test("of a log without topics asks for its address alone", () => {
    const bare = { ...log(address(1)), topics: [] }
    expect(bloomOf(trueBloom([bare]), everything).mayHold(bare)).toBe(true)
    expect(bloomOf(trueBloom([bare]), everything).mayHold(log(address(1)))).toBe(false)
  })

  test("suggests logs by any of the six signatures, and by no other", () => {
    for (const topic of Object.values(topics)) {
      expect(bloomOf(trueBloom([log(address(1), topic)]), everything).suggestsLogs()).toBe(true)
    }
    expect(bloomOf(trueBloom([log(address(1), hash("Sync"))]), everything).suggestsLogs()).toBe(false)
  })

  test("of zeros is empty and suggests nothing", () => {
    const bloom = bloomOf(trueBloom([]), everything)
    expect([bloom.empty, bloom.suggestsLogs(), bloom.mayHold(log(address(1)))]).toEqual([true, false, false])
  })

  test("suggests logs of some tokens only with one of their addresses", () => {
    const some = wantedOf(followedTopics(), [address(1), address(2)])
    expect(bloomOf(trueBloom([log(address(2))]), some).suggestsLogs()).toBe(true)
    expect(bloomOf(trueBloom([log(address(3))]), some).suggestsLogs()).toBe(false)
  })

  test("so full that it holds some of many tokens by chance suggests nothing of them", () => {
    const busy = Array.from({ length: 900 }, (_, index) => log(address(1000 + index)))
    const full = trueBloom([...busy, log(address(1))])
    expect(bloomOf(full, wantedOf(followedTopics(), [address(1), address(2), address(3)])).suggestsLogs()).toBe(false)
    expect(bloomOf(full, everything).suggestsLogs()).toBe(true)
  })
})

describe("a bloom of a block that holds logs suggests others", () => {
  const held = [log(address(1))]
  test("where it shows a signature that none of them has", () => {
    const more = trueBloom([...held, log(address(1), topics.transferSingle)])
    expect(bloomOf(more, everything).suggestsOthers(held)).toBe(true)
    expect(bloomOf(trueBloom(held), everything).suggestsOthers(held)).toBe(false)
    expect(bloomOf(trueBloom([...held, log(address(2))]), everything).suggestsOthers(held)).toBe(false)
  })

  test("where it shows one of a few tokens that none of them is of", () => {
    const some = wantedOf(followedTopics(), [address(1), address(2)])
    expect(bloomOf(trueBloom([...held, log(address(2))]), some).suggestsOthers(held)).toBe(true)
    expect(bloomOf(trueBloom([...held, log(address(3))]), some).suggestsOthers(held)).toBe(false)
  })

  test("not where it is so full that it would show them by chance, nor where it is empty", () => {
    const busy = Array.from({ length: 300 }, (_, index) => log(address(1000 + index)))
    const full = trueBloom([...busy, log(address(1), topics.transferSingle)])
    expect(bloomOf(full, everything).suggestsOthers(held)).toBe(false)
    expect(bloomOf(trueBloom([]), everything).suggestsOthers(held)).toBe(false)
  })
})
