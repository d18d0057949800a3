/** Contracts without a row in a ledger that has every event of its chain: tokens that told nothing, or nothing that says anything sure. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { zeroAddress as zero } from "../../../src/model/primitives.ts"
import { AccountCodes, type CodeKind } from "../../../src/ports/AccountCodes.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { address, oddEvents, TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, store, type TestService } from "../support.ts"

const [gold, premined, kitties, another] = [address(0xc1), address(0xc2), address(0xc3), address(0xc4)]
const [alice, bob] = [address(0xa), address(0xb)]

/** What contracts say; undefined = nothing. */
type Says = (question: ViewQuestion) => bigint | undefined
let says: Says | "unavailable" | "nobody"
/** The block from which on there is code. */
let codeFrom: number
/** What there is from then on. */
let code: CodeKind
let asked: Array<string>
let service: TestService
let chain: TestChain
let writer: LedgerWriter
beforeEach(async () => {
  says = () => undefined
  codeFrom = 0
  code = "contract"
  asked = []
  const away = () =>
    new SourceUnavailable({ message: "node.test: away", ...(says === "nobody" ? { noNode: true } : {}) })
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: Effect.fnUntraced(function* (_, all) {
      asked.push(...all.map(({ of }) => of))
      return typeof says === "string" ? yield* away() : all.map(says)
    }),
  }
  const nodes = Layer.merge(
    Layer.succeed(TokenViews, views),
    Layer.succeed(AccountCodes, {
      kindsOf: (_, addresses, block) =>
        typeof says === "string"
          ? Effect.fail(away())
          : Effect.succeed(addresses.map(() => (block >= codeFrom ? code : "none"))),
    }),
  )
  service = await startService({ replace: nodes as Layer.Layer<never> })
  chain = new TestChain()
    .block([transfer(gold, zero, alice, 5n), ...oddEvents(kitties, bob, zero, alice).slice(0, 2)])
    .block([transfer(gold, alice, bob, 1n)])
  writer = await store(service, "43114", chain)
})
afterEach(() => service.close())

const questions = [
  ["supply", "module=stats&action=tokensupply"],
  ["balance", `module=account&action=tokenbalance&address=${alice}`],
  ["supply", "module=stats&action=tokensupplyhistory&blockno=0"],
  ["balance", `module=account&action=tokenbalance&tag=0&address=${alice}`],
  ["number of holders", "module=token&action=tokenholdercount"],
] as const
const answersOf = async (token: string) => {
  const answers = questions.map(async ([, query]) => {
    const response = await service.fetch(`${prefix("43114")}/compat/api?${query}&contractaddress=${token}`)
    const { result } = (await response.json()) as { readonly result: string }
    return [result, response.headers.get("x-balance-source"), response.headers.get("x-audit-state")]
  })
  return Promise.all(answers)
}
const own = (figure: string) => [figure, "node", "43114:unverified"]
const plain = ["0", null, null]

describe("a token of which the ledger has nothing", () => {
  test("has now what its contract says, marked; of a block what events told", async () => {
    says = ({ of }) => (of === "supply" ? 900n : 500n)
    expect(await answersOf(premined)).toEqual([own("900"), own("500"), plain, plain, plain])
    expect(asked.toSorted()).toEqual(["balance", "supply"])
  })

  test("has what the code that it delegates to says", async () => {
    says = () => 7n
    code = "delegation"
    expect((await answersOf(premined)).slice(0, 2)).toEqual([own("7"), own("7")])
  })

  const answers: ReadonlyArray<[string, typeof says]> = [
    ["says nothing", () => undefined],
    ["says 0", () => 0n],
  ]
  test.each(answers)("has 0 where it %s", async (_, answer) => {
    says = answer
    expect(await answersOf(premined)).toEqual(questions.map(() => plain))
  })

  test("has 0 where it cannot be asked, and of now that is said to be in doubt", async () => {
    says = "unavailable"
    const unsure = ["0", "ledger", "43114:unverified"]
    expect(await answersOf(premined)).toEqual([unsure, unsure, plain, plain, plain])
  })

  test("has 0, of which nothing is said, where there is no node", async () => {
    says = "nobody"
    expect(await answersOf(premined)).toEqual(questions.map(() => plain))
  })

  test("has 0 without code, whatever answers there, and of its code is asked once", async () => {
    says = () => 7n
    codeFrom = 5
    for (let time = 0; time < 2; time++) {
      expect((await answersOf(premined)).slice(0, 2)).toEqual([plain, plain])
      codeFrom = 0
    }
    expect(asked).toEqual([])
    expect((await answersOf(another))[0]).toEqual(own("7"))
  })

  test("has what it says as soon as it can be asked: nothing of before is kept", async () => {
    says = "unavailable"
    await answersOf(premined)
    says = () => 7n
    expect((await answersOf(premined)).slice(0, 2)).toEqual([own("7"), own("7")])
  })
})

describe("a token of whose events none says anything sure", () => {
  const refused = (at: number, why = "") => [
    `Error! the ${questions[at]![0]} is not known: the contract's events are of a shape that says nothing sure${why}`,
    null,
    null,
  ]
  const nothing = ["0", null, "43114:unverified"]

  test("has now what its contract says; of a block, and of its holders, nobody knows", async () => {
    says = ({ of }) => (of === "supply" ? 900n : 500n)
    expect(await answersOf(kitties)).toEqual([own("900"), own("500"), refused(2), refused(3), refused(4)])
  })

  test("had nothing before there was a contract", async () => {
    says = () => 900n
    codeFrom = 1
    expect(await answersOf(kitties)).toEqual([own("900"), own("900"), nothing, nothing, refused(4)])
  })

  test("has nothing where its contract has no such figure", async () => {
    expect(await answersOf(kitties)).toEqual(questions.map(() => nothing))
  })

  test("has what it says as soon as it told something, though it had no code a moment before", async () => {
    says = () => 7n
    codeFrom = 2
    expect((await answersOf(another))[0]).toEqual(plain)
    chain.block([transfer(gold, alice, bob, 1n), ...oddEvents(another, bob, zero, alice).slice(0, 2)])
    await service.run(writer.append(chain.segment(2)))
    // What was read of a contract counts for two seconds.
    let told = await answersOf(another)
    for (const until = Date.now() + 10_000; told[0]?.[0] === "0" && Date.now() < until; told = await answersOf(another))
      await Bun.sleep(250)
    expect(told[0]).toEqual(own("7"))
  })

  test("is not known either to who asked, again and again, before it told that: no nothing of before is kept", async () => {
    says = ({ of }) => (of === "supply" ? 900n : 500n)
    for (let time = 0; time < 2; time++) expect((await answersOf(another)).slice(2)).toEqual([plain, plain, plain])
    chain.block(oddEvents(another, bob, zero, alice).slice(0, 2))
    await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
    const later = await answersOf(another)
    expect(later.slice(2)).toEqual([refused(2), refused(3), refused(4)])
  })

  test("is not known where it cannot be asked", async () => {
    says = "unavailable"
    expect(await answersOf(kitties)).toEqual(questions.map((_, at) => refused(at, ", and it could not be asked")))
  })
})

test("a token with rows is not asked, whatever else it told", async () => {
  says = () => 900n
  expect((await answersOf(gold)).slice(0, 2)).toEqual([
    ["5", null, "43114:unverified"],
    ["4", null, "43114:unverified"],
  ])
  expect(asked).toEqual([])
})
