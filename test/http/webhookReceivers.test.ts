/** What receivers of webhooks do to whoever sends to them: none holds it, fills it, or leads it elsewhere. */
import { afterAll, describe, expect, test } from "bun:test"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect } from "effect"
import { isClosed } from "../../src/adapters/webhooks/addresses.ts"
import * as HttpWebhooks from "../../src/adapters/webhooks/HttpWebhooks.ts"
import { WebhookSender } from "../../src/ports/WebhookSender.ts"

const timeoutMs = 1500
const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Answers as it likes what was sent whole; gives its port, and the bytes it got rid of. */
const receiver = async (answer: (socket: Socket) => void) => {
  let written = 0
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("close", () => {
      written += socket.bytesWritten
    })
    socket.once("data", () => answer(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { port: (server.address() as AddressInfo).port, written: () => written }
}
/** Again and again for as long as somebody takes it. */
const endless = (socket: Socket, head: string, piece: string) => {
  const bytes = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  const pump = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on("drain", pump)
  socket.write(head)
  pump()
}

const sendTo = (url: string, more: Partial<HttpWebhooks.WebhookBounds> = {}) =>
  Effect.runPromise(
    WebhookSender.use((sender) =>
      Effect.match(sender.send({ url, secret: sender.newSecret(), id: "msg_1", body: "{}" }), {
        onSuccess: () => "taken",
        onFailure: ({ message }) => message,
      }),
    ).pipe(Effect.provide(HttpWebhooks.layer({ allowPrivate: true, timeoutMs, ...more }))),
  )

test("a URL that begins with a line break is reached by its own scheme", async () => {
  let first: number | undefined
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (data: Buffer) => {
      first = data[0]
      socket.destroy()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  await sendTo(`\n https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  // A TLS handshake.
  expect(first).toBe(22)
})

describe("a receiver", () => {
  test.each<[string, (socket: Socket) => void, string]>([
    [
      "answers with a gigabyte",
      (it) => endless(it, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", "x"),
      "taken",
    ],
    [
      "answers with chunks without end",
      (it) => endless(it, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
      "taken",
    ],
    [
      "refuses with a gigabyte",
      (it) => endless(it, "HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n\r\n", "x"),
      "it answers with HTTP 500",
    ],
    ["sends a header without end", (it) => endless(it, "HTTP/1.1 200 OK\r\nx-long: ", "x"), "it cannot be reached"],
    ["sends headers without end", (it) => endless(it, "HTTP/1.1 200 OK\r\n", "x-a: b\r\n"), "it cannot be reached"],
    [
      "says to go on without end",
      (it) => endless(it, "", "HTTP/1.1 100 Continue\r\n\r\n"),
      "it says HTTP 100 again and again, and does not answer",
    ],
    [
      "hints without end",
      (it) => endless(it, "", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
      "it says HTTP 103 again and again, and does not answer",
    ],
    ["speaks another protocol", (it) => endless(it, "", "220 smtp.example ESMTP\r\n"), "it cannot be reached"],
    [
      "would speak another protocol",
      (it) => endless(it, "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "x"),
      "it answers with HTTP 101",
    ],
    ["closes at once", (it) => it.resetAndDestroy(), "it cannot be reached"],
  ])("that %s is done with, and little of it is read", async (_, answer, said) => {
    const { port, written } = await receiver(answer)
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toStartWith(said)
    // What the system's buffers take, and not what it would send.
    await Bun.sleep(20)
    expect(written()).toBeLessThan(64 * 1024 * 1024)
  })

  test("that sends a byte now and then has the time that all have", async () => {
    const { port } = await receiver((socket) => {
      const timer = setInterval(() => socket.write("H"), 100)
      socket.on("close", () => clearInterval(timer))
      socket.write("HTTP/1.1 200 OK\r\nx: ")
    })
    expect(await sendTo(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })).toBe("it gives no answer within 0.3 s")
  })
})

describe("an address", () => {
  test("that was checked is the one that is connected to, whatever the name leads to a moment later", async () => {
    let host = ""
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ headers }) => {
        host = headers.get("host")!
        return new Response("")
      },
    })
    const answers = ["127.0.0.1", "169.254.169.254"]
    let asked = 0
    const resolve = async () => [{ address: answers[asked++]!, family: 4 }]
    expect(await sendTo(`http://rebound.example:${server.port}/`, { resolve })).toBe("taken")
    expect([asked, host]).toEqual([1, `rebound.example:${server.port}`])
    await server.stop(true)
  })

  test.each([
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::7f00:1",
    "2001::7f00:1",
    "2002:a00:1::",
    "100::1",
    "fec0::1",
    "ff02::1",
    "fe80::1",
  ])("%s is none of the open net", (address) => {
    expect(isClosed(address)).toBe(true)
  })

  test("an address of version 4 that a network of version 6 alone translates is what it is itself", () => {
    const closed = ["a00:1", "10.0.0.1", "a9fe:a9fe", ":", "1", "7f00:1"].map((last) =>
      isClosed(`64:ff9b::${last}`.replace(":::", "::")),
    )
    expect(closed).toEqual(closed.map(() => true))
    expect(["808:808", "8.8.8.8", "101:101"].map((last) => isClosed(`64:ff9b::${last}`))).toEqual([false, false, false])
    expect(isClosed("64:ff9b:1::808:808")).toBe(true)
  })

  test.each([
    ["http://example.com:0/", "nothing can listen on port 0"],
    ["https://ann@example.com/", "it holds a password"],
    ["https://:word@example.com/", "it holds a password"],
    ["http://①②⑦.0.0.1/", "it leads to a private or local address"],
    ["http://%31%32%37.0.0.1/", "it leads to a private or local address"],
    ["http://127.0.0.1./", "it leads to a private or local address"],
    ["http://0177.0.0.1/", "it leads to a private or local address"],
    ["http://0/", "it leads to a private or local address"],
    ["http://[64:ff9b::7f00:1]/", "it leads to a private or local address"],
  ])("%s is refused as it stands", async (url, said) => {
    const refusal = await Effect.runPromise(
      WebhookSender.use((sender) => Effect.sync(() => sender.refusal(url))).pipe(
        Effect.provide(HttpWebhooks.layer({ allowPrivate: false })),
      ),
    )
    expect(refusal).toStartWith(said)
  })
})
