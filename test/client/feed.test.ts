/** The client's feed: over cut connections, silence, a service that starts anew and reorgs it tells the same as one that nobody disturbed. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test"
import fc from "fast-check"
import { frameReader } from "../../client/src/frames.ts"
import { type Change, CowryError, createClient, type FeedQuery } from "../../client/src/index.ts"
import { linesOf } from "../../client/src/lines.ts"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { startService, type TestService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { problemOf } from "../support/failure.ts"

const [zero, gold, ann, bob] = [address(0), address(0x70), address(0xa1), address(0xb2)]
const chain = new TestChain()
let service: TestService
let server: Server
let writer: LedgerWriter
let salt = 0

beforeAll(async () => {
  service = await startService({ heartbeatMs: 100 })
  server = await start(0)
  writer = await service.open("43114")
  await grow()
})
afterAll(async () => {
  await stop()
  await service.close()
})

const start = (port: number) => serve(service.app, { port, hostname: "127.0.0.1", graceMs: 200 })
const stop = async () => {
  service.app.endStreams()
  await server.stop()
}
const grow = async () => {
  chain.block([transfer(gold, zero, ann, 5n), transfer(gold, ann, bob, BigInt(salt % 4))], { salt: `${salt++}` })
  const from = chain.nextBlock - 1
  await service.run(writer.append(chain.segment(from, undefined, { finalizedBlock: from - 8 })))
}
/** Two blocks go, another comes. */
const reorg = async () => {
  chain.truncate(chain.nextBlock - 2)
  await service.run(writer.rollback(chain.nextBlock))
  await grow()
}

type Fetch = NonNullable<Parameters<typeof createClient>[0]["fetch"]>
const plain: Fetch = (request) => fetch(request)
const chainOf = (fetch: Fetch = plain) =>
  createClient({ baseUrl: `http://127.0.0.1:${server.port}`, fetch }).chain(43114)

/** `most` bytes of each answer, then the connection is gone. */
const cutAfter =
  (most: () => number, requests: Array<Request> = []): Fetch =>
  async (request) => {
    requests.push(request)
    const response = await fetch(request)
    let left = most()
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.slice(0, left))
        left -= chunk.byteLength
        if (left <= 0) controller.error(new Error("cut"))
      },
    })
    return new Response(response.body!.pipeThrough(cut), response)
  }

const isRow = ({ type }: Change) => type === "transfer" || type === "retract"
/** What is told until a sign of life of the newest block, rows alone. */
const rowsOf = async (changes: AsyncIterable<Change>): Promise<ReadonlyArray<string>> => {
  const rows: Array<string> = []
  for await (const change of changes) {
    if (isRow(change)) rows.push(`${change.type} ${(change.data as { id: string }).id}`)
    if (change.type === "heartbeat" && change.data.block === chain.nextBlock - 1) return rows
  }
  return rows
}
const errorOf = async (changes: AsyncIterable<Change>): Promise<CowryError> => {
  try {
    for await (const _ of changes);
  } catch (cause) {
    expect(cause).toBeInstanceOf(CowryError)
    return cause as CowryError
  }
  throw new Error("the feed ended without an error")
}
const kinds: FeedQuery["kinds"] = ["transfer"]

