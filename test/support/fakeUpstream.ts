/** A service of Etherscan's API that notes whatever it is sent, and answers as it is told: also badly, slowly, or never. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface SeenQuestion {
  readonly path: string
  readonly query: URLSearchParams
  /** All of it as it came: path, query, headers and body. */
  readonly whole: string
}

type Play = (question: SeenQuestion, response: ServerResponse) => void

export interface FakeUpstream {
  /** Up to the question mark. */
  readonly url: string
  readonly seen: ReadonlyArray<SeenQuestion>
  /** From now on. */
  readonly play: (play: Play) => void
  readonly reset: () => void
  readonly stop: () => Promise<void>
}

/** Fine, and says which question it answers. */
export const envelope = (result: unknown, status = "1", message = "OK"): string =>
  JSON.stringify({ status, message, result })

const usual: Play = ({ query }, response) => {
  response.setHeader("content-type", "application/json")
  response.end(envelope([{ upstream: `${query.get("module")}/${query.get("action")}`, chain: query.get("chainid") }]))
}

export const startFakeUpstream = async (path = "/v2/api"): Promise<FakeUpstream> => {
  let seen: Array<SeenQuestion> = []
  let play = usual
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const url = new URL(request.url!, "http://upstream.test")
    const whole = [request.method, request.url, JSON.stringify(request.rawHeaders), body].join("\n")
    const question = { path: url.pathname, query: url.searchParams, whole }
    seen.push(question)
    play(question, response)
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    get seen() {
      return seen
    },
    play: (next) => {
      play = next
    },
    reset: () => {
      seen = []
      play = usual
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
