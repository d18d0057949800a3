/** Webhooks: managed over HTTP, signed so that the `standardwebhooks` package believes them, told all in order whatever receivers do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createServer as createTcpServer } from "node:net"
import { Effect, Fiber } from "effect"
import { Webhook as Verifier } from "standardwebhooks"
import { isClosed } from "../../src/adapters/webhooks/addresses.ts"
import * as HttpWebhooks from "../../src/adapters/webhooks/HttpWebhooks.ts"
import { keepWebhooks } from "../../src/domain/events/keepWebhooks.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { WebhookSender } from "../../src/ports/WebhookSender.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type Json, sha256, startService, syncStatus, type TestService } from "./support.ts"

const key = "the-manager"
const zero = address(0)
const gold = address(0x70)
const ann = address(0xa1)
const bob = address(0xb2)

interface Body {
  readonly chainId: string
  readonly sequence: number
  readonly events: ReadonlyArray<{ readonly type: string; readonly id: string; readonly amount?: string }>
  readonly after: string
}
interface Received {
  readonly id: string
  readonly body: Body
}

let service: TestService
let writer: LedgerWriter
let keeping: Fiber.Fiber<unknown, unknown>
const chain = new TestChain()
let salts = 0
/** What the receiver answers next; the last one again and again. */
let answers: Array<() => Response | Promise<Response>> = []
let received: Array<Received> = []
let secret = ""
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const text = await request.text()
    // Throws where the signature is not right.
    const body = new Verifier(secret).verify(text, Object.fromEntries(request.headers)) as Body
    received.push({ id: request.headers.get("webhook-id")!, body })
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    return answer()
  },
})
const fine = () => new Response("thanks")

const quick = { waits: { firstMs: 10, capMs: 40 }, giveUpMs: 4000, idleMs: 100 }
beforeAll(async () => {
  // Of the other chains nothing is stored.
  const status = ["1", "10", "43113"].map((chainId) => syncStatus(chainId, { phase: "copying", headBlock: 7 }))
  service = await startService({ managersSha256: [sha256(key)], allowPrivate: true, status })
  writer = await service.open("43114")
  await grow([transfer(gold, zero, ann, 1000n)])
  keeping = Effect.runFork(Effect.promise(() => service.run(keepWebhooks(quick, 20)).catch(() => {})))
})
afterAll(async () => {
  await Effect.runPromise(Fiber.interrupt(keeping))
  receiver.stop(true)
  await service.close()
})

