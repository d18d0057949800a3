/** The load generator, a process of its own: so many connections that each send the next request when an answer has come. */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { randomOf } from "../../demo/chain/random.ts"

/** What a run is told, in JSON on its standard input. */
export interface LoadOptions {
  /** `http://host:port` */
  readonly url: string
  /** Taken at random by every connection, alike in every run. In turn, most would be asked for right after another connection did. */
  readonly paths: ReadonlyArray<string>
  readonly connections: number
  readonly milliseconds: number
  /** Of which nothing is counted. */
  readonly warmUpMilliseconds: number
}

/** What it prints, in JSON. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly bytes: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly statuses: Readonly<Record<string, number>>
}

/** Headers of an answer: its status, and where its body ends (−1 = in chunks). */
const headOf = (head: string): { readonly status: number; readonly length: number } => {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return { status: Number(head.slice(9, 12)), length: length === undefined ? -1 : Number(length) }
}

/** Ends when the time is over and its last answer has come. */
const runConnection = (
  { url, paths }: LoadOptions,
  seed: number,
  isOver: () => boolean,
  answered: (milliseconds: number, status: number, bytes: number) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const random = randomOf(seed)
    let sent = 0
    let received = Buffer.alloc(0)
    const send = () => {
      if (isOver()) {
        resolve()
        socket.destroy()
        return
      }
      sent = performance.now()
      socket.write(`GET ${random.pick(paths)} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: */*\r\n\r\n`)
    }
    socket.on("connect", send)
    socket.on("error", reject)
    socket.on("close", () => reject(new Error("the server closed a connection")))
    socket.on("data", (piece: Buffer<ArrayBuffer>) => {
      received = received.length === 0 ? piece : Buffer.concat([received, piece])
      const end = received.indexOf("\r\n\r\n")
      if (end === -1) return
      const { status, length } = headOf(received.toString("latin1", 0, end))
      const isWhole = length === -1 ? received.subarray(-5).equals(lastChunk) : received.length >= end + 4 + length
      if (!isWhole) return
      answered(performance.now() - sent, status, received.length)
      received = Buffer.alloc(0)
      send()
    })
  })

const lastChunk = Buffer.from("0\r\n\r\n")

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const runLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const began = performance.now()
  const counted = began + options.warmUpMilliseconds
  const until = counted + options.milliseconds
  const times: Array<number> = []
  const statuses: Record<string, number> = {}
  let bytes = 0
  await Promise.all(
    Array.from({ length: options.connections }, (_, place) =>
      runConnection(
        options,
        place,
        () => performance.now() >= until,
        (milliseconds, status, length) => {
          const now = performance.now()
          if (now < counted || now >= until) return
          times.push(milliseconds)
          statuses[status] = (statuses[status] ?? 0) + 1
          bytes += length
        },
      ),
    ),
  )
  const sorted = Float64Array.from(times).sort()
  return {
    requests: times.length,
    seconds: options.milliseconds / 1000,
    bytes,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    statuses,
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await runLoad(JSON.parse(await text(process.stdin)) as LoadOptions)))
  process.exit()
}
