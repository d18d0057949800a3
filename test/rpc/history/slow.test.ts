/** What comes slowly, or without end: a part that is not waited for, lines that say nothing, a head of many lines. */
import { expect, test } from "bun:test"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeGathering, partLimits } from "../../../src/adapters/rpc/history/gather.ts"
import { linesOf } from "../../../src/adapters/rpc/history/lines.ts"
import { clientOf } from "../../../src/adapters/rpc/history/place.ts"
import { makePortal, portalLimits } from "../../../src/adapters/rpc/history/portal.ts"
import { problemOf } from "../../support/failure.ts"

const blockOf = (number: number) => ({ header: { number }, logs: [] }) as never
const numbersOf = (part: ReturnType<ReturnType<typeof makeGathering>["add"]>) =>
  part?.headers.map(({ number }) => number)

test("a part ends with the block that comes long after its first, and the next one begins anew", async () => {
  const gathering = makeGathering({ ...partLimits, mostMs: 50 })
  expect(gathering.add(blockOf(1), 10)).toBeUndefined()
  await pause(60)
  expect(numbersOf(gathering.add(blockOf(2), 10))).toEqual([1, 2])
  expect(gathering.add(blockOf(3), 10)).toBeUndefined()
  expect(numbersOf(gathering.rest())).toEqual([3])
})

/** These pieces, each so long after the one before. */
const dripping = (pieces: ReadonlyArray<string>, everyMs: number) =>
  new ReadableStream<Uint8Array>({
    start: async (controller) => {
      for (const piece of pieces) {
        await pause(everyMs)
        controller.enqueue(Buffer.from(piece))
      }
      controller.close()
    },
  })

/** A busy machine may say nothing for a moment. */
const limits = { mostBytes: 1000, silenceMs: 500 }

test("a line that goes on and on ends the stream, though bytes come all the time", async () => {
  const read = Array.fromAsync(linesOf(dripping(Array(30).fill("x"), 60), limits))
  expect(await problemOf(read)).toContain("no line was whole for 1 s")
})

test("whole lines may come as slowly for as long as they like", async () => {
  const lines = await Array.fromAsync(linesOf(dripping(Array(30).fill("{}\n"), 60), limits))
  expect(lines.flat()).toHaveLength(30)
})

test("blank lines say nothing: they end the stream as silence does", async () => {
  const read = Array.fromAsync(linesOf(dripping(Array(30).fill("\n"), 60), limits))
  expect(await problemOf(read)).toContain("no line was whole for 1 s")
})

test("a head of null is that of no blocks yet", async () => {
  const server = createServer((_, response) => void response.end("null")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/datasets/x`
  const portal = makePortal(url, { topics: [], readBloom: undefined })
  expect(await portal.span(new AbortController().signal)).toEqual({ from: 0, to: -1 })
  server.close()
})

test("where nothing ever comes, not even a fault, it ends after minutes", async () => {
  const never = new Promise<never>(() => {})
  const place = {
    label: "folder x",
    clean: String,
    span: () => never,
    parts: async function* () {
      yield await never
    },
  }
  const ends = await Effect.gen(function* () {
    const client = clientOf(place)
    const span = yield* Effect.forkScoped(Effect.flip(client.span))
    const next = yield* Effect.forkScoped(Effect.flip(Effect.flatMap(client.read(0, 9), (it) => it.next)))
    yield* TestClock.adjust(600_000)
    return [yield* Fiber.join(span), yield* Fiber.join(next)]
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
  expect(ends.map(({ message }) => message)).toEqual([
    "folder x: nothing came for 120 s",
    "folder x: nothing came for 600 s",
  ])
})

for (const [what, send, problem] of [
  [
    "lines without end",
    async (response: ServerResponse) => {
      while (!response.destroyed)
        if (!response.write("1\n".repeat(10_000))) await once(response, "drain").catch(() => {})
    },
    "finalized-head: more than 1048576 bytes",
  ],
  [
    "a line now and then",
    async (response: ServerResponse) => {
      for (; !response.destroyed; await pause(50)) response.write("1\n")
    },
    "finalized-head: not whole after 0.8 s",
  ],
] as const) {
  test(`a portal whose head is ${what} is not read on`, async () => {
    const server = createServer((_, response) => {
      response.on("error", () => {})
      void send(response)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/datasets/x`
      const portal = makePortal(
        url,
        { topics: [], readBloom: undefined },
        {
          ...portalLimits,
          silenceMs: what === "a line now and then" ? 400 : 20_000,
        },
      )
      expect(await problemOf(portal.span(new AbortController().signal))).toContain(problem)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
}
