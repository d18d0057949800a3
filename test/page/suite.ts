/** The page at `/` in Chromium, on the demo's live chain, with every other address unreachable: `run test:page`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { startChild, stopChildren } from "../../demo/chain/child.ts"
import { amount } from "../../src/adapters/http/page/files/format.js"
import { freePort } from "../support/postgres.ts"
import { startService } from "../support/service.ts"

const program = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"]
  .map((name) => (name === undefined ? null : Bun.which(name)))
  .find((path) => path !== null)
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"

let base: string
let token: string
/** The demo's own node. */
let node = ""
let browser: Browser
beforeAll(async () => {
  if (program === undefined) throw new Error("CHROMIUM: expected the path of Chromium, and none is on PATH either")
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "cowry-page-test-"))
  const cwd = fileURLToPath(new URL("../../", import.meta.url))
  const env = { PATH: process.env.PATH, TMPDIR: folder, PORT: `${port}` }
  const demo = startChild(process.execPath, ["demo/main.ts"], { cwd, env, folder })
  for await (const line of createInterface({ input: demo.process.stdout! })) {
    node = / node is at (http:\S+):/.exec(line)?.[1] ?? node
    if (line.startsWith("Ctrl-C")) break
  }
  base = `http://127.0.0.1:${port}`
  const found = await fetch(`${base}/v2/network/mainnet/evm/31337/erc20?search=shell`)
  token = ((await found.json()) as { items: Array<{ address: string }> }).items[0]!.address
  const args = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
  browser = await chromium.launch({ executablePath: program, args })
}, 180_000)
afterAll(async () => {
  await browser?.close()
  await stopChildren()
})

/** A block is mined each second or two: what is waited for comes within some of them. */
const eventually = async <Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> => {
  for (const deadline = Date.now() + 30_000; ; await pause(100)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw new Error(`${what} did not come within 30 s`)
  }
}

/** A tab; what it complains of, and what it asks of others than the service. */
const openTab = async (width: number, colorScheme: "light" | "dark", bypassCSP = false) => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP })
  const page = await context.newPage()
  const complaints: Array<string> = []
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  page.on("pageerror", ({ message }) => complaints.push(message))
  page.on("request", (request) => request.url().startsWith(base) || complaints.push(`asks ${request.url()}`))
  const show = async (path: string) => {
    await page.goto(base + path)
    await settled(page)
  }
  const close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await context.close()
  }
  return { page, complaints, show, close }
}

const settled = (page: Page) => page.waitForSelector("main:not([aria-busy]) h1")

const views = () => [
  "/",
  "/?q=shell",
  `/?q=${account}`,
  `/?chain=31337&token=${token}`,
  `/?chain=31337&address=${account}`,
  `/?chain=31337&address=${account}&block=150`,
  "/?chain=31337&token=0x0000000000000000000000000000000000000bad",
]

describe.each([
  [1280, "light"],
  [390, "dark"],
] as const)("%i pixels wide, %s", (width, scheme) => {
  test("every view fits, is sound for those who do not see it, and asks the service alone", async () => {
    // The examiner is a script of its own, which the page's policy would not run.
    const { page, complaints, show, close } = await openTab(width, scheme, true)
    for (const view of views()) {
      await show(view)
      await page.evaluate(axe)
      const faults = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
      expect({ view, faults, overflow }).toEqual({ view, faults: [], overflow: 0 })
    }
    // The last view is of a token that is not there: the browser says so of its call, and nothing else.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([])
    await close()
  }, 60_000)
})

test("under its own policy nothing is refused, and blocks show as they come", async () => {
  const { page, complaints, show, close } = await openTab(1280, "light")
  await show(`/?chain=31337&address=${account}`)
  const live = async () => (await page.textContent("#live")) ?? ""
  const comes = async (wanted: (text: string) => boolean) => {
    for (const deadline = Date.now() + 30_000; !wanted(await live()); await pause(100))
      if (Date.now() > deadline) throw new Error(`the page says "${await live()}"`)
    return live()
  }
  const before = await comes((text) => text.startsWith("Live"))
  await comes((text) => text.startsWith("Live") && text !== before)
  expect(complaints).toEqual([])
  await close()
}, 120_000)

test("nine tabs of one browser all show, and all go on showing blocks as they come", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await show("/")
  const tabs = [page]
  for (let count = 1; count < 9; count++) {
    const tab = await page.context().newPage()
    await tab.goto(`${base}/`, { timeout: 15_000 })
    await settled(tab)
    tabs.push(tab)
  }
  for (const tab of tabs) {
    const before = await tab.textContent("#live")
    await eventually("another block", async () => (await tab.textContent("#live")) !== before)
  }
  await close()
}, 120_000)

