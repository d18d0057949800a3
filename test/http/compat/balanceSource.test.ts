/** Current figures of tokens in doubt are the contract's own at the answer's block, and say so; all others are the ledger's. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import type { AuditState } from "../../../src/model/audit.ts"
import { Address, ChainId, type Hash, zeroAddress as zero } from "../../../src/model/primitives.ts"
import { type AuditRecord, AuditStore } from "../../../src/ports/AuditStore.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const [gold, silver, goods, odd] = [address(0xc1), address(0xc2), address(0xc3), address(0xc4)]
const [alice, bob] = [address(0xa), address(0xb)]

/** Gold: alice 60, bob 40. Silver the same. Goods: alice 5 of id 7. Odd: an ERC-20 and an ERC-721 at once. */
const chain = () =>
  new TestChain()
    .block([
      transfer(gold, zero, alice, 100n),
      transfer(silver, zero, alice, 100n),
      multiTransfer(goods, zero, alice, [[7n, 5n]]),
    ])
    .block([
      transfer(gold, alice, bob, 40n),
      transfer(silver, alice, bob, 40n),
      transfer(odd, zero, bob, 9n),
      nftTransfer(odd, zero, bob, 1n),
    ])

let service: TestService
let asked: Array<{
  readonly questions: ReadonlyArray<ViewQuestion>
  readonly at: { readonly blockNumber: number; readonly hash: Hash }
}>
/** What the contracts say: twice what the ledger does, by default. */
let says: (question: ViewQuestion) => bigint | undefined | SourceUnavailable | "nothing"
const double = (question: ViewQuestion): bigint => {
  if (question.of === "supply") return 200n
  if (question.of === "unit") return 10n
  return question.of === "balance" && question.holder === alice ? 120n : 80n
}

beforeEach(async () => {
  asked = []
  says = double
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: Effect.fnUntraced(function* (_, questions, { blockNumber, hash }) {
      asked.push({ questions, at: { blockNumber, hash } })
      const answers = questions.map(says)
      if (answers.includes("nothing")) return yield* Effect.never
      const failure = answers.find((it) => it instanceof SourceUnavailable)
      if (failure !== undefined) return yield* failure
      return answers as ReadonlyArray<bigint | undefined>
    }),
  }
  service = await startService({ replace: Layer.succeed(TokenViews, views) as Layer.Layer<never> })
  await store(service, "43114", chain())
})
afterEach(() => service.close())

const judged = (
  states: Readonly<Record<string, AuditState>>,
  more: Pick<AuditRecord, "differed" | "difference"> = {},
  chainId = ChainId.make("43114"),
) =>
  service.run(
    Effect.gen(function* () {
      const audits = yield* AuditStore
      const { value } = yield* audits.sample(
        chainId,
        { tokens: Object.keys(states).map((token) => Address.make(token)) },
        { top: 0, recent: 0, places: [] },
      )
      const records = value.map(({ token }) => ({
        token,
        record: { state: states[token.address]!, blockNumber: 1, time: 1, compared: 1, watched: [], ...more },
      }))
      yield* audits.record(chainId, records)
    }),
  )

const read = async (path: string, init?: RequestInit) => {
  const response = await service.fetch(prefix("43114") + path, init)
  const text = await response.text()
  const { headers } = response
  const body = headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text
  return {
    value: body.result ?? body.items ?? body,
    source: headers.get("x-balance-source"),
    state: headers.get("x-audit-state"),
  }
}
const compat = (query: string) => read(`/compat/api?${query}`)
const supplyOf = (token: string) => compat(`module=stats&action=tokensupply&contractaddress=${token}`)
const balanceOf = (token: string, more = "") =>
  compat(`module=account&action=tokenbalance&contractaddress=${token}&address=${alice}${more}`)
const holdersOf = (token: string) => compat(`module=token&action=tokenholderlist&contractaddress=${token}`)
const entries = (...balances: ReadonlyArray<string>) =>
  balances.map((balance, index) => ({ TokenHolderAddress: [alice, bob][index], TokenHolderQuantity: balance }))
const rows = (...all: ReadonlyArray<readonly [string, number?]>) =>
  all.map(([balance, percentage], index) => ({
    chainId: "43114",
    address: [alice, bob][index],
    balance,
    ...(percentage === undefined ? {} : { percentage }),
  }))

