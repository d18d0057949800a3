/** Tokens that may be older than a ledger with START_BLOCK: what it cannot know is the contract's own, or not answered; never 0. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { zeroAddress as zero } from "../../../src/model/primitives.ts"
import { AccountCodes } from "../../../src/ports/AccountCodes.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { address, multiTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const [old, young, ancient, goods] = [address(0xc1), address(0xc2), address(0xc3), address(0xc4)]
const [alice, bob] = [address(0xa), address(0xb)]

/** What contracts say; undefined = the node does not answer. */
let says: ((question: ViewQuestion) => bigint | undefined) | undefined
/** After a block, of every address: whether it has code; undefined = the node cannot tell. */
let hasCode: (blockNumber: number) => boolean | undefined
let service: TestService
beforeEach(async () => {
  says = undefined
  hasCode = () => undefined
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions) =>
      says === undefined ? new SourceUnavailable({ message: "down" }) : Effect.succeed(questions.map(says)),
  }
  const codes: AccountCodes["Service"] = {
    kindsOf: (_, addresses, blockNumber) => {
      const told = hasCode(blockNumber)
      return told === undefined
        ? new SourceUnavailable({ message: "pruned" })
        : Effect.succeed(addresses.map(() => (told ? "contract" : "none")))
    },
  }
  const replace = Layer.merge(Layer.succeed(TokenViews, views), Layer.succeed(AccountCodes, codes))
  service = await startService({ replace: replace as Layer.Layer<never> })
  const chain = new TestChain(new Set(), 100)
    .block([transfer(old, alice, bob, 30n), transfer(young, zero, alice, 5n), transfer(ancient, zero, alice, 1n)])
    .block([transfer(old, alice, bob, 10n), multiTransfer(goods, zero, alice, [[1n, 5n]])])
  const writer = await store(service, "43114", chain)
  const born = await service.run(writer.listTokensWithoutOrigin(9))
  const bornAs = (token: string) => born.find((it) => it.address === token)!
  const found = [
    { token: bornAs(young), origin: { txHash: bornAs(young).firstTxHash } },
    { token: bornAs(ancient), origin: { time: chain.genesisTime - 99_999 } },
  ]
  await service.run(writer.recordOrigins(found))
})
afterEach(() => service.close())

const read = async (path: string): Promise<{ readonly body: Json; readonly source: string | null }> => {
  const response = await service.fetch(prefix("43114") + path)
  expect(response.status).toBe(200)
  return { body: (await response.json()) as Json, source: response.headers.get("x-balance-source") }
}
const compat = async (query: string) => {
  const { body, source } = await read(`/compat/api?${query}`)
  return { status: body.status, result: body.result, source }
}
const supplyOf = (token: string) => compat(`module=stats&action=tokensupply&contractaddress=${token}`)
const balanceOf = (token: string, more = "") =>
  compat(`module=account&action=tokenbalance&contractaddress=${token}&address=${alice}${more}`)
const infoOf = async (token: string) => {
  const { result, source } = await compat(`module=token&action=tokeninfo&contractaddress=${token}`)
  return [result[0].totalSupply, source]
}
const holdersOf = async (token: string) => {
  const { body, source } = await read(`/erc20/${token}/holders`)
  return [body.items.map(({ balance, percentage }: Json) => [balance, percentage]), source]
}
const refused = (what: string, more = "", age = "may be") => ({
  status: "0",
  result: `Error! the ${what} is not known: the token ${age} older than the ledger, which starts at block 100${more}`,
  source: null,
})
const vain = ", and its contract could not be asked"

test("lists leave the supply out; of a token that was made in the ledger's time it is told", async () => {
  const { body } = await read("/erc20?sort=createdAt,asc")
  const supplies = body.items.map(({ address: token, totalSupply }: Json) => [token, totalSupply])
  expect(Object.fromEntries(supplies)).toEqual({ [old]: undefined, [ancient]: undefined, [young]: "5" })
})

test("current figures are the contract's own, and say so", async () => {
  says = (question) => (question.of === "supply" ? 1000n : 250n)
  const node = { status: "1", source: "node" }
  expect(await supplyOf(old)).toEqual({ ...node, result: "1000" })
  expect(await balanceOf(old)).toEqual({ ...node, result: "250" })
  expect(await infoOf(old)).toEqual(["1000", "node"])
  expect(await holdersOf(old)).toEqual([[["250", 0.25]], "node"])
  expect(await supplyOf(young)).toEqual({ status: "1", result: "5", source: null })
  expect(await balanceOf(young)).toEqual({ status: "1", result: "5", source: null })
})

test("where the contract cannot be asked they are refused or absent, never 0", async () => {
  expect(await supplyOf(old)).toEqual(refused("supply", vain))
  expect(await balanceOf(old)).toEqual(refused("balance", vain))
  expect(await infoOf(old)).toEqual(["", "ledger"])
  expect(await holdersOf(old)).toEqual([[["40", undefined]], "ledger"])
  expect(await infoOf(young)).toEqual(["5", null])
})

test("an ERC-1155 has no supply, however old it is; what is held of all its ids is not known", async () => {
  says = () => 1000n
  const none = { status: "1", result: "0" }
  expect(await supplyOf(goods)).toEqual({ ...none, source: "ledger" })
  const history = await compat(`module=stats&action=tokensupplyhistory&contractaddress=${goods}&blockno=101`)
  expect(history).toEqual({ ...none, source: null })
  expect(await balanceOf(goods)).toEqual(refused("balance", vain))
})

