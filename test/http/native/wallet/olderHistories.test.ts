/** What was of tokens that are older than a ledger with START_BLOCK, or may be: no supply, no balance and no holder of before is made up. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { type Address, zeroAddress as zero } from "../../../../src/model/primitives.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"

const [old, ancient, young] = [address(0xc1), address(0xc2), address(0xc3)]
const [alice, bob] = [address(0xa), address(0xb)]

/** Old and ancient: alice gives 30 of what she had before, 10 are burnt, then 50 are minted. Young is made in block 100. */
let service: TestService
beforeEach(async () => {
  service = await startService()
  const of = (token: Address) => [
    [transfer(token, alice, bob, 30n)],
    [transfer(token, bob, zero, 10n)],
    [transfer(token, zero, alice, 50n)],
  ]
  const [olds, ancients] = [of(old), of(ancient)]
  const chain = new TestChain(new Set(), 100)
    .block([...olds[0]!, ...ancients[0]!, transfer(young, zero, alice, 5n)])
    .block([...olds[1]!, ...ancients[1]!, transfer(young, alice, zero, 5n)])
    .block([...olds[2]!, ...ancients[2]!])
  const writer = await store(service, "43114", chain)
  const born = await service.run(writer.listTokensWithoutOrigin(9))
  const bornAs = (token: string) => born.find((it) => it.address === token)!
  await service.run(
    writer.recordOrigins([
      { token: bornAs(young), origin: { txHash: bornAs(young).firstTxHash } },
      { token: bornAs(ancient), origin: { time: chain.genesisTime - 99_999 } },
    ]),
  )
})
afterEach(() => service.close())

const get = (path: string) => service.get(prefix("43114") + path)
const suppliesOf = async (token: string) => {
  const { body } = await get(`/erc20/${token}/supply/history?sort=asc`)
  return body.items.map(({ blockNumber, totalSupply, change }: Json) => [blockNumber, totalSupply, change])
}
const balancesOf = async (token: string) => {
  const { body } = await get(`/address/${alice}/tokens/${token}/balances?sort=asc`)
  return body.items.map(({ blockNumber, balance, change }: Json) => [blockNumber, balance, change])
}

test("a supply is absent where the token is older, or may be and events tell none; changes are told", async () => {
  expect(await suppliesOf(old)).toEqual([
    [101, undefined, "-10"],
    [102, "40", "50"],
  ])
  expect(await suppliesOf(ancient)).toEqual([
    [101, undefined, "-10"],
    [102, undefined, "50"],
  ])
  expect(await suppliesOf(young)).toEqual([
    [100, "5", "5"],
    [101, "0", "-5"],
  ])
  const streamed = await service.fetch(`${prefix("43114")}/erc20/${ancient}/supply/history?sort=asc`, {
    headers: { accept: "application/x-ndjson" },
  })
  const lines = (await streamed.text()).trimEnd().split("\n")
  expect(lines.map((line) => (JSON.parse(line) as Json).totalSupply)).toEqual([undefined, undefined])
})

test("a balance is absent where the token is older, or may be and it would be below zero", async () => {
  expect(await balancesOf(old)).toEqual([
    [100, undefined, "-30"],
    [102, "20", "50"],
  ])
  expect(await balancesOf(ancient)).toEqual([
    [100, undefined, "-30"],
    [102, undefined, "50"],
  ])
  expect(await balancesOf(young)).toEqual([
    [100, "5", "5"],
    [101, "0", "-5"],
  ])
})

test("who came since before the first block is refused but of a token that was made since", async () => {
  const diffOf = (token: string, more = "") => get(`/erc20/${token}/holders/diff?blockNumberTo=100${more}`)
  for (const [token, age] of [
    [old, "may be"],
    [ancient, "is"],
  ] as const) {
    const { status, body } = await diffOf(token)
    expect([status, body.code, body.message]).toEqual([
      400,
      "HISTORY_NOT_AVAILABLE",
      `without a first block everybody had nothing before: the token ${age} older than the indexed history, so name one from block 100 on (blockNumberFrom)`,
    ])
    expect((await diffOf(token, "&blockNumberFrom=100")).body.items).toEqual([])
  }
  const { body } = await diffOf(young)
  expect(body.items.map(({ address, kind }: Json) => [address, kind])).toEqual([[alice, "entered"]])
})
