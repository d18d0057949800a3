/** A program: opens a held connection over a line that is cut at ever later bytes of the server, and prints how each opening ended. */
import { connect, createServer } from "node:net"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import type { DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import { bearDriverFault } from "../../../src/adapters/postgres/database/driverFault.ts"
import { openHeld } from "../../../src/adapters/postgres/database/held.ts"

bearDriverFault()
const database = new URL(process.argv[2]!)
const port = Number(database.port)
/** Bytes of the server after which the line is cut. */
let cutAfter = Number.POSITIVE_INFINITY
let longest = 0

const line = createServer((client) => {
  const server = connect(port, "127.0.0.1")
  let length = 0
  const rest = cutAfter
  server.on("data", (data: Buffer) => {
    const before = length
    length += data.length
    longest = Math.max(longest, length)
    if (length < rest) return void client.write(data)
    client.write(data.subarray(0, Math.max(0, rest - before)), () => client.destroy())
    server.destroy()
  })
  client.on("data", (data) => server.write(data))
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on("error", () => {})
    if (one === client) one.on("close", () => other.destroy())
  }
})
await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve))
database.port = String((line.address() as { port: number }).port)
const url = database.href
const connectTo: DatabaseShape["connect"] = (settings) => makeClient({ ...settings, url })

const opened = (): Promise<string> =>
  openHeld({ connect: connectTo } as DatabaseShape, { lost: "lost", first: (sql) => sql`select 1 as one` }).then(
    (held) => {
      held.fail(new Error("closed"))
      return "open"
    },
    (cause) => String((cause as Error).message),
  )

const ends: string[] = [await opened()]
const whole = longest
// Within the greeting the driver tries again by itself; so the line is mended after the first cut.
for (const share of [0.05, 0.1, 0.3, 0.6, 0.9, 0.95]) {
  cutAfter = Math.floor(whole * share)
  const opening = opened()
  await Bun.sleep(100)
  cutAfter = Number.POSITIVE_INFINITY
  ends.push(await opening)
}
console.log(JSON.stringify(ends))
process.exit()