test("as blocks come, what somebody reads and where the focus is stay in their places, the choice of blocks grows, and nobody is interrupted", async () => {
  const { page, show, close } = await openTab(390, "light")
  await show(`/?chain=31337&address=${account}`)
  await page.evaluate(`
    globalThis.told = 0
    new MutationObserver(() => globalThis.told++).observe(document.getElementById("status"), { childList: true, characterData: true, subtree: true })
    globalThis.scroller = [...document.querySelectorAll(".scroll")].at(-1)
    scroller.scrollLeft = 120
    document.querySelector("main section a.api").focus()`)
  const state = () =>
    page.evaluate(`({
      place: scroller.scrollLeft, isThere: scroller.isConnected, told,
      most: Number(document.getElementById("slide").max), value: Number(document.getElementById("block").value),
      focus: document.activeElement.className,
    })`) as Promise<{ place: number; isThere: boolean; told: number; most: number; value: number; focus: string }>
  const before = await state()
  const after = await eventually("a later block to choose", async () => {
    const now = await state()
    return now.most >= before.most + 3 && now
  })
  expect(after).toMatchObject({ place: before.place, isThere: true, told: 0, value: after.most, focus: "api" })
  expect(before.place).toBeGreaterThan(0)
  // A block that came since can be asked for.
  await page.fill("#block", String(before.most + 1))
  await page.press("#block", "Enter")
  await page.waitForURL((url) => url.searchParams.get("block") === String(before.most + 1))
  await close()
}, 120_000)

test("blocks and a reorg show in all of a token: its holders are the service's of the block that is said", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await show(`/?chain=31337&token=${token}`)
  const shown = async () => {
    const text = (await page.textContent('section[aria-label="Holders"]')) ?? ""
    const amounts = await page.locator('section[aria-label="Holders"] tbody tr td:nth-child(2)').allTextContents()
    return { block: Number(/As of block ([\d\u202f]+)/.exec(text)?.[1]?.replaceAll("\u202f", "")), amounts }
  }
  const before = await shown()
  expect(before.block).toBeGreaterThan(0)
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_reorg", params: [8, []] })
  const headers = { "content-type": "application/json" }
  expect(await (await fetch(node, { method: "POST", headers, body })).json()).not.toHaveProperty("error")
  await eventually("holders as of a later block, as the service has them", async () => {
    const { block, amounts } = await shown()
    if (block <= before.block) return false
    const call = `${base}/v2/network/mainnet/evm/31337/erc20/${token}/holders?limit=25&blockNumber=${block}`
    const { items } = (await (await fetch(call)).json()) as { items: Array<{ balance: string }> }
    return items.length === amounts.length && items.every(({ balance }, at) => amounts[at] === amount(balance, 18))
  })
  await close()
}, 120_000)

test("an address at a block names that block, counts what gas is paid in, and after a reorg is read anew in all of it", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await show(`/?chain=31337&address=${account}&block=50`)
  expect(await page.textContent('section[aria-label="Holdings"]')).toContain("As of block 50.")
  const called = await page.locator('dl.figures a[href*="/portfolio?"]').first().getAttribute("href")
  expect(called).toContain("standard=native,erc20,erc721,erc1155&blockNumber=50")
  let asked = 0
  page.on("request", (request) => {
    if (request.url().includes("/portfolio/history?")) asked++
  })
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_reorg", params: [8, []] })
  const headers = { "content-type": "application/json" }
  expect(await (await fetch(node, { method: "POST", headers, body })).json()).not.toHaveProperty("error")
  await eventually("its past", async () => asked > 0)
  await close()
}, 120_000)

test("shares and an audit state that the service does not give are no figures", async () => {
  const { page, show, close } = await openTab(1280, "light")
  // As of a token in doubt, or one that is older than the ledger.
  await page.route(/\/holders\?limit=100$/, async (route) => {
    const response = await route.fetch()
    const { items, ...rest } = (await response.json()) as { items: ReadonlyArray<{ percentage?: number }> }
    const json = {
      ...rest,
      items: items.map(({ percentage, ...item }, at) => (at === 1 ? item : { ...item, percentage })),
    }
    await route.fulfill({ response, json })
  })
  const message = "the store does not answer"
  await page.route("**/v2/status/audit?*", (route) => route.fulfill({ status: 503, json: { message } }))
  await show(`/?chain=31337&token=${token}`)
  const holders = page.locator('section[aria-label="Holders"]')
  const shares = await holders.locator("tbody tr td:nth-child(3)").allTextContents()
  expect(shares.slice(0, 2)).toEqual([expect.stringMatching(/^ [\d.]+ %$/), "–"])
  // Sums without one of them would be too small.
  expect(await holders.locator(".figures").count()).toBe(0)
  expect(await page.textContent("main")).not.toContain("NaN")
  const audit = page.locator(".figures > div", { has: page.locator("dt", { hasText: /^Audit$/ }) })
  expect([await audit.locator("dd a").textContent(), await audit.locator("small").textContent()]).toEqual([
    "–",
    message,
  ])
  await close()
}, 60_000)

