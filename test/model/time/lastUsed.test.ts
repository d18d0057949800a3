import { expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { makeLastUsed } from "../../../src/model/time/lastUsed.ts"

test("whatever is kept and wanted: the last value is told, never an older one, and the room is never exceeded", () => {
  const random = randomOf(56)
  const most = 1000
  const kept = makeLastUsed<{ readonly size: number }>(most, ({ size }) => size)
  const last = new Map<string, { readonly size: number }>()
  /** Whatever was kept or wanted, in its order. */
  const uses: Array<{ readonly name: string; readonly size: number }> = []
  let found = 0
  for (let step = 0; step < 10_000; step++) {
    const name = String(random.below(1 + random.below(300)))
    if (random.chance(0.4)) {
      const value = { size: random.chance(0.01) ? 1 + random.below(1500) : 1 + random.below(20) }
      kept.keep(name, value)
      if (value.size > most) last.delete(name)
      else last.set(name, value)
      uses.push({ name, size: value.size })
    } else {
      const value = kept.find(name)
      if (value !== undefined) {
        expect(value).toBe(last.get(name)!)
        uses.push({ name, size: value.size })
        found++
      }
    }
    const held = [...last.keys()].filter((it) => kept.look(it) !== undefined)
    expect(held.reduce((sum, it) => sum + kept.look(it)!.size, 0)).toBeLessThanOrEqual(most)
    for (const it of held) expect(kept.look(it)).toBe(last.get(it)!)
    // What was used last is there until as much as half of the room was used since, and nothing large.
    let since = 0
    for (const use of uses.toReversed()) {
      since += use.size
      if (use.size > 20 || since > most / 2) break
      expect(kept.look(use.name)).toBe(last.get(use.name)!)
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
