/** Answers that are kept as bytes: whatever is done with them, what is told is what was kept last. */
import { expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { Interned } from "../../../src/adapters/http/kept/interned.ts"
import type { KeptAnswer } from "../../../src/adapters/http/kept/keptAnswer.ts"
import { makeKeptAnswers } from "../../../src/adapters/http/kept/keptAnswers.ts"
import { flag, hashOf, PackedAge, textsOf } from "../../../src/adapters/http/kept/packedAge.ts"
import { makePackedAnswers } from "../../../src/adapters/http/kept/packedAnswers.ts"
import type { AsOf } from "../../../src/model/block.ts"

const pointsOf = (revision: number): ReadonlyArray<AsOf> => [{ revision } as AsOf]
const headersOf = (kind: number) => ({ "x-kind": String(kind) })
const letters = ["t", "\u00e9", "\u6f22", "\ud83d\ude00", "\ud800"]

test("whatever is kept, moved on and forgotten: the last answer is told, with the last points, and never another's", () => {
  const random = randomOf(228)
  const packed = makePackedAnswers(60_000)
  const last = new Map<string, KeptAnswer>()
  let [found, went] = [0, 0]
  for (let step = 0; step < 30_000; step++) {
    const name = `/${"n".repeat(random.below(4))}${random.below(300)}`
    const own = last.get(name)
    const chosen = random.below(100)
    if (chosen < 40) {
      const text = letters[random.below(letters.length)]!.repeat(random.below(random.chance(0.05) ? 900 : 60)) + step
      const digest = "d".repeat(random.below(40))
      const figures = random.chance(0.5) ? random.below(2 ** 32) | 0 : undefined
      const kind = random.below(5)
      const answer = { endpoint: `e${kind}`, points: pointsOf(step), figures, text, headers: headersOf(kind), digest }
      if (packed.keep(name, answer)) last.set(name, answer)
    } else if (chosen < 45) {
      packed.forget(name)
      last.delete(name)
    } else if (chosen < 60) {
      const points = pointsOf(step)
      if (packed.look(name) !== undefined) last.set(name, { ...own!, points })
      packed.standAt(name, points)
    } else if (chosen < 61 && random.chance(0.02)) {
      packed.forgetAll()
      last.clear()
    } else {
      const seen = packed.look(name)
      const answer = packed.find(name)
      expect(seen).toEqual(answer && { points: answer.points, figures: answer.figures })
      if (answer === undefined) {
        if (last.delete(name)) went++
        continue
      }
      expect(answer).toEqual(own!)
      found++
    }
  }
  expect(found).toBeGreaterThan(2000)
  expect(went).toBeGreaterThan(300)
})

test("an answer that went does not come back in an older version", () => {
  const random = randomOf(229)
  const packed = makePackedAnswers(20_000)
  const answerOf = (version: number): KeptAnswer => {
    return {
      endpoint: "e",
      points: pointsOf(version),
      figures: undefined,
      text: "t".repeat(100),
      headers: {},
      digest: "",
    }
  }
  const newest = new Map<string, number>()
  let [told, gone] = [0, 0]
  for (let version = 1; version < 20_000; version++) {
    const name = `/${random.below(random.chance(0.5) ? 20 : 400)}`
    const found = packed.find(name)
    if (found !== undefined) {
      expect(found.points[0]!.revision).toBe(newest.get(name)!)
      told++
    } else if (newest.has(name)) gone++
    if (found !== undefined && random.chance(0.7)) continue
    packed.keep(name, answerOf(version))
    newest.set(name, version)
  }
  expect([told > 1000, gone > 1000]).toEqual([true, true])
})

test("of a room that is large enough nothing goes, however often some of it is kept anew", () => {
  const random = randomOf(230)
  const packed = makePackedAnswers(600_000)
  const names = Array.from({ length: 400 }, (_, number) => `/${number}`)
  const answer: KeptAnswer = {
    endpoint: "e",
    points: pointsOf(1),
    figures: 1,
    text: "t".repeat(200),
    headers: {},
    digest: "",
  }
  for (const name of names) packed.keep(name, answer)
  for (let step = 0; step < 50_000; step++) {
    const name = names[random.below(names.length)]!
    expect(packed.find(name)).toBeDefined()
    if (random.chance(0.3)) packed.keep(name, answer)
  }
})

test("an age tells each of its entries once, when it begins anew, and goes on with those that it is told to keep", () => {
  const random = randomOf(231)
  const age = new PackedAge(8000)
  const [alive, told] = [new Map<number, string>(), new Set<number>()]
  let number = 0
  for (let round = 0; round < 40; round++) {
    for (;;) {
      const texts = textsOf(`/${random.below(60)}`, "m", "x".repeat(random.below(120)))!
      if (age.end + texts.size > age.room) break
      const own = [++number, 0, 0] as const
      if (age.add(texts, hashOf(texts.name), own, 0) !== -1) alive.set(number, texts.name)
      if (random.chance(0.05)) age.forget(texts.name, hashOf(texts.name))
    }
    const ownOf = (at: number) => age.words[at + 4]!
    const newest = new Map([...alive].map(([own, name]) => [name, own]))
    const kept = new Set<number>()
    age.renew(
      4000,
      (at) => {
        expect(newest.get(age.nameOf(at))).toBe(ownOf(at))
        if (!random.chance(0.6)) return false
        kept.add(ownOf(at))
        return true
      },
      (at) => {
        expect(told.has(ownOf(at))).toBe(false)
        told.add(ownOf(at))
        kept.delete(ownOf(at))
        alive.delete(ownOf(at))
      },
    )
    expect(new Set(alive.keys())).toEqual(kept)
    for (const [own, name] of alive) {
      const at = age.find(name, hashOf(name))
      expect([ownOf(at), age.nameOf(at), age.markOf(at), age.flagsOf(at) & flag.wanted]).toEqual([own, name, "m", 0])
    }
    expect(age.end).toBeLessThanOrEqual(4000)
  }
})

test("of many names with one hash some are lost, and none is taken for another", () => {
  const age = new PackedAge(20_000)
  const names = Array.from({ length: 100 }, (_, number) => `/${number}`)
  const added = names.filter((name) => age.add(textsOf(name, "", name)!, 7, [0, 0, 0], 0) !== -1)
  expect(added.length).toBe(32)
  expect(names.filter((name) => age.find(name, 7) !== -1)).toEqual(added)
  for (const name of added) expect(age.textOf(age.find(name, 7))).toBe(name)
})

test("a shared value has one number for as long as something names it", () => {
  const shared = new Interned<{ readonly name: string }>(2, ({ name }) => name)
  const [first, other] = [shared.use({ name: "a" }), shared.use({ name: "b" })]
  expect([first, other]).toEqual([0, 1])
  expect([shared.use({ name: "a" }), shared.at(0).name, shared.at(1).name]).toEqual([0, "a", "b"])
  expect(shared.use({ name: "c" })).toBeUndefined()
  shared.release(0)
  expect(shared.use({ name: "a" })).toBe(0)
  shared.release(0)
  shared.release(0)
  expect([shared.use({ name: "c" }), shared.at(0).name, shared.at(1).name]).toEqual([0, "c", "b"])
  shared.clear()
  expect([shared.use({ name: "b" }), shared.at(0).name]).toEqual([0, "b"])
})

test("of answers that have nothing alike no more than so many are kept, the newest in place of the oldest", () => {
  const packed = makePackedAnswers(20_000_000)
  const answerOf = (number: number): KeptAnswer => {
    const headers = headersOf(number)
    return { endpoint: "e", points: pointsOf(1), figures: undefined, text: `t${number}`, headers, digest: "" }
  }
  for (let number = 0; number < 35_000; number++) {
    expect(packed.keep(`/${number}`, answerOf(number))).toBe(true)
    packed.find("/0")
  }
  const known = Array.from({ length: 35_000 }, (_, number) => number).filter((it) => packed.look(`/${it}`))
  expect(known.length).toBeLessThanOrEqual(10_000)
  expect([known[0], known.at(-1)]).toEqual([0, 34_999])
  expect(packed.find("/34999")).toEqual(answerOf(34_999))
})

test("an answer at each of more points than are known at a time: the newest is kept as bytes, whatever was wanted before", () => {
  for (const isWanted of [false, true]) {
    const packed = makePackedAnswers(8_000_000)
    for (let block = 0; block < 30_000; block++) {
      const points = pointsOf(block)
      const answer = { endpoint: "e", points, figures: undefined, text: "t".repeat(200), headers: {}, digest: "" }
      packed.keep(`/${block}`, answer)
      expect(packed.look(`/${block}`)?.points).toBe(points)
      if (isWanted) packed.find(`/${block}`)
    }
  }
})

test("an answer that grew long, or is short again, has none of its earlier versions beside it", () => {
  const kept = makeKeptAnswers(1_000_000)
  for (const [revision, length] of [10, 5000, 20, 6000, 7000, 30].entries()) {
    const text = "t".repeat(length)
    kept.keep("/x", { endpoint: "e", points: pointsOf(revision), figures: undefined, text, headers: {}, digest: "" })
    expect([kept.find("/x")?.text.length, kept.look("/x")?.points]).toEqual([length, pointsOf(revision)])
  }
})

test("the largest room that may be set takes an answer too", () => {
  const kept = makeKeptAnswers(100_000 * 1024 * 1024)
  kept.keep("/x", { endpoint: "e", points: pointsOf(1), figures: undefined, text: "t", headers: {}, digest: "d" })
  expect([kept.find("/x")?.text, kept.find("/x")?.digest]).toEqual(["t", "d"])
})
