/** Many subscribers of one stream of events from one process: bare connections, as `fetch` opens no more than 256 at once. */
import type { Socket } from "bun"

export interface Subscribers {
  readonly close: () => void
  /** Connections that the service ended. */
  readonly ended: () => number
}

export interface Wish {
  readonly origin: URL
  readonly count: number
  readonly path: (place: number) => string
  /** Called with each block's number when the last byte of its rows has come, as far as the next block tells. */
  readonly heard: (block: number, at: number) => void
}

interface Reader {
  rest: string
  block: number
  at: number
  isOpen: boolean
  answered: (status: string) => void
}

/** Connections that are opened at once. */
const width = 50

/** Resolves when all were answered; throws where one was refused. */
export const openSubscribers = async ({ origin, count, path, heard }: Wish): Promise<Subscribers> => {
  const sockets: Array<Socket<Reader>> = []
  let over = false
  let ended = 0
  const read = (reader: Reader, text: string): void => {
    if (!reader.isOpen) {
      reader.isOpen = true
      reader.answered(text.slice(0, text.indexOf("\r\n")))
    }
    const at = performance.now()
    // A piece may end within a row: what it could end in is read again with the next.
    const whole = reader.rest + text
    for (const [, found] of whole.matchAll(/"block":(\d+),"hash"/g)) {
      const block = Number(found)
      if (block > reader.block && reader.block >= 0) heard(reader.block, reader.at)
      if (block >= reader.block) [reader.block, reader.at] = [block, at]
    }
    reader.rest = whole.slice(-32)
  }
  const open = async (place: number): Promise<void> => {
    const answer = Promise.withResolvers<string>()
    const data: Reader = { rest: "", block: -1, at: 0, isOpen: false, answered: answer.resolve }
    const socket = await Bun.connect<Reader>({
      hostname: origin.hostname,
      port: Number(origin.port),
      data,
      socket: {
        open: (it) => void it.write(`GET ${path(place)} HTTP/1.1\r\nhost: ${origin.host}\r\n\r\n`),
        data: (it, bytes) => read(it.data, bytes.toString("latin1")),
        close: (it) => {
          answer.reject(new Error("closed before it answered"))
          if (!over && it.data.isOpen) ended++
        },
      },
    })
    sockets.push(socket)
    const status = await answer.promise
    if (!status.includes(" 200 ")) throw new Error(status)
  }
  /** A service that has much to do may break a connection off before it answers: clients of events come back. */
  const insist = async (place: number, tries = 5): Promise<void> => {
    try {
      await open(place)
    } catch (cause) {
      if (tries === 1) throw cause
      await Bun.sleep(200)
      await insist(place, tries - 1)
    }
  }
  for (let place = 0; place < count; place += width)
    await Promise.all(Array.from({ length: Math.min(width, count - place) }, (_, more) => insist(place + more)))
  return {
    close: () => {
      over = true
      for (const socket of sockets) socket.end()
    },
    ended: () => ended,
  }
}
