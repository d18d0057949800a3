/** The least that a sender of events can be: it says a block's rows to each stream and does nothing else. What is measured of it is the machine and the receivers. */

const [blockTime, rows] = process.argv.slice(2).map(Number) as [number, number]

const framesOf = (block: number): Uint8Array =>
  new TextEncoder().encode(
    `id: ${"x".repeat(60)}\nevent: transfer\ndata: {"id":"${"x".repeat(30)}","standard":"erc20","block":${block},"hash":"${"x".repeat(500)}"}\n\n`.repeat(
      rows,
    ),
  )

const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
const sent: Array<readonly [block: number, at: number]> = []
let block = 0

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 120,
  fetch: (request) => {
    if (new URL(request.url).pathname === "/sent") return Response.json(sent)
    let own: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller
        open.add(controller)
        controller.enqueue(new TextEncoder().encode("retry: 1000\n\n"))
      },
      cancel: () => void open.delete(own),
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  },
})
console.log(`ready ${server.url.origin}`)

setInterval(() => {
  const bytes = framesOf(++block)
  sent.push([block, performance.timeOrigin + performance.now()])
  for (const controller of open) controller.enqueue(bytes)
}, blockTime)