test("where the service was away and no block came meanwhile, the page says that it is there again", async () => {
  const { page, show, close } = await openTab(1280, "light")
  let isAway = false
  let ready: object | undefined
  await page.route("**/ready", async (route) => {
    if (isAway) return route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" })
    ready ??= (await (await route.fetch()).json()) as object
    return route.fulfill({ json: ready })
  })
  await show(`/?chain=31337&address=${account}`)
  const says = (what: string) =>
    eventually(`"${what}"`, async () => (await page.textContent("#live"))?.startsWith(what) === true)
  await says("Live: chain 31337 at block")
  isAway = true
  await says("The service does not answer")
  isAway = false
  await says("Live: chain 31337 at block")
  await close()
}, 120_000)

test("a view that was left while the chains were read is followed by the one that was asked for", async () => {
  const { page, close } = await openTab(1280, "light")
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    void page.route("**/ui/chains.json", async (route) => {
      resolve()
      await new Promise<void>((go) => {
        answer = go
      })
      await route.continue().catch(() => {})
    })
  })
  await page.goto(`${base}/`)
  await asked
  await page.fill("#q", "shell")
  await page.press("#q", "Enter")
  answer()
  await settled(page)
  expect(await page.textContent("h1")).toBe("Search: shell")
  await close()
}, 60_000)

test("while nobody knows how far the chain is, a block that is asked for is shown, and no chains are no sign of life", async () => {
  const { page, show, close } = await openTab(1280, "light")
  let chains: ReadonlyArray<object> = [{ chainId: "31337", phase: "waiting", firstBlock: 0 }]
  await page.route("**/ready", (route) => route.fulfill({ status: 503, json: { status: "syncing", chains } }))
  await show(`/?chain=31337&address=${account}&block=50`)
  expect(await page.inputValue("#slide")).toBe("50")
  await page.fill("#block", "60")
  await page.press("#block", "Enter")
  await page.waitForURL((url) => url.search.includes("address="))
  await settled(page)
  expect(new URL(page.url()).searchParams.get("block")).toBe("60")
  chains = []
  await eventually("silence", async () => (await page.textContent("#live"))?.startsWith("The service does not answer"))
  expect(await page.textContent("#status")).toStartWith("The service does not answer")
  await close()
}, 60_000)

test("a slider that comes to rest once its view was left changes nothing of the next one", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await page.clock.install()
  await show(`/?chain=31337&address=${account}`)
  await page.evaluate(`
    document.getElementById("slide").value = "50"
    document.getElementById("slide").dispatchEvent(new Event("change"))
    document.querySelector('header a[href="/"]').click()`)
  await page.waitForSelector("h1:text-is('Chains')")
  await page.clock.fastForward(1000)
  expect(new URL(page.url()).search).toBe("")
  await close()
}, 60_000)

test("a supply that nobody changed is said so, and one that changed is drawn from before it until now", async () => {
  const { page, show, close } = await openTab(1280, "light")
  let items: ReadonlyArray<object> = []
  await page.route("**/supply/history?*", (route) => route.fulfill({ json: { items, link: {} } }))
  await show(`/?chain=31337&token=${token}`)
  const place = page.locator('section[aria-label="Supply over time"]')
  expect(await place.locator(".note").textContent()).toMatch(/^No change in 30 days: [\d\u202f]+(\.\d+)?\.$/)
  items = [{ timestamp: new Date().toISOString(), totalSupply: `5${"0".repeat(18)}`, change: `-2${"0".repeat(18)}` }]
  await page.reload()
  await settled(page)
  const rows = await place.locator("tbody tr td:nth-child(2)").allTextContents()
  expect(rows.slice(0, 2)).toEqual(["7", "5"])
  expect(rows.length).toBe(3)
  await close()
}, 60_000)

test("the link to the content moves the focus alone", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await show("/")
  await page.evaluate(`
    globalThis.busy = 0
    globalThis.moved = new Promise((resolve) => addEventListener("popstate", () => setTimeout(resolve)))
    new MutationObserver(() => globalThis.busy++).observe(document.getElementById("main"), { attributeFilter: ["aria-busy"] })
    document.querySelector("a.skip").focus()`)
  await page.keyboard.press("Enter")
  await page.evaluate("moved")
  expect(await page.evaluate("[busy, document.activeElement.id]")).toEqual([0, "main"])
  await close()
}, 60_000)

