/** A process that opens connections in a row, asks one thing on each, and drops it at the first answer, or at once. */
import { createConnection } from "node:net"

interface Flood {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly body?: string
  /** Connections that are begun in a second, at most. */
  readonly rate: number
  /** Callers that they come from by turns, as a trusted proxy tells them. */
  readonly callers: number
  readonly seconds: number
  /** Whether the answer is waited for. */
  readonly waits: boolean
}

const flood: Flood = JSON.parse(process.argv[2]!)
const statuses: Record<string, number> = {}
let begun = 0
let open = 0
let waitedFor = 0

const once = (place: number) => {
  open++
  begun++
  const socket = createConnection({ host: "127.0.0.1", port: flood.port })
  const caller = `198.18.${(place % flood.callers) >> 8}.${(place % flood.callers) & 255}`
  const body = flood.body ?? ""
  socket.on("connect", () => {
    socket.write(
      `${flood.method ?? "GET"} ${flood.path} HTTP/1.1\r\nhost: 127.0.0.1:${flood.port}\r\nx-forwarded-for: ${caller}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    if (!flood.waits) setTimeout(() => socket.destroy(), 5)
  })
  socket.on("data", (bytes) => {
    const status = bytes.toString("latin1", 9, 12)
    statuses[status] = (statuses[status] ?? 0) + 1
    waitedFor++
    socket.destroy()
  })
  socket.on("error", () => {})
  socket.on("close", () => open--)
}

const began = performance.now()
const timer = setInterval(() => {
  const passed = (performance.now() - began) / 1000
  if (passed > flood.seconds) {
    clearInterval(timer)
    console.log(`flood ${JSON.stringify({ begun, open, answered: waitedFor, statuses })}`)
    process.exit()
  }
  while (begun < passed * flood.rate && open < 4000) once(begun)
}, 5)
