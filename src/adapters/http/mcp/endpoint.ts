/** `POST /mcp`: the tools for agents, by the Model Context Protocol over HTTP, without sessions. */
import { Effect, Schema } from "effect"
import { Networks } from "../../../ports/Networks.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { version } from "../openapi/info.ts"
import { madeOnce } from "./madeOnce.ts"
import { loadServer } from "./server.ts"

export interface McpSettings {
  /** Whether `/mcp` is there; absent = it is. */
  readonly mcp?: boolean
  /** Web pages that may ask it, by their origins; `*` = every one. Those of this machine may always. */
  readonly mcpOrigins?: ReadonlyArray<string>
}

/** Messages of one body: each may be a question that reads. */
const mostMessages = 20

/** What the protocol's own headers are: the others are this service's. */
const protocolHeaders = ["accept", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"]

const thisMachine = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u

/** A page of any site could ask a service on its reader's machine, under a name that leads there. */
const mayAsk = (origin: string | null, allowed: ReadonlyArray<string>): boolean =>
  origin === null || thisMachine.test(origin) || allowed.includes("*") || allowed.includes(origin)

/** In the protocol's own form. */
const refused = (status: number, code: number, message: string, id: unknown = null): Answer => ({
  asOf: [],
  status,
  fleeting: true,
  body: { jsonrpc: "2.0", id, error: { code, message } },
})

/** Absent where it is no JSON: then the protocol has its own words for it. */
const parsed = (body: string): { readonly json?: unknown } => {
  try {
    return { json: JSON.parse(body) }
  } catch {
    return {}
  }
}

/** Streams of notices would wait for what never comes: the tools do not change. */
const listens = (message: unknown): boolean => Object(message).method === "subscriptions/listen"

export const mcpEndpoints = ({ mcp = true, mcpOrigins = [] }: McpSettings): ReadonlyArray<Endpoint> => {
  if (!mcp) return []
  const loaded = madeOnce(loadServer)
  const answer = Effect.fnUntraced(function* (call: Call) {
    const { body = "", client } = call
    const origin = client.header("origin")
    if (!mayAsk(origin, mcpOrigins)) {
      const wanted = "expected no web page, one of this machine, or one of MCP_ORIGINS"
      return refused(403, -32000, `origin: ${wanted}, got ${String(origin).slice(0, 100)}`)
    }
    const { json } = parsed(body)
    const messages = Array.isArray(json) ? json : [json]
    if (messages.length > mostMessages)
      return refused(400, -32600, `body: expected at most ${mostMessages} messages, got ${messages.length}`)
    const listening = messages.find(listens)
    if (listening !== undefined)
      return refused(200, -32601, "subscriptions/listen: nothing here changes that could be told", Object(listening).id)
    const { chains } = yield* Networks
    const faults: Array<unknown> = []
    const report = (cause: unknown) => faults.push(cause)
    const response = yield* Effect.promise(async (signal) => {
      const headers = new Headers()
      for (const name of protocolHeaders) {
        const value = client.header(name)
        if (value !== null) headers.set(name, value)
      }
      const request = new Request("http://localhost/mcp", { method: "POST", headers, body, signal })
      const serve = await loaded()
      const answered = await serve({ request, parsedBody: json, ask: client.ask, chains, version, report })
      return { status: answered.status, type: answered.headers.get("content-type"), text: await answered.text() }
    })
    for (const cause of faults) yield* Effect.logError("a tool failed", cause)
    const { status, text, type } = response
    const answered: Answer = {
      asOf: [],
      body: text,
      status,
      fleeting: true,
      headers: { "content-type": type ?? "application/json" },
    }
    return answered
  })
  return [
    {
      id: "mcp",
      path: "/mcp",
      style: "native",
      about: { kind: "service" },
      methods: ["POST", "OPTIONS"],
      doc: {
        tag: "Health",
        summary: "Tools for agents (MCP)",
        query: {},
        body: Schema.Unknown,
        faults: [],
        hidden: true,
      },
      answer,
    },
  ]
}
