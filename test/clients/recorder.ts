/** Stands between clients and the service: passes on, and notes which calls each client made and who answered. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface RecordedCall {
  /** Path and query, without keys. */
  readonly path: string
  readonly query: string
  /** `upstream`, `node`, or null for the ledger. */
  readonly servedBy: string | null
  readonly isRefused: boolean
}

export interface Recorder {
  readonly url: string
  /** What came since the last look. */
  readonly take: () => ReadonlyArray<RecordedCall>
  readonly stop: () => Promise<void>
}

export const startRecorder = async (target: string): Promise<Recorder> => {
  let calls: Array<RecordedCall> = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const isPost = request.method === "POST"
    const answer = await fetch(target + request.url, {
      method: request.method!,
      ...(isPost && { body, headers: { "content-type": String(request.headers["content-type"]) } }),
    })
    const text = await answer.text()
    const url = new URL(request.url!, target)
    for (const [name, value] of new URLSearchParams(body)) url.searchParams.append(name, value)
    for (const name of [...url.searchParams.keys()]) if (/apikey/i.test(name)) url.searchParams.delete(name)
    calls.push({
      path: url.pathname,
      query: url.searchParams.toString(),
      servedBy: answer.headers.get("x-served-by"),
      isRefused: text.includes('"NOTOK"'),
    })
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = calls
      calls = []
      return taken
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
