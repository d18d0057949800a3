/** Questions that wait together are asked together; who fails, leaves or comes late changes nothing for the others. */
import { describe, expect, test } from "bun:test"
import { setImmediate } from "node:timers/promises"
import { Effect, Exit, Fiber } from "effect"
import { type AskTogether, makeJoined } from "../../../../src/adapters/postgres/reads/common/joined.ts"

/** Groups as they are asked; each goes on until it is told to end. */
const open = ({ groups = 2, members = 4, isBad = (_: number): boolean => false } = {}) => {
  const joined = makeJoined<string>({ groups, members })
  const asked: Array<ReadonlyArray<number>> = []
  const ended: Array<ReadonlyArray<number>> = []
  const going: Array<() => void> = []
  const together: AskTogether<number, number, string> = (questions) =>
    Effect.callback((resume) => {
      asked.push(questions)
      going.push(() =>
        resume(
          questions.some(isBad) ? Effect.fail(`bad: ${questions}`) : Effect.succeed(questions.map((it) => it * 10)),
        ),
      )
      return Effect.sync(() => ended.push(questions))
    })
  const ask = (question: number, kind = "a", caller = "") =>
    Effect.runFork(joined.ask(kind, question, together, caller))
  const next = async () => {
    going.shift()?.()
    await setImmediate()
    await setImmediate()
  }
  return { ask, asked, ended, next }
}

const answers = (fibers: ReadonlyArray<Fiber.Fiber<number, string>>) =>
  Promise.all(
    fibers.map(async (fiber) => {
      const exit = await Effect.runPromise(Fiber.await(fiber))
      return Exit.isSuccess(exit) ? exit.value : "failed"
    }),
  )

describe("one kind", () => {
  test("all of one moment are one group, up to its size; who comes meanwhile is the next", async () => {
    const { ask, asked, next } = open()
    const first = [1, 2, 3].map((it) => ask(it))
    await setImmediate()
    const then = [4, 5].map((it) => ask(it))
    await setImmediate()
    expect(asked).toEqual([[1, 2, 3]])
    await next()
    expect(asked).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
    await next()
    expect(await answers([...first, ...then])).toEqual([10, 20, 30, 40, 50])
  })

  test("a second group begins beside the first only where it is full", async () => {
    const { ask, asked, next } = open()
    const all = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((it) => ask(it))
    await setImmediate()
    expect(asked).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ])
    await next()
    await next()
    expect(asked[2]).toEqual([9])
    await next()
    expect(await answers(all)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90])
  })

  test("of a group that fails each is asked alone: the bad one fails, the others have their answers", async () => {
    const { ask, asked, next } = open({ isBad: (it) => it === 2 })
    const all = [1, 2, 3].map((it) => ask(it))
    await setImmediate()
    for (let step = 0; step < 4; step++) await next()
    expect(asked).toEqual([[1, 2, 3], [1], [2], [3]])
    expect(await answers(all)).toEqual([10, "failed", 30])
  })

  test("a question that throws fails alone too", async () => {
    const joined = makeJoined<string>({ groups: 1, members: 4 })
    const throws: AskTogether<number, number, string> = (questions) =>
      Effect.sync(() => {
        if (questions.includes(2)) throw new Error("a bug")
        return questions.map((it) => it * 10)
      })
    const all = [1, 2, 3].map((it) => Effect.runFork(joined.ask("a", it, throws)))
    expect(await answers(all)).toEqual([10, "failed", 30])
  })
})

describe("who leaves", () => {
  test("before the group begins is not asked for", async () => {
    const { ask, asked, next } = open()
    const [one, two] = [ask(1), ask(2)]
    await Effect.runPromise(Fiber.interrupt(one))
    await setImmediate()
    expect(asked).toEqual([[2]])
    await next()
    expect(await answers([two])).toEqual([20])
  })

  test("out of a group costs the others nothing; when all have left it is ended, and its place is free", async () => {
    const { ask, asked, ended, next } = open({ groups: 1 })
    const all = [ask(1), ask(2)]
    await setImmediate()
    await Effect.runPromise(Fiber.interrupt(all[0]!))
    expect(ended).toEqual([])
    await Effect.runPromise(Fiber.interrupt(all[1]!))
    await setImmediate()
    expect(ended).toEqual([[1, 2]])
    const later = ask(3)
    await setImmediate()
    await setImmediate()
    expect(asked).toEqual([[1, 2], [3]])
    await next()
    await next()
    expect(await answers([later])).toEqual([30])
  })
})

describe("callers take turns", () => {
  test("however many kinds one of them asks", async () => {
    const { ask, asked, next } = open({ groups: 1 })
    const all = [1, 2, 3, 4, 5].map((it) => ask(it, `kind ${it}`, "many"))
    await setImmediate()
    all.push(ask(6, "a", "one"), ask(7, "b", "other"))
    for (let step = 0; step < 7; step++) await next()
    expect(asked).toEqual([[1], [2], [6], [7], [3], [4], [5]])
    expect((await answers(all)).length).toBe(7)
  })

  test("however many of one kind wait: whose turn it is goes first, and the others come along as far as there is room", async () => {
    const { ask, asked, next } = open({ groups: 1 })
    const all = [ask(0, "b", "many")]
    await setImmediate()
    all.push(...[1, 2, 3, 4, 5, 6].map((it) => ask(it, "a", "many")), ask(7, "a", "one"), ask(8, "b", "one"))
    for (let step = 0; step < 5; step++) await next()
    expect(asked).toEqual([[0], [1, 2, 3, 4], [7, 5, 6], [8]])
    expect((await answers(all)).length).toBe(9)
  })

  test("who leaves loses the place, and only that", async () => {
    const { ask, asked, next } = open({ groups: 1 })
    const first = ask(1, "a", "one")
    await setImmediate()
    const [left, stays, other] = [ask(2, "b", "one"), ask(3, "a", "one"), ask(4, "b", "other")]
    await Effect.runPromise(Fiber.interrupt(left))
    for (let step = 0; step < 3; step++) await next()
    expect(asked).toEqual([[1], [3], [4]])
    expect(await answers([first, stays, other])).toEqual([10, 30, 40])
  })
})

test("kinds take turns, however many wait of one", async () => {
  const { ask, asked, next } = open({ groups: 1, members: 2 })
  const all = [...[1, 2, 3, 4, 5, 6].map((it) => ask(it)), ask(7, "b"), ask(8, "c")]
  await setImmediate()
  for (let step = 0; step < 5; step++) await next()
  expect(asked).toEqual([[1, 2], [7], [8], [3, 4], [5, 6]])
  expect((await answers(all)).length).toBe(8)
})
