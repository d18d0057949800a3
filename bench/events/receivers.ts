/** A process of its own that holds many streams of events and notes when the last byte of each block's rows came. Bare connections: `fetch` opens no more than 256 at once. */
import type { Socket } from "bun"
import type { Asked, Told } from "./receiverWords.ts"

interface Reader {
  rest: Buffer
  block: number
  at: number
  isOpen: boolean
  answered: (status: string) => void
}

/** Connections that are opened at once. */
const width = 50
/** Only rows say it: signs of life and what is final name blocks too, at other times. */
const word = Buffer.from('"standard":"')
/** In which a block's number and what comes before and after it may be cut. */
const restBytes = 64
const none = Buffer.alloc(0)

const sockets: Array<Socket<Reader>> = []
let heard: Array<readonly [block: number, at: number]> = []
let bytesRead = 0
let over = false
let ended = 0

const tell = (told: Told): void => void process.send!(told)

/** Milliseconds since 1970, finer than one. */
const now = (): number => performance.timeOrigin + performance.now()

const numberAt = (text: Buffer, place: number): number | undefined => {
  const found = /^\w+","block":(\d+),"hash"/u.exec(text.toString("latin1", place + word.length, place + restBytes))
  return found === null ? undefined : Number(found[1])
}

const hear = (reader: Reader, block: number, at: number): void => {
  if (block > reader.block && reader.block >= 0) heard.push([reader.block, reader.at])
  if (block >= reader.block) [reader.block, reader.at] = [block, at]
}

const read = (reader: Reader, bytes: Buffer): void => {
  const at = now()
  bytesRead += bytes.length
  if (!reader.isOpen) {
    reader.isOpen = true
    reader.answered(bytes.toString("latin1", 0, bytes.indexOf("\r\n")))
  }
  // A piece may end within a number: what it could end in is read again with the beginning of the next.
  if (reader.rest.length > 0) search(reader, Buffer.concat([reader.rest, bytes.subarray(0, restBytes)]), at)
  search(reader, bytes, at)
  const ends = bytes.length < restBytes ? Buffer.concat([reader.rest, bytes]) : bytes
  reader.rest = Buffer.from(ends.subarray(Math.max(0, ends.length - restBytes)))
}

const search = (reader: Reader, text: Buffer, at: number): void => {
  let last = text.lastIndexOf(word)
  let block = last === -1 ? undefined : numberAt(text, last)
  if (last > 0 && block === undefined) {
    last = text.lastIndexOf(word, last - 1)
    block = last === -1 ? undefined : numberAt(text, last)
  }
  if (block === undefined) return
  let place = text.indexOf(word)
  if (block > reader.block && numberAt(text, place) !== block) {
    // The end of the one before lies here too, and others between may.
    for (; place !== -1 && place < last; place = text.indexOf(word, place + 1)) {
      const each = numberAt(text, place)
      if (each !== undefined) hear(reader, each, at)
    }
  }
  hear(reader, block, at)
}

const open = async (origin: URL, path: string): Promise<void> => {
  const answer = Promise.withResolvers<string>()
  const data: Reader = { rest: none, block: -1, at: 0, isOpen: false, answered: answer.resolve }
  const socket = await Bun.connect<Reader>({
    hostname: origin.hostname,
    port: Number(origin.port),
    data,
    socket: {
      open: (it) => void it.write(`GET ${path} HTTP/1.1\r\nhost: ${origin.host}\r\n\r\n`),
      data: (it, bytes) => read(it.data, bytes),
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
const insist = async (origin: URL, path: string, tries = 5): Promise<void> => {
  try {
    await open(origin, path)
  } catch (cause) {
    if (tries === 1) throw cause
    await Bun.sleep(200)
    await insist(origin, path, tries - 1)
  }
}

const openAll = async (origin: URL, paths: ReadonlyArray<string>): Promise<void> => {
  for (let place = 0; place < paths.length; place += width)
    await Promise.all(paths.slice(place, place + width).map((path) => insist(origin, path)))
}

process.on("message", (asked: Asked) => {
  if (asked.what === "open") {
    openAll(new URL(asked.origin), asked.paths).then(
      () => tell({ what: "opened" }),
      (cause) => tell({ what: "failed", why: `${cause}` }),
    )
  } else if (asked.what === "begin") {
    heard = []
    bytesRead = 0
  } else {
    tell({ what: "heard", heard, bytes: bytesRead, ended })
    heard = []
  }
})
process.on("disconnect", () => {
  over = true
  process.exit()
})