const grow = async (events: Parameters<TestChain["block"]>[0], salt = `${salts++}`) => {
  chain.block(events, { salt })
  const from = chain.nextBlock - 1
  await service.run(writer.append(chain.segment(from, undefined, { finalizedBlock: from - 3 })))
}
const ask = async (method: string, path: string, body?: unknown, withKey: string | undefined = key) => {
  const response = await service.fetch(`/v2/webhooks${path}`, {
    method,
    headers: { ...(withKey === undefined ? {} : { apikey: withKey }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}
const until = async (holds: () => boolean | Promise<boolean>) => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(10)) if (await holds()) return
  throw new Error(`it did not come: ${JSON.stringify(received).slice(0, 2000)}`)
}
const makeHook = async (fields: Record<string, unknown> = {}) => {
  received = []
  answers = [fine]
  const { status, body } = await ask("POST", "", { url: receiver.url.href, ...fields })
  expect(status).toBe(201)
  secret = body.secret
  return body.id as string
}
const events = () => received.flatMap(({ body }) => body.events)

describe("a receiver", () => {
  test("is told what comes and what goes, in batches without a gap", async () => {
    const id = await makeHook({ filter: { tokenAddress: gold, kinds: ["transfer"] } })
    await grow([transfer(gold, ann, bob, 5n), transfer(gold, bob, ann, 2n)])
    await until(() => events().length === 2)
    chain.truncate(chain.nextBlock - 1)
    await service.run(writer.rollback(chain.nextBlock))
    await grow([transfer(gold, ann, bob, 6n)])
    await until(() => events().length === 5)
    expect(events().map(({ type, amount }) => [type, amount])).toEqual([
      ["transfer", "5"],
      ["transfer", "2"],
      ["retract", "2"],
      ["retract", "5"],
      ["transfer", "6"],
    ])
    expect(events()[2]!.id).toBe(events()[1]!.id)
    // That its row is final is told once, and no more after that.
    for (let more = 0; more < 6; more++) await grow([])
    await until(() => events().some(({ type }) => type === "finalized"))
    await Bun.sleep(100)
    expect(events().filter(({ type }) => type === "finalized").length).toBeLessThanOrEqual(2)
    const sequences = received.map(({ body }) => body.sequence)
    expect(sequences).toEqual(sequences.map((_, place) => place + 1))
    const { body } = await ask("GET", `/${id}`)
    expect([body.state, body.sequence]).toEqual(["active", sequences.length])
    await ask("DELETE", `/${id}`)
  })

  test("that fails is sent the same batch again until it takes it, then goes on", async () => {
    const id = await makeHook({ filter: { kinds: ["transfer"] } })
    answers = [
      () => new Response("no", { status: 500 }),
      () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest" } }),
      fine,
    ]
    await grow([transfer(gold, ann, bob, 7n)])
    await until(() => received.length === 3)
    await grow([transfer(gold, ann, bob, 8n)])
    await until(() => received.length === 4)
    const [first, second, third, fourth] = received
    expect([second!.id, third!.id]).toEqual([first!.id, first!.id])
    expect(third!.body).toEqual(first!.body)
    expect([third!.body.sequence, fourth!.body.sequence]).toEqual([1, 2])
    await ask("DELETE", `/${id}`)
  })

  test("that passes over an id of a batch that it had ends with the branch that came back; a replay of the same has its id", async () => {
    const id = await makeHook({ filter: { kinds: ["transfer"] } })
    const next = async (change: () => Promise<unknown>) => {
      const { length } = received
      await change()
      await until(() => received.length > length)
      return received.at(-1)!
    }
    const branch = (salt: string) => next(() => grow([transfer(gold, ann, bob, 3n)], salt))
    const takeBack = () =>
      next(() => {
        chain.truncate(chain.nextBlock - 1)
        return service.run(writer.rollback(chain.nextBlock))
      })
    const told = [await branch("one"), await takeBack(), await branch("other"), await takeBack(), await branch("one")]
    const kept = new Set<string>()
    const seen = new Set<string>()
    for (const { id: message, body } of told) {
      if (seen.has(message)) continue
      seen.add(message)
      for (const event of body.events) event.type === "retract" ? kept.delete(event.id) : kept.add(event.id)
    }
    expect([...kept]).toEqual([told[0]!.body.events[0]!.id])
    expect(told[4]!.body.events).toEqual(told[0]!.body.events)
    // What is not written down as taken would be given up by the replay.
    await until(async () => (await ask("GET", `/${id}`)).body.sequence === 5)
    const replayed = await next(() => ask("POST", `/${id}/replay?after=${told[3]!.body.after}`))
    expect([replayed.id, replayed.body.sequence]).toEqual([told[4]!.id, 6])
    await ask("DELETE", `/${id}`)
  })

  test("that fails for too long is paused and says so; a replay wakes it, from anywhere", async () => {
    const id = await makeHook({ filter: { kinds: ["transfer"] }, after: "beginning" })
    await until(() => received.length > 0)
    const [begun] = received
    answers = [() => new Response("no", { status: 503 })]
    await grow([transfer(gold, ann, bob, 9n)])
    let hook: Json
    await until(async () => {
      hook = (await ask("GET", `/${id}`)).body
      return hook.state === "paused"
    })
    expect(hook.problem).toContain("it answers with HTTP 503")
    answers = [fine]
    const failed = received.at(-1)!
    received = []
    const { status } = await ask("POST", `/${id}/replay?after=beginning`)
    expect(status).toBe(200)
    await until(() => events().some(({ amount }) => amount === "9"))
    expect(events()[0]!.id).toBe(begun!.body.events[0]!.id)
    expect(received[0]!.body.sequence).toBe(begun!.body.sequence + 1)
    // The batch that was given up: who took it all the same knows another by its id.
    expect([failed.body.sequence, failed.id === received[0]!.id]).toEqual([received[0]!.body.sequence, false])
    expect(new Set(events().map((it) => it.id)).size).toBe(events().length)
    await ask("DELETE", `/${id}`)
  })

  test("that hangs or breaks off harms nobody else", async () => {
    const broken = createTcpServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"))
      socket.on("error", () => {})
    }).listen(0, "127.0.0.1")
    const silent = createTcpServer((socket) => void socket.on("error", () => {})).listen(0, "127.0.0.1")
    await Bun.sleep(20)
    const portOf = (server: typeof broken) => (server.address() as { port: number }).port
    const hooks = await Promise.all(
      [broken, silent].map(
        async (server) => (await ask("POST", "", { url: `http://127.0.0.1:${portOf(server)}/` })).body.id,
      ),
    )
    const id = await makeHook()
    await grow([transfer(gold, ann, bob, 11n)])
    await until(() => events().some(({ amount }) => amount === "11"))
    // The status was there: the rest of the answer says nothing.
    await until(async () => (await ask("GET", `/${hooks[0]}`)).body.sequence > 0)
    for (const each of [...hooks, id]) await ask("DELETE", `/${each}`)
    broken.close()
    silent.close()
  })
})

