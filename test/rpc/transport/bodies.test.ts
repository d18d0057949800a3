/** Answers that are too large to be read: refused before they fill the memory. */
import { afterEach, expect, test } from "bun:test"
import { createServer, type Server } from "node:net"
import { makeClient } from "../../../src/adapters/rpc/transport/client.ts"
import { call, failureOf } from "../node.ts"

let server: Server | undefined
afterEach(() => server?.close())

/** The url of a server that answers each request with these bytes, the last again and again. */
const serverOf = (parts: ReadonlyArray<Buffer>): Promise<string> =>
  new Promise((resolve) => {
    server = createServer((socket) => {
      let sent = 0
      const send = (): void => {
        while (!socket.destroyed && socket.write(parts[Math.min(sent++, parts.length - 1)]!)) {}
      }
      socket.on("error", () => {})
      socket.once("data", send)
      socket.on("drain", send)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server!.address()
      resolve(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`)
    })
  })

const clientOf = async (parts: ReadonlyArray<Buffer>) =>
  makeClient([await serverOf(parts)], { concurrency: 1, attempts: 1, timeoutMs: 20_000 })

const refused = "response too large: over 128 MB"

test("one that announces its length is not read at all", async () => {
  const client = await clientOf([
    Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n"),
    Buffer.alloc(65_536, " "),
  ])
  expect((await failureOf(client.batch([call(1)]))).message).toEndWith(refused)
  expect(client.refusals?.().call).toBe(1)
})

test("one without an end is read up to the limit", async () => {
  const megabyte = Buffer.alloc(1 << 20, " ")
  const chunk = Buffer.concat([Buffer.from("100000\r\n"), megabyte, Buffer.from("\r\n")])
  const client = await clientOf([Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"), chunk])
  expect((await failureOf(client.batch([call(1)]))).message).toEndWith(refused)
})