describe.each(["drift", "rebasing"] as const)("of a token in state %s", (state) => {
  beforeEach(() => judged({ [gold]: state, [goods]: state }))

  test("supply, balance and holders are the contract's, asked at the block that the answer speaks of", async () => {
    const said = { source: "node", state: `43114:${state}` }
    expect(await supplyOf(gold)).toEqual({ value: "200", ...said })
    expect(await balanceOf(gold)).toEqual({ value: "120", ...said })
    expect(await holdersOf(gold)).toEqual({ value: entries("120", "80"), ...said })
    expect(await read(`/erc20/${gold}/holders`)).toEqual({ value: rows(["120", 0.6], ["80", 0.4]), ...said })
    expect(await read(`/erc1155/${goods}/holders`)).toEqual({
      value: [{ chainId: "43114", address: alice, tokenId: "7", balance: "10" }],
      ...said,
    })
    const { header } = chain().blocks[1]!
    expect(asked.map(({ at }) => at)).toEqual(Array(5).fill({ blockNumber: 1, hash: header.hash }))
    expect(asked.map(({ questions }) => questions.length)).toEqual([1, 1, 2, 3, 1])
  })

  test("what an address holds of the ids of a contract is the contract's, of all of a page or of none", async () => {
    const inventory = (query = "") =>
      compat(`module=account&action=addresstoken1155inventory&contractaddress=${goods}&address=${alice}${query}`)
    const held = (TokenQuantity: string) => [{ TokenAddress: goods, TokenId: "7", TokenQuantity }]
    const said = { state: `43114:${state}` }
    expect(await inventory()).toEqual({ value: held("10"), source: "node", ...said })
    const { hash } = chain().blocks[1]!.header
    const question = { of: "unit", token: goods, holder: alice, tokenId: "7" } as const
    expect(asked).toEqual([{ questions: [question], at: { blockNumber: 1, hash } }])
    expect(await inventory("&page=2&offset=1")).toEqual({ value: [], source: null, ...said })
    for (const answer of [new SourceUnavailable({ message: "no" }), undefined]) {
      says = () => answer
      expect(await inventory()).toEqual({ value: held("5"), source: "ledger", ...said })
    }
  })

  test("a page keeps the ledger's holders, order and cursors, whatever the contract says of them", async () => {
    says = (question) => (question.of === "balance" && question.holder === alice ? 1n : 7n)
    const first = await service.get(`${prefix("43114")}/erc20/${gold}/holders?limit=1`)
    expect(first.body.items).toEqual(rows(["1", 0.142857]))
    const second = await service.get(first.body.link.next)
    expect(second.body.items).toEqual([{ chainId: "43114", address: bob, balance: "7", percentage: 1 }])
    expect(second.body.link.next).toBeUndefined()
  })

  test("what is asked of a block is the ledger's, and nobody else is asked", async () => {
    const said = { source: null, state: `43114:${state}` }
    expect(await balanceOf(gold, "&tag=1")).toEqual({ value: "60", ...said })
    expect(await compat(`module=stats&action=tokensupplyhistory&contractaddress=${gold}&blockno=1`)).toEqual({
      value: "100",
      ...said,
    })
    expect(await read(`/erc20/${gold}/holders?blockNumber=0`)).toEqual({ value: rows(["100", 1]), ...said })
    expect(await compat(`module=token&action=tokenholderlist&contractaddress=${gold}&blockno=0`)).toEqual({
      value: entries("100"),
      ...said,
    })
    const inventory = `module=account&action=addresstoken1155inventory&contractaddress=${goods}&address=${alice}&blockno=0`
    expect(await compat(inventory)).toMatchObject({ value: [{ TokenId: "7", TokenQuantity: "5" }], ...said })
    expect(asked).toEqual([])
  })

  test("where the node cannot tell, or does not in time, the figures are the ledger's, and say so", async () => {
    const said = { source: "ledger", state: `43114:${state}` }
    for (const answer of [new SourceUnavailable({ message: "no" }), undefined]) {
      says = (question) =>
        question.of === "supply" || (question.of === "balance" && question.holder === bob) ? answer : 1n
      expect(await supplyOf(gold)).toEqual({ value: "100", ...said })
      expect(await holdersOf(gold)).toEqual({ value: entries("60", "40"), ...said })
      expect(await read(`/erc20/${gold}/holders`)).toEqual({ value: rows(["60", 0.6], ["40", 0.4]), ...said })
    }
    says = () => "nothing"
    expect(await balanceOf(gold)).toEqual({ value: "60", ...said })
  })

  test("without a supply there are no shares", async () => {
    says = (question) => (question.of === "supply" ? undefined : 80n)
    expect((await read(`/erc20/${gold}/holders`)).value).toEqual(rows(["80"], ["80"]))
  })

  test("a stream is the ledger's, and says so", async () => {
    const { value, source } = await read(`/erc20/${gold}/holders`, { headers: { accept: "text/csv" } })
    expect([value.trim().split("\n").length, source]).toEqual([3, "ledger"])
    expect(asked).toEqual([])
  })
})

