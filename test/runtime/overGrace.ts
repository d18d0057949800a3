/** A server with an answer that never ends is told to stop. Says what came of it, for overGrace.test.ts; on Bun and on Deno. */
import { serve } from "../../src/adapters/http/server.ts"
import { bearDriverFault } from "../../src/adapters/postgres/database/driverFault.ts"

bearDriverFault()
const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1)) })
const app = { fetch: async () => new Response(endless) }
const server = await serve(app, { port: 0, hostname: "127.0.0.1", graceMs: 50 })
const answer = await fetch(`http://127.0.0.1:${server.port}`)
await answer.body!.getReader().read()
await server.stop()
// What a stop has to do beside the server comes after this.
await new Promise((resolve) => setTimeout(resolve))
console.log("stopped")
process.exit(0)
