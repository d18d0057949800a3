/** Tokens that a ledger with TOKENS does not keep: what it cannot know is the contract's own, or not answered; 0 only where there is no contract. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Exit, Layer, Scope } from "effect"
import { ChainId, zeroAddress as zero } from "../../../src/model/primitives.ts"
import { AccountCodes, type CodeKind } from "../../../src/ports/AccountCodes.ts"
import { Ledger } from "../../../src/ports/Ledger.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { settingsOf } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, type TestService } from "../support.ts"

const [kept, still, other] = [address(0xc1), address(0xc2), address(0xc3)]
const alice = address(0xa)

/** What contracts say; undefined = nothing. */
let says: (question: ViewQuestion) => bigint | undefined
let code: CodeKind
let service: TestService
let scope: Scope.Closeable
beforeEach(async () => {
  says = () => undefined
  code = "contract"
  const nodes = Layer.merge(
    Layer.succeed(TokenViews, { perCall: () => 50, ask: (_, questions) => Effect.succeed(questions.map(says)) }),
    Layer.succeed(AccountCodes, {
      kindsOf: (_, addresses) => Effect.succeed(addresses.map(() => code)),
    }),
  )
  service = await startService({ replace: nodes as Layer.Layer<never> })
  scope = Effect.runSync(Scope.make())
  const chain = new TestChain().block([transfer(kept, zero, alice, 5n)]).block([transfer(kept, zero, alice, 1n)])
  const settings = settingsOf({ chainId: ChainId.make("43114"), tokens: [kept, still] })
  const writer = await service.run(
    Ledger.use((ledger) => ledger.open(settings)).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  await service.run(writer.append(chain.segment(0)))
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await service.close()
})

const questions = [
  ["supply", "module=stats&action=tokensupply"],
  ["supply", "module=stats&action=tokensupplyhistory&blockno=1"],
  ["balance", `module=account&action=tokenbalance&address=${alice}`],
  ["balance", `module=account&action=tokenbalancehistory&address=${alice}&blockno=1`],
  ["number of holders", "module=token&action=tokenholdercount"],
] as const
const asked = async (token: string) => {
  const answers = questions.map(async ([, query]) => {
    const response = await service.fetch(`${prefix("43114")}/compat/api?${query}&contractaddress=${token}`)
    const { result } = (await response.json()) as { readonly result: string }
    return [result, response.headers.get("x-balance-source"), response.headers.get("x-audit-state")]
  })
  return Promise.all(answers)
}
const refusals = questions.map(([what]) => [
  `Error! the ${what} is not known: the ledger keeps only TOKENS_43114, not this contract`,
  null,
  null,
])

test("no figure of it is made up", async () => {
  expect(await asked(other)).toEqual(refusals)
})

test("its current figures are its own, and say so; of a block and of its holders none is known", async () => {
  says = ({ of }) => (of === "supply" ? 900n : 500n)
  const own = (figure: string) => [figure, "node", "43114:unverified"]
  expect(await asked(other)).toEqual([own("900"), refusals[1]!, own("500"), refusals[3]!, refusals[4]!])
})

test("what has no code has nothing", async () => {
  code = "none"
  expect(await asked(other)).toEqual(questions.map(() => ["0", null, "43114:unverified"]))
})

test("what delegates to a contract runs its code: it may be a token", async () => {
  code = "delegation"
  expect(await asked(other)).toEqual(refusals)
  says = () => 7n
  expect((await asked(other))[0]).toEqual(["7", "node", "43114:unverified"])
})

test("of the tokens that it keeps the ledger's figures stand; of one without any event its own of now, where it tells some", async () => {
  says = () => 7n
  expect((await asked(kept)).map(([figure]) => figure)).toEqual(["6", "6", "6", "6", "1"])
  const [own, nothing] = [
    ["7", "node", "43114:unverified"],
    ["0", null, null],
  ]
  expect(await asked(still)).toEqual([own, nothing, own, nothing, nothing])
  says = () => undefined
  expect(await asked(still)).toEqual(questions.map(() => nothing))
})