describe("the feed", () => {
  test("has rows as the lists have them, with their whole numbers", async () => {
    for await (const change of chainOf().changes({ kinds, after: "beginning" })) {
      if (change.type !== "transfer" || change.data.standard !== "erc20") continue
      const { body } = await service.get("/v2/network/mainnet/evm/43114/erc20-transfers?sort=asc&limit=1")
      const { id, standard, block, hash, ...record } = change.data
      expect([record as object, block, change.data.raw]).toEqual([body.items[0], 0, { amount: 5n }])
      expect([typeof id, typeof hash, standard]).toEqual(["string", "string", "erc20"])
      break
    }
  })

  test("cut in any place tells each row once and none twice, and says where it stands", async () => {
    for (let block = 0; block < 6; block++) await grow()
    const whole = await rowsOf(chainOf().changes({ kinds, after: "beginning" }))
    expect(whole.length).toBe(chain.nextBlock * 2)
    const requests: Array<Request> = []
    // Frames have some 500 bytes: now in one, now behind it, now behind several.
    let bytes = 600
    const cut = cutAfter(() => (bytes += 900), requests)
    const waits: Array<number> = []
    const options = { onInterrupted: (_: unknown, waitMs: number) => void waits.push(waitMs) }
    expect(await rowsOf(chainOf(cut).changes({ kinds, after: "beginning" }, options))).toEqual(whole)
    expect(requests.length).toBeGreaterThan(2)
    expect(waits.length).toBe(requests.length - 1)
    expect(requests[0]!.headers.get("last-event-id")).toBeNull()
    expect(new Set(requests.slice(1).map(({ headers }) => headers.get("last-event-id"))).size).toBe(requests.length - 1)
  })

  test("goes on over reorgs while it is cut off, and over a service that starts anew at the same place", async () => {
    const kept = new Map<string, bigint>()
    const changes = chainOf(cutAfter(() => 3000)).changes({ kinds, after: "beginning" })
    let isAnew = false
    for await (const change of changes) {
      if (change.type === "transfer" && change.data.standard === "erc20")
        kept.set(change.data.id, change.data.raw.amount)
      if (change.type === "retract") kept.delete(change.data.id)
      if (change.type !== "heartbeat" || change.data.block < chain.nextBlock - 1) continue
      if (isAnew) break
      isAnew = true
      const { port } = server
      await stop()
      await reorg()
      // Higher than before: a sign of life of the replaced blocks may still be on its way.
      await grow()
      await grow()
      server = await start(port)
    }
    const amounts = chain.blocks.flatMap(({ movements }) => movements.map(({ amount }) => String(amount)))
    expect([...kept.values()].map(String).toSorted()).toEqual(amounts.toSorted())
  })

  test("that tells nothing is left for another connection", async () => {
    let turns = 0
    const silent: Fetch = async (request) => {
      if (turns++ > 0) return fetch(request)
      const body = new ReadableStream({
        start: (it) => request.signal.addEventListener("abort", () => it.error("left")),
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const causes: Array<unknown> = []
    const options = { silenceMs: 600, onInterrupted: (cause: unknown) => void causes.push(cause) }
    await rowsOf(chainOf(silent).changes({ kinds }, options))
    expect(String(causes[0])).toBe("Error: nothing was told for 600 ms")
  })

  test("is waited for however long it may be silent, and no wait is cut short for being long", async () => {
    let turns = 0
    const slow: Fetch = async (request) => {
      turns++
      await Bun.sleep(50)
      request.signal.throwIfAborted()
      return fetch(request)
    }
    const causes: Array<unknown> = []
    const onInterrupted = (cause: unknown) => void causes.push(cause)
    for (const silenceMs of [Number.POSITIVE_INFINITY, 2_592_000_000])
      await rowsOf(chainOf(slow).changes({ kinds }, { silenceMs, onInterrupted }))
    expect([turns, causes]).toEqual([2, []])
    const away: Fetch = async () => {
      turns++
      return new Response("", { status: 503, headers: { "retry-after": "2592000" } })
    }
    const ended = new AbortController()
    const leave = () => void setTimeout(() => ended.abort(new Error("enough")), 100)
    const options = { giveUpMs: Number.POSITIVE_INFINITY, signal: ended.signal, onInterrupted: leave }
    expect(await problemOf(rowsOf(chainOf(away).changes({}, options)))).toBe("enough")
    expect(turns).toBe(3)
  })

  test("is left by a break and by a signal, and the service is told", async () => {
    const signals: Array<AbortSignal> = []
    const heard: Fetch = (request) => {
      signals.push(request.signal)
      return fetch(request)
    }
    for await (const _ of chainOf(heard).changes()) break
    expect(signals[0]!.aborted).toBe(true)
    const leaving = new AbortController()
    const reason = new Error("enough")
    const reading = (async () => {
      for await (const _ of chainOf(heard).changes({}, { signal: leaving.signal })) leaving.abort(reason)
    })()
    expect(await reading.catch((cause: unknown) => cause)).toBe(reason)
    expect(signals[1]!.aborted).toBe(true)
  })
})

describe("the feed of a client that never goes back", () => {
  const clientOf = (fetch: Fetch) =>
    createClient({ baseUrl: `http://127.0.0.1:${server.port}`, fetch, neverBack: true })

  test("asks for what calls have seen, and calls for what it told", async () => {
    const asked: Array<string | null> = []
    const cowry = clientOf((request) => {
      asked.push(request.headers.get("x-min-block"))
      return fetch(request)
    })
    const call = () => cowry.chain(43114).erc20({ limit: 1 }).page()
    const seen = (await call()).asOf[0]!.block
    await grow()
    let told = ""
    for await (const change of cowry.chain("all").changes({ kinds })) {
      if (change.type !== "heartbeat" || change.data.chainId !== "43114" || change.data.block === seen) continue
      told = `43114:${change.data.block}`
      break
    }
    await call()
    expect(asked).toEqual([null, `43114:${seen}`, told])
    // A row counts, whatever is told behind it.
    asked.length = 0
    const another = clientOf((request) => {
      asked.push(request.headers.get("x-min-block"))
      return fetch(request)
    }).chain(43114)
    for await (const { type, data } of another.changes({ kinds, after: "beginning" }))
      if (type === "transfer" && data.block === 2) break
    await another.erc20({ limit: 1 }).page()
    expect(asked).toEqual([null, "43114:2"])
  })

  test("waits for a server that is behind what was seen, as for one that is not there", async () => {
    const ahead = chain.nextBlock + 1
    let isAhead = true
    const cowry = clientOf(async (request) => {
      const response = await fetch(request)
      // As an instance that has come further.
      if (isAhead) response.headers.set("x-as-of-block", `43114:${ahead}`)
      isAhead = false
      return response
    })
    await cowry.chain(43114).erc20({ limit: 1 }).page()
    const causes: Array<unknown> = []
    const onInterrupted = async (cause: unknown) => {
      causes.push(cause instanceof CowryError ? [cause.status, cause.code] : cause)
      await grow()
      await grow()
    }
    for await (const { type, data } of cowry.chain(43114).changes({ kinds }, { onInterrupted })) {
      if (type !== "heartbeat") continue
      expect(data.block).toBe(ahead)
      break
    }
    expect(causes).toEqual([[503, "BEHIND_MIN_BLOCK"]])
  })

  test("asks for no block that was taken back, nor for a final one that is not indexed", async () => {
    const frames = [
      ["heartbeat", { chainId: "43114", block: 5 }],
      ["retract", { chainId: "43114", retracts: "transfer", id: "9", block: 9 }],
      ["finalized", { chainId: "43114", block: 8 }],
    ] as const
    const text = frames.map(([event, data], at) => `id: ${at}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    const asked: Array<string | null> = []
    const changes = clientOf(async (request) => {
      asked.push(request.headers.get("x-min-block"))
      return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } })
    })
      .chain(43114)
      .changes()
    let finals = 0
    for await (const { type } of changes) if (type === "finalized" && ++finals === 2) break
    expect(asked).toEqual([null, "43114:5"])
  })
})

describe("the feed ends with an error", () => {
  test("where its position is gone, by 410 and while it is told", async () => {
    let position = ""
    for await (const change of chainOf().changes({ kinds })) {
      position = change.position
      break
    }
    const replaced = await errorOf(chainOf().changes({ after: position.replace(".000000.", ".abcdef.") }))
    expect([replaced.code, replaced.status, replaced.after]).toEqual(["EVENTS_GONE", 410, undefined])
    const parts = position.split(".")
    parts[9] = "0123456789abcdef"
    const anew = await errorOf(chainOf().changes({ after: parts.join(".") }))
    expect([anew.code, anew.message.includes(`after=${anew.after}`)]).toEqual(["EVENTS_GONE", true])
    // From there it goes on.
    for await (const change of chainOf().changes({ kinds, after: anew.after! })) {
      expect(isRow(change) || change.type === "heartbeat").toBe(true)
      break
    }
    const data = JSON.stringify({ chainId: "43114", message: "rows are no longer kept", after: "43114.1" })
    const told: Fetch = async () =>
      new Response(`event: gone\ndata: ${data}\n\n`, { headers: { "content-type": "text/event-stream" } })
    const gone = await errorOf(chainOf(told).changes())
    expect([gone.code, gone.status, gone.after, gone.chainId]).toEqual(["EVENTS_GONE", 410, "43114.1", "43114"])
    const message =
      "chain 43114: it was built anew: forget what was told of blocks above 1, and go on with after=1.2~43114.1"
    const refuses: Fetch = async () => Response.json({ code: "EVENTS_GONE", message }, { status: 410 })
    const one = await errorOf(chainOf(refuses).changes())
    expect([one.after, one.chainId]).toEqual(["1.2~43114.1", "43114"])
  })

  test("where it is refused: a parameter, a page of somebody else", async () => {
    const refused = await errorOf(chainOf().changes({ address: ["0x1"] }))
    expect([refused.code, refused.parameter]).toEqual(["INVALID_PARAMETER", "address"])
    const empty = await errorOf(chainOf().changes({ tokenAddress: [] }))
    expect([empty.code, empty.parameter]).toEqual(["INVALID_PARAMETER", "tokenAddress"])
    const page: Fetch = async () => new Response("<h1>hello</h1>", { headers: { "content-type": "text/html" } })
    expect((await errorOf(chainOf(page).changes())).code).toBe("UNEXPECTED_ANSWER")
  })

  test("where nobody was there for too long, not where a service comes up", async () => {
    const nobody = createClient({ baseUrl: "http://127.0.0.1:9" }).chain(1)
    expect((await errorOf(nobody.changes({}, { giveUpMs: 100 }))).code).toBe("UNREACHABLE")
    let turns = 0
    const starting: Fetch = async (request) =>
      turns++ > 0 ? fetch(request) : new Response("<h1>Bad gateway</h1>", { status: 502 })
    for await (const _ of chainOf(starting).changes()) break
    expect(turns).toBe(2)
  })

  test("not where the process was paused, or its clock was set: then it tries again first", async () => {
    using clocks = leapingClocks()
    const told = `event: heartbeat\nid: 1.1\ndata: {"chainId":"1","block":1}\n\n`
    const headers = { "content-type": "text/event-stream" }
    let cut = () => {}
    let turns = 0
    const paused: Fetch = async () => {
      turns++
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(told))
          cut = () => controller.error(new Error("cut"))
        },
      })
      return new Response(body, { headers })
    }
    for await (const _ of chainOf(paused).changes()) {
      if (turns === 2) break
      // Once the feed waits for what comes next.
      setTimeout(() => {
        clocks.leap(3_600_000)
        cut()
      }, 0)
    }
    expect(turns).toBe(2)
  })

  test("where all tries of so long failed, counted from the first of them", async () => {
    using clocks = leapingClocks()
    let turns = 0
    const failing: Fetch = async () => {
      turns++
      clocks.leap(400_000)
      return new Response("<h1>Bad gateway</h1>", { status: 502 })
    }
    const error = await errorOf(chainOf(failing).changes({}, { giveUpMs: 600_000 }))
    expect([error.code, error.status, turns]).toEqual(["UNREACHABLE", 502, 3])
  })

  test("where the service itself refuses for so long: its own word is the cause", async () => {
    const refusal = { statusCode: 503, code: "CHAIN_SYNCING", error: "Service Unavailable", message: "half is done" }
    const syncing: Fetch = async () => Response.json(refusal, { status: 503, headers: { "retry-after": "2" } })
    const error = await errorOf(chainOf(syncing).changes({}, { giveUpMs: 100 }))
    expect(error).toMatchObject({ code: "UNREACHABLE", status: 503, retryAfterSeconds: 2 })
    expect(error.message).toContain("half is done")
    expect(error.cause).toMatchObject({ code: "CHAIN_SYNCING", message: "half is done" })
  })
})

/** Clocks of the process that leap when they are told to. */
const leapingClocks = () => {
  let ahead = 0
  const [date, steady] = [Date.now.bind(Date), performance.now.bind(performance)]
  const spies = [
    spyOn(Date, "now").mockImplementation(() => date() + ahead),
    spyOn(performance, "now").mockImplementation(() => steady() + ahead),
  ]
  return {
    leap: (ms: number) => {
      ahead += ms
    },
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

test("frames are read the same however the bytes are cut, by the rules of the standard", async () => {
  const text =
    '\uFEFFretry: 1000\r\n\r\n: hello\n\nid: 1\nevent: transfer\ndata: {"name":"Gläser 🥂"}\n\nid: 2\ndata:a\ndata: b\n\nevent: lost\n\nid: x\0y\ndata\n\nid: 3\ndata: cut'
  const wanted = [
    { event: "transfer", data: '{"name":"Gläser 🥂"}', id: "1" },
    { event: "message", data: "a\nb", id: "2" },
    { event: "message", data: "", id: "2" },
  ]
  const bytes = new TextEncoder().encode(text)
  const places = fc.array(fc.nat(bytes.length), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(places, async (cuts) => {
      const ends = [...cuts.toSorted((a, b) => a - b), bytes.length]
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const [index, end] of ends.entries()) controller.enqueue(bytes.slice(ends[index - 1] ?? 0, end))
          controller.close()
        },
      })
      const read = frameReader()
      const frames = []
      for await (const line of linesOf(body)) {
        const frame = read(line)
        if (frame !== undefined) frames.push(frame)
      }
      expect(frames).toEqual(wanted)
    }),
    { numRuns: 60 },
  )
})
