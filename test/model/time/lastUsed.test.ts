import { expect, spyOn, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { makeLastUsed } from "../../../src/model/time/lastUsed.ts"

test("whatever is kept and wanted: the last value is told, never an older one, and the room is never exceeded", () => {
  const random = randomOf(56)
  const most = 1000
  const kept = makeLastUsed<{ readonly size: number }>(most, ({ size }) => size)
  const last = new Map<string, { readonly size: number }>()
  /** In their order. */
  const keeps: Array<{ readonly name: string; readonly size: number }> = []
  let found = 0
  for (let step = 0; step < 10_000; step++) {
    const name = String(random.below(1 + random.below(300)))
    if (random.chance(0.4)) {
      const value = { size: random.chance(0.01) ? 1 + random.below(1500) : 1 + random.below(20) }
      kept.keep(name, value)
      if (value.size > most) last.delete(name)
      else last.set(name, value)
      keeps.push({ name, size: value.size })
    } else {
      const value = kept.find(name)
      if (value !== undefined) {
        expect(value).toBe(last.get(name)!)
        found++
      }
    }
    const held = [...last.keys()].filter((it) => kept.look(it) !== undefined)
    expect(held.reduce((sum, it) => sum + kept.look(it)!.size, 0)).toBeLessThanOrEqual(most)
    for (const it of held) expect(kept.look(it)).toBe(last.get(it)!)
    // What was kept last is there until a quarter of the room was filled since, and nothing large.
    let since = 0
    for (const own of keeps.toReversed()) {
      since += own.size
      if (own.size > 20 || since > most / 4 - 20) break
      expect(kept.look(own.name)).toBe(last.get(own.name)!)
    }
  }
  expect(found).toBeGreaterThan(1000)
  kept.forgetAll()
  expect([...last.keys()].some((name) => kept.look(name) !== undefined)).toBe(false)
})

test("what is larger than the whole room is not kept, and nothing older in its place", () => {
  const kept = makeLastUsed<string>(10, (value, name) => value.length + name.length)
  kept.keep("a", "12345")
  kept.keep("b", "123456789")
  expect([kept.find("a"), kept.find("b")]).toEqual([undefined, "123456789"])
  kept.keep("b", "1234567890")
  expect(kept.find("b")).toBeUndefined()
})

test("of values that were forgotten nothing is left to look through", () => {
  const kept = makeLastUsed<number>(100)
  kept.keep("stays", -1)
  for (let round = 0; round < 300; round++) {
    kept.keep(`${round}`, round)
    // The newest age alone is left as it is.
    if (round >= 30) kept.forget(`${round - 30}`)
  }
  const looks = spyOn(Map.prototype, "get")
  try {
    expect(kept.look("none")).toBeUndefined()
    expect(looks.mock.calls.length).toBeLessThanOrEqual(4)
  } finally {
    looks.mockRestore()
  }
  expect(["stays", "269", "270", "299"].map(kept.look)).toEqual([-1, undefined, 270, 299])
})

/** How many of so many looks find what is wanted; what is not found is kept. */
const shareFound = (kept: ReturnType<typeof makeLastUsed<number>>, looks: number, nameOf: (look: number) => string) => {
  let found = 0
  for (let look = 0; look < looks; look++) {
    const name = nameOf(look)
    if (kept.find(name) !== undefined) found++
    else kept.keep(name, look)
  }
  return found / looks
}

test("what fits is kept whole, however it is wanted; of what does not, nearly as much as a perfect memory would find", () => {
  const random = randomOf(57)
  const anyOf = (names: number) => () => String(random.below(names))
  const fits = makeLastUsed<number>(1000)
  shareFound(fits, 10_000, anyOf(950))
  expect(shareFound(fits, 10_000, anyOf(950))).toBe(1)
  const twice = makeLastUsed<number>(1000)
  shareFound(twice, 20_000, anyOf(2000))
  expect(shareFound(twice, 20_000, anyOf(2000))).toBeGreaterThan(0.4)
})

test("what is wanted again and again outlasts what is wanted once", () => {
  const random = randomOf(58)
  const kept = makeLastUsed<number>(1000)
  let hot = 0
  const nameOf = (look: number) => (random.chance(0.5) ? `hot ${random.below(300)}` : `once ${look}`)
  shareFound(kept, 10_000, nameOf)
  const found = shareFound(kept, 10_000, (look) => {
    const name = nameOf(10_000 + look)
    if (name.startsWith("hot")) hot++
    return name
  })
  expect((found * 10_000) / hot).toBeGreaterThan(0.9)
})
