/** A pooler in transaction mode, as small as can be: clients sign in to server connections of their own, then get whichever is idle for each transaction. */
import { connect, createServer, type Socket } from "node:net"

export interface Pooler {
  readonly port: number
  readonly close: () => Promise<void>
}

interface Backend {
  readonly socket: Socket
  client: Client | undefined
  rest: Buffer
}

interface Client {
  readonly socket: Socket
  /** Its own backend until the first ReadyForQuery. */
  signingIn: Backend | undefined
  readonly waiting: Array<Buffer>
}

/** `lifo`: the connection idle for the shortest time is lent next, as PgBouncer does by default; else the longest. At most `size` are kept. */
export const startTransactionPooler = async (serverPort: number, lifo: boolean, size = 100): Promise<Pooler> => {
  const idle: Array<Backend> = []
  const queue: Array<Client> = []
  const sockets = new Set<Socket>()

  const lend = (): void => {
    while (queue.length > 0 && idle.length > 0) {
      const client = queue.shift()!
      const backend = lifo ? idle.pop()! : idle.shift()!
      backend.client = client
      for (const data of client.waiting.splice(0)) backend.socket.write(data)
    }
  }
  const backendOf = (client: Client): Backend | undefined => client.signingIn ?? busy.find((it) => it.client === client)
  const busy: Array<Backend> = []

  const server = createServer((socket) => {
    sockets.add(socket)
    const backend: Backend = { socket: connect(serverPort, "127.0.0.1"), client: undefined, rest: Buffer.alloc(0) }
    const client: Client = { socket, signingIn: backend, waiting: [] }
    backend.client = client
    busy.push(backend)
    sockets.add(backend.socket)
    socket.on("error", () => {})
    backend.socket.on("error", () => {})
    socket.on("data", (sent) => {
      const data = sent as Buffer
      if (data[0] === 88 && client.signingIn === undefined) return
      const own = backendOf(client)
      if (own !== undefined) return void own.socket.write(data)
      client.waiting.push(data)
      queue.push(client)
      lend()
    })
    backend.socket.on("data", (sent) => {
      const data = sent as Buffer
      const receiver = backend.client
      receiver?.socket.write(data)
      if (!endsIdle(backend, data)) return
      if (receiver !== undefined) receiver.signingIn = undefined
      backend.client = undefined
      if (idle.length + busy.filter((it) => it.client !== undefined).length < size) idle.push(backend)
      lend()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whether the server's messages end with ReadyForQuery outside of a transaction. */
const endsIdle = (backend: Backend, data: Buffer): boolean => {
  let rest = Buffer.concat([backend.rest, data])
  let ends = false
  while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
    const length = rest.readUInt32BE(1) + 1
    ends = rest[0] === 90 && rest[5] === 73
    rest = rest.subarray(length)
  }
  backend.rest = rest
  return ends
}