describe("of several tokens together", () => {
  const heldBy = (holder: string, more = "") =>
    compat(`module=account&action=addresstokenbalance&address=${holder}${more}`).then(({ value, ...said }) => ({
      value: value.map((it: Json) => [it.TokenAddress, it.TokenQuantity]),
      ...said,
    }))
  const idsOf = (holder: string) => compat(`module=account&action=addresstokennftbalance&address=${holder}`)
  const info = (token: string) =>
    compat(`module=token&action=tokeninfo&contractaddress=${token}`).then(({ value, ...said }) => ({
      value: value.map((it: Json) => it.totalSupply),
      ...said,
    }))

  test("those in doubt are asked at once, at the answer's block; all others are the ledger's; the worst state is said", async () => {
    await judged({ [gold]: "rebasing", [silver]: "exact" })
    expect(await heldBy(alice)).toEqual({
      value: [
        [gold, "120"],
        [silver, "60"],
      ],
      source: "node",
      state: "43114:rebasing",
    })
    await judged({ [silver]: "drift" })
    expect((await heldBy(alice)).state).toBe("43114:drift")
    const balance = (token: Address) => ({ of: "balance", token, holder: alice }) as const
    const { hash } = chain().blocks[1]!.header
    expect(asked).toEqual([
      { questions: [balance(gold)], at: { blockNumber: 1, hash } },
      { questions: [balance(gold), balance(silver)], at: { blockNumber: 1, hash } },
    ])
  })

  test("of all that an address holds, of every standard, the worst state is said as of each list", async () => {
    const listOf = async (holder: string) => {
      const { value, ...said } = await compat(`module=account&action=tokenlist&address=${holder}`)
      return { value: value.map((it: Json) => `${it.type} ${it.balance}`), ...said }
    }
    await judged({ [gold]: "exact", [silver]: "exact", [goods]: "exact" })
    const ofLedger = ["ERC-20 60", "ERC-20 60", "ERC-1155 5"]
    expect(await listOf(alice)).toEqual({ value: ofLedger, source: null, state: "43114:exact" })
    await judged({ [gold]: "rebasing" })
    const ofContract = ["ERC-20 120", "ERC-20 60", "ERC-1155 5"]
    expect(await listOf(alice)).toEqual({ value: ofContract, source: "node", state: "43114:rebasing" })
    await judged({ [gold]: "exact", [goods]: "drift" })
    const inDoubt = { source: "ledger", state: "43114:drift" }
    expect(await listOf(alice)).toEqual({ value: ofLedger, ...inDoubt })
    const goodsOf = (more = "") => compat(`module=account&action=addresstoken1155balance&address=${alice}${more}`)
    expect(await goodsOf()).toMatchObject({ value: [{ TokenQuantity: "5" }], ...inDoubt })
    expect(await goodsOf("&blockno=1")).toMatchObject({ source: null, state: "43114:drift" })
    await judged({ [odd]: "drift" })
    expect(await listOf(bob)).toMatchObject({ source: "ledger", state: "43114:drift" })
    expect(await listOf(address(0x99))).toEqual({ value: [], source: null, state: null })
  })

  test("where none is in doubt nobody is asked, and nothing is said of a source", async () => {
    await judged({ [gold]: "exact", [silver]: "exact" })
    expect(await heldBy(alice)).toMatchObject({ source: null, state: "43114:exact" })
    expect(await heldBy(address(0x99))).toEqual({ value: [], source: null, state: null })
    expect(await info(gold)).toEqual({ value: ["100"], source: null, state: "43114:exact" })
    expect(asked).toEqual([])
  })

  test("what is asked of a block is the ledger's, with the worst state of its tokens there", async () => {
    await judged({ [gold]: "exact", [silver]: "exact" }, { differed: { from: 0, to: 0 } })
    const value = [
      [gold, "100"],
      [silver, "100"],
    ]
    expect(await heldBy(alice, "&blockno=0")).toEqual({ value, source: null, state: "43114:drift" })
    expect((await heldBy(alice, "&blockno=1")).state).toBe("43114:exact")
    expect(asked).toEqual([])
  })

  test("one that cannot be asked keeps the ledger's figure, and the answer says so; so do all where the node is silent", async () => {
    await judged({ [gold]: "drift", [silver]: "drift", [odd]: "drift" })
    says = (question) => (question.token === silver ? undefined : 80n)
    const source = { source: "ledger", state: "43114:drift" }
    expect(await heldBy(bob)).toEqual({
      value: [
        [gold, "80"],
        [silver, "40"],
        [odd, "9"],
      ],
      ...source,
    })
    says = () => "nothing"
    expect((await heldBy(bob)).value.map(([, balance]: Json) => balance)).toEqual(["40", "40", "9"])
    expect(await idsOf(bob)).toMatchObject({ value: [{ TokenAddress: odd, TokenQuantity: "1" }], ...source })
  })

  test("of ERC-721 contracts the contracts say how many ids, of a contract its supply", async () => {
    await store(service, "10", new TestChain().block([nftTransfer(gold, zero, alice, 1n)]))
    await judged({ [gold]: "drift" }, {}, ChainId.make("10"))
    const ofOther = async (query: string) => {
      const response = await service.fetch(`${prefix("10")}/compat/api?${query}`)
      return [((await response.json()) as Json).result[0], response.headers.get("x-balance-source")]
    }
    expect(await ofOther(`module=account&action=addresstokennftbalance&address=${alice}`)).toEqual([
      { TokenAddress: gold, TokenQuantity: "120", TokenName: "", TokenSymbol: "" },
      "node",
    ])
    expect(await ofOther(`module=token&action=tokeninfo&contractaddress=${gold}`)).toEqual([
      expect.objectContaining({ tokenType: "ERC721", totalSupply: "200" }),
      "node",
    ])
    await judged({ [silver]: "rebasing", [goods]: "drift", [odd]: "drift" })
    expect(await info(silver)).toEqual({ value: ["200"], source: "node", state: "43114:rebasing" })
    expect(await info(goods)).toEqual({ value: [""], source: null, state: "43114:drift" })
    expect(await info(odd)).toEqual({ value: ["9", "1"], source: "ledger", state: "43114:drift" })
  })
})

