/** follow over HTTP against a node that answers nothing for a while, each in its own way: the status says what is asked again, and why, before anybody gives up. */
import { expect, test } from "bun:test"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { replayOf, withReceipts } from "../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../support/nodes/replayNode.ts"
import { startReplay } from "./replay.ts"
import { token } from "./traffic.ts"
import { chainId } from "./world.ts"

const past = 20
const last = 25
const chain = new TestChain()
for (let block = 0; block <= last; block++) chain.block([transfer(token(0), address(1), address(2), 5n)])
const whole = withReceipts(replayOf(chainId, chain))
const shown = (state: { head: number }): ReplayChain => ({
  ...whole,
  get head() {
    return state.head
  },
  find: (key) => {
    const block = whole.find(key)
    return block !== undefined && block.number <= state.head ? block : undefined
  },
})

interface Way {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Hands on to the honest node what is not turned down: requests with one of these methods. */
const startTurning = async (honest: string, turned: { way?: Way; methods?: RegExp }) => {
  const server: Server = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part as Buffer)
    const sent = Buffer.concat(parts).toString()
    const { way, methods = /./ } = turned
    if (way !== undefined && methods.test(sent)) {
      response.writeHead(way.status, way.headers)
      response.write(way.body)
      // What was announced as longer does not end.
      if (way.headers["content-length"] === undefined) response.end()
      return
    }
    const answer = await fetch(honest, { method: "POST", body: sent })
    response.writeHead(200, { "content-type": "application/json" }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const tooMany = { status: 429, headers: { "retry-after": "8" }, body: "slow down" }
const huge = { status: 200, headers: { "content-length": String(300_000_000) }, body: "[" }

const ways: ReadonlyArray<readonly [string, Way, RegExp | undefined, RegExp]> = [
  [
    "429 to every request",
    tooMany,
    undefined,
    /eth_getBlockByNumber\("latest", false\): .*wants to be left alone for \d s, after .*HTTP 429 slow down/,
  ],
  ["429 to logs alone", tooMany, /eth_getLogs/, /eth_getLogs\(\{blockHash: "0x.+\): .*HTTP 429 slow down/],
  [
    "answers beyond every bound",
    huge,
    undefined,
    /eth_getBlockByNumber\("latest", false\): response too large: over 128 MB/,
  ],
]

for (const [what, way, methods, why] of ways) {
  test.concurrent(`${what}: said within seconds, and no more once the node answers`, async () => {
    const state = { head: past }
    const honest = startReplayNode(shown(state))
    const turned: { way?: Way; methods?: RegExp } = {}
    const node = await startTurning(honest.url, turned)
    const replay = await startReplay({ urls: [node.url] })
    try {
      await replay.until(({ indexedBlock }) => indexedBlock === past)
      if (methods !== undefined) turned.methods = methods
      turned.way = way
      state.head = last
      await replay.until(({ problem }) => problem !== undefined)
      const { problem } = replay.status()
      expect(problem).toMatch(why)
      expect(problem).toContain(node.url.slice(0, -1))
      expect(problem?.includes("\n")).toBe(false)
      delete turned.way
      await replay.until(({ indexedBlock, problem }) => indexedBlock === last && problem === undefined)
    } finally {
      await replay.stop()
      await Promise.all([node.stop(), honest.stop()])
    }
  })
}