test("of a block those of a token that is older are refused, and what is below zero; else they are what events told", async () => {
  says = () => 1000n
  const at = (action: string, module: string, token: string) =>
    compat(`module=${module}&action=${action}&contractaddress=${token}&address=${alice}&blockno=100`)
  expect(await at("tokensupplyhistory", "stats", ancient)).toEqual(refused("supply", "", "is"))
  expect(await at("tokenbalancehistory", "account", ancient)).toEqual(refused("balance", "", "is"))
  expect(await at("tokenbalancehistory", "account", old)).toEqual(refused("balance"))
  expect(await balanceOf(old, "&tag=100")).toEqual(refused("balance"))
  expect(await at("tokensupplyhistory", "stats", young)).toEqual({ status: "1", result: "5", source: null })
  const { body } = await read(`/erc20/${old}/holders?blockNumber=100`)
  expect(body.items.map(({ balance, percentage }: Json) => [balance, percentage])).toEqual([["30", undefined]])
})

test("of a block a supply of nothing is not known: it was minted before, or nothing is left of it", async () => {
  const at = (block: number) => compat(`module=stats&action=tokensupplyhistory&contractaddress=${old}&blockno=${block}`)
  for (const block of [100, 101]) expect(await at(block)).toEqual(refused("supply"))
})

const nobody = address(0xdead)
const unknown = (what: string, more = "") => ({
  status: "0",
  result: `Error! the ${what} is not known: the ledger, which starts at block 100, has no event of the contract${more}`,
  source: null,
})
const unasked = ", and it could not be asked"
const nothing = { status: "1", result: "0", source: null }
const holdersNumber = (token: string, more = "") =>
  compat(`module=token&action=tokenholdercount&contractaddress=${token}${more}`)

test("of a contract without any event the figures are its own, or not known", async () => {
  expect(await supplyOf(nobody)).toEqual(unknown("supply", unasked))
  expect(await balanceOf(nobody)).toEqual(unknown("balance", unasked))
  says = (question) => (question.of === "supply" ? 900n : 7n)
  expect(await supplyOf(nobody)).toEqual({ status: "1", result: "900", source: "node" })
  expect(await balanceOf(nobody)).toEqual({ status: "1", result: "7", source: "node" })
})

test("where it says nothing they are not known: an ERC-721 needs no supply, an ERC-1155 has no such balance; 0 only without code", async () => {
  says = () => undefined
  for (const [what, of] of [
    ["supply", supplyOf],
    ["balance", balanceOf],
  ] as const) {
    hasCode = () => true
    expect(await of(nobody)).toEqual(unknown(what))
    hasCode = () => undefined
    expect(await of(nobody)).toEqual(unknown(what, unasked))
    hasCode = () => false
    expect(await of(nobody)).toEqual(nothing)
  }
})

test("of a block that is named they are 0 where there was no code after it, whatever it says now, and else not known", async () => {
  says = () => 7n
  hasCode = (blockNumber) => blockNumber > 100
  expect(await balanceOf(nobody, "&tag=100")).toEqual(nothing)
  expect(await balanceOf(nobody, "&tag=101")).toEqual(unknown("balance"))
  hasCode = () => undefined
  expect(await balanceOf(nobody, "&tag=100")).toEqual(unknown("balance", unasked))
})

test("how many hold it no contract tells: that is not known, or 0 without code", async () => {
  says = () => 7n
  const what = "number of holders"
  expect(await holdersNumber(nobody)).toEqual(unknown(what, unasked))
  hasCode = (blockNumber) => blockNumber > 100
  expect(await holdersNumber(nobody)).toEqual(unknown(what))
  expect(await holdersNumber(nobody, "&blockno=100")).toEqual(nothing)
  expect(await holdersNumber(young)).toEqual({ status: "1", result: "1", source: null })
})

test("a node's word that an address is no contract is of that moment: nobody else is given it, and no block moves it on", async () => {
  for (const of of [supplyOf, balanceOf]) {
    says = () => undefined
    hasCode = () => false
    expect(await of(nobody)).toEqual(nothing)
    // What answers there is the chain's own, and no token.
    says = () => 7n
    expect(await of(nobody)).toEqual(nothing)
    // It was made since, or another node of several knows it.
    hasCode = () => true
    expect(await of(nobody)).toEqual({ status: "1", result: "7", source: "node" })
  }
})

test("what an address holds: by the contract where the ledger saw it go alone, and no row where neither says that it holds any", async () => {
  const rows = async () => {
    const { body, source } = await read(`/address/${alice}/tokens?standard=erc20`)
    return [body.items.map(({ tokenAddress, balance }: Json) => [tokenAddress, balance]), source]
  }
  says = ({ token }) => (token === old ? 700n : undefined)
  const [items] = await rows()
  expect(items).toContainEqual([old, "700"])
  says = ({ token }) => (token === old ? 0n : undefined)
  expect((await rows())[0].map(([token]: [string]) => token)).not.toContain(old)
  says = undefined
  const [left] = await rows()
  expect(left.map(([token]: [string]) => token)).not.toContain(old)
  expect(left).toContainEqual([young, "5"])
})
