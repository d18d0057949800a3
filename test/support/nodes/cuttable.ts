/** Stands between a client and a server and ends their connections, as a network does. */

import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Cuttable {
  readonly port: number
  /** Ends every connection; new ones are refused until `mend`. */
  readonly cut: () => void
  /** Of the connections there are now nothing comes through any more, not even their end; new ones are as ever. */
  readonly hush: () => void
  readonly mend: () => void
  /** What clients say over connections that open from now on comes so much later. */
  readonly delay: (milliseconds: number) => void
  /** New connections lead there; those there are stay as they are. */
  readonly lead: (host: string, port: number) => void
  readonly stop: () => Promise<void>
}

export const startCuttable = async (host: string, port: number): Promise<Cuttable> => {
  const open = new Set<Socket>()
  const hushed = new WeakSet<Socket>()
  let isCut = false
  let delayMs = 0
  let target = { host, port }
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(target)
    const lateMs = delayMs
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on("data", (data) => {
        if (hushed.has(one)) return
        if (one === client && lateMs > 0) setTimeout(() => other.write(data), lateMs)
        else other.write(data)
      })
      one.on("error", () => {})
      one.on("close", () => {
        open.delete(one)
        if (!hushed.has(one)) other.destroy()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    hush: () => {
      for (const socket of open) hushed.add(socket)
    },
    mend: () => {
      isCut = false
    },
    delay: (milliseconds) => {
      delayMs = milliseconds
    },
    lead: (host, port) => {
      target = { host, port }
    },
    stop: async () => {
      cut()
      server.close()
      await once(server, "close")
    },
  }
}
