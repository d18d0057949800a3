/** One HTTP exchange with one node: a body sent, JSON read, within a time limit. Whatever fails becomes an `RpcFault` without secrets. */
import { jsonOf } from "../../../model/outside/json.ts"
import { beginningOf } from "../../../model/printable.ts"
import { type Endpoint, redact } from "./endpoint.ts"
import type { RpcFault } from "./fault.ts"

/** The parsed body with its status; rejects with an `RpcFault`. A body without JSON-RPC in it counts for its status only. */
export const post = async (
  endpoint: Endpoint,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: unknown }> => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal.addEventListener("abort", abort)
  try {
    const { url, headers } = endpoint
    // Where it leads is not what was configured.
    const response = await fetch(url, { method: "POST", headers, body, signal: controller.signal, redirect: "manual" })
    return await read(endpoint, response)
  } catch (error) {
    if (isFault(error)) throw error
    if (controller.signal.aborted) throw fault("timeout", `no answer within ${timeoutMs / 1000} s`)
    throw fault("network", `cannot be reached (${errorName(error)})`)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", abort)
  }
}

const read = async (endpoint: Endpoint, response: Response) => {
  const { ok, status, headers } = response
  if (ok) {
    // Not text and JSON.parse: answers are large, and this is the faster way.
    const body: unknown = await (await bounded(response)).json().catch((error: unknown) => {
      throw error instanceof SyntaxError ? fault("garbled", "the answer is not whole JSON") : error
    })
    return { status, body }
  }
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    throw {
      ...fault("http", `HTTP ${status}: it leads elsewhere, which is not followed: give the URL it leads to`),
      status,
    }
  }
  const text = await (await bounded(response)).text()
  const body = status === 429 ? undefined : jsonOf(text)
  if (isAnswer(body)) return { status, body }
  const retryAfterMs = retryAfter(headers.get("retry-after"))
  throw {
    ...fault(
      "http",
      redact(
        endpoint,
        `HTTP ${status} ${text.length > 600 ? `${beginningOf(text, 600)}…` : text}`.trim().replaceAll(/\s+/g, " "),
      ),
    ),
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Bytes of an answer, unpacked. The largest ranges of logs that providers give are of this size. */
const mostBytes = 128 * 1024 * 1024

/** The response, its body not longer than that; else a fault that also says that a range was too long. */
const bounded = async (response: Response): Promise<Response> => {
  const { headers, body } = response
  const tooLarge = () => fault("garbled", `response too large: over ${mostBytes / 1024 / 1024} MB`)
  const length = Number(headers.get("content-length") ?? Number.NaN)
  if (length > mostBytes) {
    await body?.cancel()
    throw tooLarge()
  }
  if (body === null || (length <= mostBytes && headers.get("content-encoding") === null)) return response
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > mostBytes) throw tooLarge()
    parts.push(part)
  }
  return new Response(new Blob(parts))
}

const isAnswer = (body: unknown): boolean =>
  Array.isArray(body) || (typeof body === "object" && body !== null && ("error" in body || "result" in body))

/** Seconds, or a date. Nobody is obeyed for longer than a minute. */
const retryAfter = (value: string | null): number | undefined => {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 60_000)
}

const fault = (kind: RpcFault["kind"], message: string): RpcFault => ({ kind, message })
const isFault = (error: unknown): error is RpcFault =>
  typeof error === "object" && error !== null && !(error instanceof Error) && "kind" in error

/** Only codes and names: fetch's messages can hold the URL. */
const errorName = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown"
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const found = cause?.code ?? code
  return typeof found === "string" ? found : error.name
}
