/** What comes slowly: a part that is not waited for, and a line that never ends. */
import { expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { makeGathering, partLimits } from "../../../src/adapters/rpc/history/gather.ts"
import { linesOf } from "../../../src/adapters/rpc/history/lines.ts"

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

const limits = { mostBytes: 1000, silenceMs: 100 }

test("a line that goes on and on ends the stream, though bytes come all the time", async () => {
  const read = Array.fromAsync(linesOf(dripping(Array(30).fill("x"), 20), limits))
  await expect(read).rejects.toThrow("no line was whole for 0.2 s")
})

test("whole lines may come as slowly for as long as they like", async () => {
  const lines = await Array.fromAsync(linesOf(dripping(Array(30).fill("{}\n"), 20), limits))
  expect(lines.flat()).toHaveLength(30)
})
