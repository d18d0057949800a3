/** The page follows the chains whatever is done to the clock of the browser's machine. */
import { afterEach, expect, spyOn, test } from "bun:test"

const files = new URL("../../../src/adapters/http/page/files/", import.meta.url)

/** What a browser has that the module touches. */
const browser: { document?: unknown; sessionStorage?: unknown } = globalThis
const { document, sessionStorage } = browser
const spies: Array<{ mockRestore: () => void }> = []
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore()
  Object.assign(browser, { document, sessionStorage })
})

test("a view is brought up to date where the clock was set back, wholly after a reorg, and not without news", async () => {
  let answer = { block: 1, reorgs: 0 }
  let look = () => {}
  let ahead = 0
  const [date, steady] = [Date.now(), performance.now()]
  const ready = () => {
    const chains = [{ chainId: "1", indexedBlock: answer.block, reorgs: { count: answer.reorgs } }]
    return Promise.resolve(Response.json({ chains }))
  }
  let passed = 0
  spies.push(
    spyOn(globalThis, "fetch").mockImplementation(ready as unknown as typeof fetch),
    spyOn(globalThis, "setInterval").mockImplementation(((work: () => void) => {
      look = work
    }) as unknown as typeof setInterval),
    spyOn(Date, "now").mockImplementation(() => date + passed + ahead),
    spyOn(performance, "now").mockImplementation(() => steady + passed),
  )
  Object.assign(browser, {
    document: { hidden: false, addEventListener: () => {} },
    sessionStorage: { getItem: () => null },
  })
  const moved: Array<boolean> = []
  const { follow } = await import(new URL("live.js", files).href)
  const view = { paceMs: () => 2000, moved: (whole: boolean) => void moved.push(whole) }
  const looked = async (now: typeof answer) => {
    answer = now
    passed += 3000
    look()
    await Bun.sleep(0)
    return moved.splice(0)
  }
  follow({ live: null, status: null }, view)
  await Bun.sleep(0)
  // Of a page that has just been opened, however young its clock is.
  expect(moved.splice(0)).toEqual([false])
  expect(await looked({ block: 1, reorgs: 0 })).toEqual([])
  expect(await looked({ block: 2, reorgs: 0 })).toEqual([false])
  ahead = -3_600_000
  expect(await looked({ block: 3, reorgs: 0 })).toEqual([false])
  expect(await looked({ block: 3, reorgs: 1 })).toEqual([true])
  expect(await looked({ block: 3, reorgs: 1 })).toEqual([])
  passed += 120_000
  expect(await looked({ block: 4, reorgs: 1 })).toEqual([true])
})
