/** An answer that was made while the audit could not be read: it is given, and nobody else has it, however often it is asked for. */
import { afterEach, describe, expect, test } from "bun:test"
import { Deferred, Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { AuditStore, type FoundAudit } from "../../../src/ports/AuditStore.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { TokenViews } from "../../../src/ports/TokenViews.ts"
import { always } from "../../support/always.ts"
import { transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, store, type TestService } from "../support.ts"
import { ann, apes, avalanche, bob, gold, salt, zero } from "../world.ts"

const chainId = ChainId.make("43114")
const rebasing: ReadonlyArray<FoundAudit> = [
  { chainId, address: gold, standard: "erc20", state: "rebasing" },
  { chainId, address: apes, standard: "erc721", state: "rebasing" },
]

const avax = prefix("43114")
const compat = (query: string) => `${avax}/compat/api?${query}`
const balance = compat(`module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`)
const held = compat(`module=account&action=addresstokenbalance&address=${ann}`)
const ofOne = [
  balance,
  compat(`module=stats&action=tokensupply&contractaddress=${gold}`),
  compat(`module=token&action=tokenholderlist&contractaddress=${gold}`),
  `${avax}/erc20/${gold}/holders`,
  `${avax}/erc20/${gold}`,
]
const ofSeveral = [
  held,
  compat(`module=account&action=addresstokennftbalance&address=${ann}`),
  compat(`module=account&action=tokenlist&address=${ann}`),
  compat(`module=token&action=tokeninfo&contractaddress=${gold}`),
  compat(`module=token&action=getToken&contractaddress=${gold}`),
]

const down = Effect.fail(new StoreUnavailable({ cause: "down" }))

let service: TestService | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

type Before = () => Effect.Effect<void, StoreUnavailable>

/** Whose audit of two tokens that move without events is read after `before` and `beforeMany`, which may fail. The contracts say 7 of everything. */
const open = async (before: Before, beforeMany = before) => {
  const stands = () => service!.run(Freshness.use((freshness) => freshness.newest(chainId)))
  const read = <A>(value: A, first: Before) =>
    Effect.suspend(() =>
      Effect.flatMap(first(), () =>
        Effect.promise(async () => ({ asOf: [await stands()].filter((it) => it !== undefined), value })),
      ),
    )
  const audits: AuditStore["Service"] = always(Effect.die("not asked"), {
    find: (_, token) =>
      read(
        rebasing.filter(({ address }) => address === token),
        before,
      ),
    findMany: () => read(rebasing, beforeMany),
  })
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions) => Effect.succeed(questions.map(() => 7n)),
  }
  const replace = Layer.merge(Layer.succeed(AuditStore, audits), Layer.succeed(TokenViews, views))
  const own = await startService({ replace: replace as Layer.Layer<never> })
  service = own
  const chain = avalanche()
  const writer = await store(own, "43114", chain)
  // Where the ledger stands is known, then something is kept, then it is looked up: from here on what blocks move is learned.
  for (let time = 0; time < 3; time++) await own.get(`${avax}/erc20?limit=1`)
  return {
    ask: async (path: string) => {
      const response = await own.fetch(path)
      const { headers } = response
      return {
        status: response.status,
        said: [headers.get("x-balance-source"), headers.get("x-audit-state")],
        text: await response.text(),
      }
    },
    /** A block that moves neither of the two. */
    goOn: async () => {
      chain.block([transfer(salt, zero, bob, 3n)])
      await own.run(writer.append(chain.segment(chain.nextBlock - 1)))
    },
  }
}

/** The first times one thing, then nothing. */
const once = (first: ReturnType<Before>, times = 1): Before => {
  let left = times
  return () => (left-- > 0 ? first : Effect.void)
}
const readable = () => Effect.void

describe("an answer that was made while the audit could not be read", () => {
  test.each(ofOne)("is the ledger's, and made anew for the next, with the contract's figure: %s", async (path) => {
    const { ask } = await open(once(down), readable)
    const first = await ask(path)
    expect([first.status, first.said, first.text.includes('"7"')]).toEqual([200, [null, null], false])
    const next = await ask(path)
    expect([next.status, next.said, next.text.includes('"7"')]).toEqual([200, ["node", "43114:rebasing"], true])
  })

  test.each(ofSeveral)("is so of several tokens, or of each standard of one: %s", async (path) => {
    // All that an address holds is three lists, each with its own look at the audit.
    const { ask } = await open(readable, once(down, path.includes("tokenlist") ? 3 : 1))
    const first = await ask(path)
    expect([first.status, first.said[0], first.text.includes('"7"')]).toEqual([200, null, false])
    const next = await ask(path)
    expect([next.status, next.said[0], next.text.includes('"7"')]).toEqual([200, "node", true])
  })

  test.each([balance, held])("is so too where it was not read within a second: %s", async (path) => {
    const { ask } = await open(once(Effect.never), once(Effect.never))
    const first = await ask(path)
    expect(first.said).toEqual([null, null])
    expect((await ask(path)).said).toEqual(["node", "43114:rebasing"])
  })

  test("does not go on with blocks that do not move it", async () => {
    const { ask, goOn } = await open(once(down))
    expect((await ask(balance)).said).toEqual([null, null])
    await goOn()
    expect((await ask(balance)).said).toEqual(["node", "43114:rebasing"])
  })

  test("is given at most to those who waited together", async () => {
    const latch = Deferred.makeUnsafe<void>()
    const { ask } = await open(once(Effect.andThen(Deferred.await(latch), down)))
    const together = Array.from({ length: 10 }, () => ask(balance))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await Effect.runPromise(Deferred.succeed(latch, undefined))
    expect((await Promise.all(together)).map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await ask(balance)).said).toEqual(["node", "43114:rebasing"])
  })
})