test("where the chains cannot be read, nothing is left unheard", async () => {
  const { page, complaints, show, close } = await openTab(1280, "light")
  let times = 0
  await page.route("**/ui/chains.json", (route) => {
    times++
    return route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" })
  })
  await show("/")
  await eventually("another try", async () => times >= 3)
  expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([])
  await close()
}, 60_000)

test("a reorg that a process tells of that was started anew is one too", async () => {
  const { page, show, close } = await openTab(1280, "light")
  let reorgs = 5
  let looks = 0
  await page.route("**/ready", async (route) => {
    const { chains, ...rest } = (await (await route.fetch()).json()) as { chains: ReadonlyArray<object> }
    looks++
    await route.fulfill({
      json: { ...rest, chains: chains.map((it) => ({ ...it, reorgs: { count: reorgs, deepest: 1 } })) },
    })
  })
  await show(`/?chain=31337&address=${account}`)
  const later = async () => {
    const before = looks
    await eventually("looks", async () => looks >= before + 12)
  }
  await later()
  let asked = 0
  page.on("request", (request) => {
    if (request.url().includes("/portfolio/history?")) asked++
  })
  reorgs = 0
  await later()
  expect(asked).toBe(0)
  reorgs = 1
  await eventually("its past", async () => asked > 0)
  await close()
}, 120_000)

test("a section goes on showing blocks while the focus is on its link to the API that was opened", async () => {
  const { page, show, close } = await openTab(1280, "light")
  await show(`/?chain=31337&token=${token}`)
  const link = 'section[aria-label="Holders"] a.api'
  const href = await page.getAttribute(link, "href")
  const opened = page.context().waitForEvent("page")
  await page.click(link, { modifiers: ["ControlOrMeta"] })
  await (await opened).close()
  expect(await page.getAttribute(link, "href")).toBe(href)
  const noted = async () => page.textContent('section[aria-label="Holders"] > .note')
  const before = await noted()
  expect(before).toStartWith("As of block")
  await eventually("a later block's holders", async () => (await noted()) !== before)
  expect(await page.evaluate("document.activeElement.className")).toBe("api")
  await close()
}, 120_000)

test("where calls want a key, any view asks for one, shows all with it, and its links to the API carry it", async () => {
  const secret = "shell and sea"
  const hash = createHash("sha256").update(secret).digest("hex")
  const service = await startService({ STRICT_KEYS: "on", API_KEYS_SHA256: hash, RPC_URL_31337: node })
  const { page, close } = await openTab(1280, "light")
  try {
    await service.reached("31337", 50)
    for (const view of ["/?q=shell", `/?chain=31337&address=${account}`, "/"]) {
      await page.goto(service.url + view)
      await page.waitForSelector("#key")
    }
    await page.fill("#key", secret)
    await page.press("#key", "Enter")
    await page.waitForSelector("main:not([aria-busy]) section tbody a[href*='token=']")
    expect(await page.locator("#key, main .fault[role=alert]").count()).toBe(0)
    // Opened in a tab beside this one, with the key; here it does not stay.
    const link = 'section[aria-label^="ERC-20 tokens"] a.api'
    const beside = page.context().waitForEvent("page")
    await page.click(link, { modifiers: ["ControlOrMeta"] })
    const tab = await beside
    await tab.waitForURL((url) => url.searchParams.get("apikey") === secret)
    await tab.close()
    expect((await page.content()).includes("apikey")).toBe(false)
    const [opened] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/erc20?")),
      page.click(link),
    ])
    expect(opened.status()).toBe(200)
  } finally {
    await close()
    await service.stop()
  }
}, 120_000)

test("by keyboard alone: search, a token, a holder, an older block, and back", async () => {
  const { page, complaints, show, close } = await openTab(390, "light")
  const pressUntil = async (key: string, selector: string) => {
    for (let pressed = 0; pressed < 200; pressed++) {
      await page.keyboard.press(key)
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    }
    throw new Error(`${key} does not lead to ${selector}`)
  }
  const goOn = async (part: string) => {
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.search.includes(part))
    await settled(page)
  }
  await show("/")
  await page.keyboard.press("/")
  await page.keyboard.type("shell")
  await goOn("q=shell")
  await pressUntil("Tab", `main td a[href*="token=${token}"]`)
  await goOn(`token=${token}`)
  await page.waitForSelector(".plot canvas")
  await pressUntil("Tab", 'main td a[href*="address="]')
  await goOn("address=")
  await pressUntil("Tab", "#slide")
  await page.keyboard.press("Home")
  await page.waitForURL((url) => url.searchParams.get("block") === "0")
  await settled(page)
  expect(await page.evaluate("document.activeElement.id")).toBe("slide")
  await page.goBack()
  await settled(page)
  expect(new URL(page.url()).searchParams.has("block")).toBe(false)
  expect(complaints).toEqual([])
  await close()
}, 120_000)