describe("managing", () => {
  test("needs a key that may", async () => {
    expect((await ask("GET", "", undefined, "")).status).toBe(401)
    expect((await ask("POST", "", { url: "https://example.com/" }, "another")).status).toBe(401)
    const pre = await service.fetch("/v2/webhooks", { method: "OPTIONS" })
    expect(pre.headers.get("access-control-allow-methods")).toBe("GET, POST, OPTIONS")
    const wrong = await ask("DELETE", "")
    expect(wrong.status).toBe(405)
  })

  test.each<[string, unknown, string]>([
    ["no URL", { url: "nowhere" }, "url: expected a URL that webhooks may lead to, got it is no URL"],
    [
      "another protocol",
      { url: "ftp://example.com" },
      "url: expected a URL that webhooks may lead to, got it does not begin with https:// or http://",
    ],
    [
      "a short secret",
      { url: "https://example.com", secret: "whsec_AAAA" },
      "secret: expected whsec_ and the base64 of 24 to 64 bytes, got another text",
    ],
    [
      "an unknown field",
      { url: "https://example.com", filters: {} },
      "body: expected fields of url, filter, delivery, secret, after, chainIds, got filters",
    ],
    [
      "an unknown chain",
      { url: "https://example.com", chainIds: ["7"] },
      "chainIds: expected ids of chains of 1, 10, 43113, 43114, got 7",
    ],
    [
      "a chain that no text can be made of",
      { url: "https://example.com", chainIds: [{ toString: 1, valueOf: 1 }] },
      'chainIds: expected ids of chains of 1, 10, 43113, 43114, got {"toString":1,"valueOf":1}',
    ],
    [
      "null for a chain",
      { url: "https://example.com", chainIds: null },
      "chainIds: expected ids of chains of 1, 10, 43113, 43114, got null",
    ],
    [
      "no chain",
      { url: "https://example.com", chainIds: [] },
      "chainIds: expected ids of chains of 1, 10, 43113, 43114, got []",
    ],
    ["no object", [], "body: expected a JSON object with url, filter, delivery, secret, after, chainIds, got []"],
    [
      "a filter's value",
      { url: "https://example.com", filter: { kinds: ["mint"] } },
      "kinds: expected transfer, swap, token, got mint",
    ],
    [
      "a filter's unknown field",
      { url: "https://example.com", filter: { delivery: "finalized" } },
      "filter: expected fields of kinds, standard, tokenAddress, address, from, to, got delivery",
    ],
    [
      "a position",
      { url: "https://example.com", after: "x" },
      "after: expected the id of an event of these chains, or beginning, got x",
    ],
  ])("%s is refused", async (_, body, message) => {
    const answer = await ask("POST", "", body)
    expect([answer.status, answer.body.message]).toEqual([400, message])
  })

  test.each(["kinds", "standard", "tokenAddress", "address", "from", "to"])(
    "an empty list of %s is refused, where it is made and where it is changed: it would let all through",
    async (name) => {
      const [url, filter] = ["https://example.com/", { [name]: [] }]
      const refused = [400, "INVALID_PARAMETER", `${name}: expected one value or more, or no ${name} at all, got []`]
      const of = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.code, body.message]
      expect(of(await ask("POST", "", { url, filter }))).toEqual(refused)
      const { body } = await ask("POST", "", { url, filter: { address: [ann] } })
      expect(of(await ask("PATCH", `/${body.id}`, { filter }))).toEqual(refused)
      expect((await ask("DELETE", `/${body.id}`)).body.filter).toEqual({ address: [ann] })
      expect((await ask("GET", "")).body.items).toEqual([])
    },
  )

  test("a filter that would keep a retraction back is refused until the row is final; a wider one is taken", async () => {
    const id = await makeHook({ filter: { address: [ann] } })
    await grow([transfer(gold, bob, ann, 21n)])
    await until(async () => (await ask("GET", `/${id}`)).body.sequence === 1)
    const change = async (filter: object) => {
      const { status, body } = await ask("PATCH", `/${id}`, { filter })
      return [status, status === 200 ? body.filter : body.message.slice(0, 61)]
    }
    const narrower = { address: [bob] }
    const refused = [400, "filter: expected a filter that lets all through that this one"]
    expect(await change(narrower)).toEqual(refused)
    expect(await change({ address: [ann], kinds: ["transfer"] })).toEqual(refused)
    const wider = { address: [ann, bob] }
    expect(await change(wider)).toEqual([200, wider])
    chain.truncate(chain.nextBlock - 1)
    await service.run(writer.rollback(chain.nextBlock))
    await until(() => events().length === 2)
    expect(events().map(({ type, amount }) => [type, amount])).toEqual([
      ["transfer", "21"],
      ["retract", "21"],
    ])
    for (let more = 0; more < 6; more++) await grow([])
    await until(() => events().some(({ type }) => type === "finalized"))
    await until(async () => (await change(narrower))[0] === 200)
    await ask("DELETE", `/${id}`)
  })

  test("a secret is shown once", async () => {
    const { body } = await ask("POST", "", { url: "https://example.com/", filter: { address: [ann] } })
    expect(body.secret).toMatch(/^whsec_.{44}$/)
    const shown = (await ask("GET", `/${body.id}`)).body
    expect([shown.secret, shown.filter]).toEqual([undefined, { address: [ann] }])
    expect((await ask("PATCH", `/${body.id}`, { state: "paused" })).body.state).toBe("paused")
    expect((await ask("GET", "")).body.items).toHaveLength(1)
    expect((await ask("DELETE", `/${body.id}`)).status).toBe(200)
    expect((await ask("GET", `/${body.id}`)).status).toBe(404)
  })
})

