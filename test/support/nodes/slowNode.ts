/** A node as public ones are: in front of another, it refuses long ranges of logs and takes its time. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

export interface SlowNode {
  readonly url: string
  /** The highest block whose logs were given out in a range; −1 before the first. */
  readonly newest: () => number
  readonly stop: () => void
}

/** Passes every call to the node at `url`, each after `delay` ms; refuses eth_getLogs of more than `mostBlocks` blocks. */
export const startSlowNode = async (url: string, mostBlocks: number, delay: number): Promise<SlowNode> => {
  let newest = -1
  const server = createServer(async (request, response) => {
    const body = await text(request)
    await pause(delay)
    const calls: ReadonlyArray<{ id: number; method: string; params: ReadonlyArray<Record<string, string>> }> = [
      JSON.parse(body),
    ].flat()
    const long = calls.find(({ method, params }) => {
      const { fromBlock, toBlock } = params?.[0] ?? {}
      return method === "eth_getLogs" && fromBlock && toBlock && Number(toBlock) - Number(fromBlock) >= mostBlocks
    })
    response.setHeader("content-type", "application/json")
    if (long === undefined) {
      const headers = { "content-type": "application/json" }
      const answer = await fetch(url, { method: "POST", body, headers }).catch(() => undefined)
      if (answer === undefined) response.destroy()
      else response.end(await answer.text())
      for (const { method, params } of calls) {
        if (method === "eth_getLogs") newest = Math.max(newest, Number(params[0]?.toBlock ?? -1))
      }
    } else {
      const error = { code: -32005, message: `query exceeds max block range ${mostBlocks}` }
      const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error }))
      response.end(JSON.stringify(body.trimStart().startsWith("[") ? answers : answers[0]))
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    newest: () => newest,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