describe("the history of a token that is exact again", () => {
  const differed = { from: 0, to: 0 }
  const paths = (block: number) => [
    `/erc20/${gold}/holders?blockNumber=${block}`,
    `/compat/api?module=stats&action=tokensupplyhistory&contractaddress=${gold}&blockno=${block}`,
    `/compat/api?module=account&action=tokenbalancehistory&contractaddress=${gold}&address=${alice}&blockno=${block}`,
    `/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${alice}&tag=0x${block}`,
    `/compat/api?module=token&action=tokenholderlist&contractaddress=${gold}&blockno=${block}`,
    `/compat/api?module=token&action=tokenholdercount&contractaddress=${gold}&blockno=${block}`,
  ]
  const statesOf = async (all: ReadonlyArray<string>, init?: RequestInit) =>
    (await Promise.all(all.map((path) => read(path, init)))).map(({ state }) => state)

  test("is in drift up to the last block at which it differed, in pages and in streams; what came later is exact", async () => {
    await judged({ [gold]: "exact" }, { differed })
    expect(await statesOf(paths(0))).toEqual(Array(6).fill("43114:drift"))
    expect(await statesOf(paths(1))).toEqual(Array(6).fill("43114:exact"))
    expect((await supplyOf(gold)).state).toBe("43114:exact")
    expect((await balanceOf(gold, "&tag=earliest")).state).toBe("43114:drift")
    const lines = { headers: { accept: "application/x-ndjson" } }
    expect(await statesOf(paths(0).slice(0, 1), lines)).toEqual(["43114:drift"])
    expect(await statesOf(paths(1).slice(0, 1), lines)).toEqual(["43114:exact"])
    expect(asked).toEqual([])
  })

  test("is that of its present state, where that is worse; nothing that was never compared is better for it", async () => {
    await judged({ [gold]: "rebasing", [silver]: "unverified" }, { differed })
    const ofSilver = `/erc20/${silver}/holders?blockNumber=0`
    expect(await statesOf([...paths(0).slice(0, 1), ofSilver])).toEqual(["43114:rebasing", "43114:drift"])
  })
})

test("of tokens that are exact or unverified nobody is asked, and nothing is said of a source", async () => {
  await judged({ [gold]: "exact" })
  const answers = [
    await supplyOf(gold),
    await balanceOf(silver),
    await holdersOf(gold),
    await read(`/erc20/${silver}/holders`),
  ]
  expect(answers.map(({ source }) => source)).toEqual(Array(4).fill(null))
  expect(asked).toEqual([])
})

test("of an ERC-1155 nobody is asked for a supply and for balances, which that standard does not have", async () => {
  await judged({ [goods]: "drift" })
  const said = { source: "ledger", state: "43114:drift" }
  expect(await supplyOf(goods)).toEqual({ value: "0", ...said })
  expect(await balanceOf(goods)).toEqual({ value: "5", ...said })
  expect(await holdersOf(goods)).toEqual({ value: entries("5"), ...said })
  expect(asked).toEqual([])
})

test("of a contract that is ERC-20 and ERC-721 nobody is asked what its balances count", async () => {
  await judged({ [odd]: "drift" })
  expect(await supplyOf(odd)).toEqual({ value: "9", source: "ledger", state: "43114:drift" })
  expect((await read(`/erc721/${odd}/holders`)).source).toBe("ledger")
  expect(asked).toEqual([])
})