describe("addresses that are not of the open net", () => {
  test.each([
    ["127.0.0.1", true],
    ["10.1.2.3", true],
    ["172.31.0.1", true],
    ["192.168.1.1", true],
    ["169.254.169.254", true],
    ["168.63.129.16", true],
    ["::ffff:a83f:8110", true],
    ["168.63.129.17", false],
    ["100.64.0.1", true],
    ["0.0.0.0", true],
    ["255.255.255.255", true],
    ["8.8.8.8", false],
    ["172.32.0.1", false],
    ["::1", true],
    ["::", true],
    ["fe80::1%eth0", true],
    ["fd00:ec2::254", true],
    ["::ffff:127.0.0.1", true],
    ["::ffff:7f00:1", true],
    ["64:ff9b::7f00:1", true],
    ["2002:7f00:1::", true],
    ["2606:4700:4700::1111", false],
    ["localhost", true],
  ])("%s: %p", (host, closed) => {
    expect(isClosed(host)).toBe(closed)
  })

  const sendTo = (url: string, found: ReadonlyArray<string>) =>
    Effect.runPromise(
      WebhookSender.use((sender) =>
        Effect.flip(
          Effect.suspend(() => {
            const refusal = sender.refusal(url)
            return refusal === undefined
              ? sender.send({ url, secret: sender.newSecret(), id: "msg_1", body: "{}" })
              : Effect.fail({ message: refusal })
          }),
        ),
      ).pipe(
        Effect.provide(
          HttpWebhooks.layer({
            allowPrivate: false,
            timeoutMs: 500,
            resolve: async () => found.map((it) => ({ address: it, family: it.includes(":") ? 6 : 4 })),
          }),
        ),
      ),
    )

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest",
  ])("%s is refused as it stands", async (url) => {
    expect((await sendTo(url, [])).message).toContain("private or local address")
  })

  test("a name that leads there is refused when it is resolved, also where it leads elsewhere too", async () => {
    expect((await sendTo("http://metadata.example/", ["169.254.169.254"])).message).toContain("private or local")
    expect((await sendTo("http://rebound.example/", ["8.8.8.8", "127.0.0.1"])).message).toContain("private or local")
    expect((await sendTo("http://nothing.example/", [])).message).toBe("its name has no address")
  })
})
