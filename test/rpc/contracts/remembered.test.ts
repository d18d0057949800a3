/** Answers about a block are asked for once; those of another block, and those that failed, anew. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { remembered } from "../../../src/adapters/rpc/contracts/remembered.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { ReadFor } from "../../../src/ports/ReadFor.ts"
import type { TokenQuestion } from "../../../src/ports/TokenViews.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { failureOf, run } from "../node.ts"

const balance = (holder: number): TokenQuestion => ({ of: "balance", token: address(0xc1), holder: address(holder) })
const at = (block: number) => ({ blockNumber: block, hash: hash(`block ${block}`) })

const watched = (fails: () => boolean = () => false) => {
  const asked: Array<string> = []
  const ask = remembered((questions, { blockNumber }) => {
    if (fails()) return Effect.fail(new SourceUnavailable({ message: "down" }))
    asked.push(`${blockNumber}: ${questions.map((it) => ("holder" in it ? Number(it.holder) : it.of)).join(" ")}`)
    return Effect.succeed(
      questions.map((it) => ("holder" in it && Number(it.holder) !== 9 ? BigInt(it.holder) : undefined)),
    )
  })
  return { asked, ask }
}

test("a question is asked once about a block, in whatever company, also where the contract did not answer", async () => {
  const { asked, ask } = watched()
  expect(await run(ask([balance(1), balance(9)], at(5)))).toEqual([1n, undefined])
  expect(await run(ask([balance(2), balance(9), balance(1), balance(2)], at(5)))).toEqual([2n, undefined, 1n, 2n])
  expect(await run(ask([balance(2), balance(1)], at(5)))).toEqual([2n, 1n])
  expect(asked).toEqual(["5: 1 9", "5: 2 2"])
})

test("of another block, or another block at the same height, it is asked again", async () => {
  const { asked, ask } = watched()
  await run(ask([balance(1)], at(5)))
  await run(ask([balance(1)], at(6)))
  await run(ask([balance(1)], { blockNumber: 5, hash: hash("another") }))
  await run(ask([{ of: "supply", token: address(0xc1) }], at(5)))
  expect(asked).toEqual(["5: 1", "6: 1", "5: 1", "5: supply"])
})

test("what failed is nothing to remember", async () => {
  let down = true
  const { asked, ask } = watched(() => down)
  expect(await failureOf(ask([balance(1)], at(5)))).toMatchObject({ message: "down" })
  down = false
  expect(await run(ask([balance(1)], at(5)))).toEqual([1n])
  expect(asked).toEqual(["5: 1"])
})

test("as many as are kept are kept, and the oldest goes first", async () => {
  const { asked, ask } = watched()
  const many = Array.from({ length: 10_000 }, (_, index) => balance(index + 10))
  await run(ask([balance(1)], at(5)))
  await run(ask(many, at(5)))
  await run(ask([balance(10), balance(10_009)], at(5)))
  expect(asked).toHaveLength(2)
  await run(ask([balance(1)], at(5)))
  expect(asked.at(-1)).toBe("5: 1")
})

test("callers, however many of them wait, do not keep the service itself from asking", async () => {
  const asked: Array<string> = []
  const ask = remembered(([question]) =>
    Effect.suspend(() => {
      asked.push(question!.token)
      return question!.token === address(0xc1) ? Effect.never : Effect.succeed([7n])
    }),
  )
  const ofCallers = [1, 2, 3].map((holder) =>
    Effect.runFork(
      ask([balance(holder)], at(5)).pipe(Effect.provideService(ReadFor, { caller: "ann", isCostly: false })),
    ),
  )
  expect(await run(ask([{ of: "supply", token: address(0xc2) }], at(5)))).toEqual([7n])
  expect(asked).toEqual([address(0xc1), address(0xc1), address(0xc2)])
  for (const fiber of ofCallers) fiber.interruptUnsafe()
})
