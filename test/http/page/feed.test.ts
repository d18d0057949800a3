/** The worker that holds the feed for all tabs: a connection that was refused is opened anew, later each time. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"

const text = readFileSync(new URL("../../../src/adapters/http/page/files/feed.js", import.meta.url), "utf8")

class Source extends EventTarget {
  static readonly CLOSED = 2
  static readonly made: Array<Source> = []
  readyState = 0
  constructor(readonly path: string) {
    super()
    Source.made.push(this)
  }
  /** As of an answer that is none, or of a connection that is lost. */
  fail(readyState: number) {
    this.readyState = readyState
    this.dispatchEvent(new Event("error"))
  }
  tell(kind: string) {
    this.dispatchEvent(new Event(kind))
  }
}

test("the feed that all tabs share is opened again where it was refused, and each tab hears of it", () => {
  const waits: Array<number> = []
  const later = (go: () => void, ms: number) => {
    waits.push(ms)
    go()
  }
  const heard: Array<string> = []
  const hear = (_: string, connected: (event: object) => void) =>
    connected({ ports: [{ postMessage: (kind: string) => heard.push(kind) }] })
  const run = new Function("self", "addEventListener", "EventSource", "setTimeout", text)
  run({ name: JSON.stringify(["/a/events", "/b/events"]) }, hear, Source, later)
  const newest = () => Source.made.at(-1)!
  expect(Source.made.map(({ path }) => path)).toEqual(["/a/events", "/b/events"])
  // This one comes back by itself.
  newest().fail(0)
  expect(Source.made.length).toBe(2)
  for (let turn = 0; turn < 9; turn++) newest().fail(Source.CLOSED)
  expect(Source.made.slice(2).map(({ path }) => path)).toEqual(Array(9).fill("/b/events"))
  expect(waits[0]).toBeGreaterThan(0)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.at(-1)).toBe(waits.at(-2)!)
  newest().tell("heartbeat")
  expect(heard).toEqual(["heartbeat"])
  // Once it stood, the next refusal is a first one.
  newest().tell("open")
  newest().fail(Source.CLOSED)
  expect(waits.at(-1)).toBe(waits[0]!)
})
