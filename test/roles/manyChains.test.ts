/** Many chains on one embedded server, which is sized by them: every one comes up. MANY_CHAINS = how many. */
import { expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { startService } from "../support/service.ts"

const count = Number(process.env.MANY_CHAINS ?? 15)

test("as many chains as are configured become live, and none is told that there are too many clients", async () => {
  const chain = new TestChain()
  for (let block = 0; block < 20; block++) chain.block([transfer(address(0x7000), address(0), address(0xa1), 5n)])
  const ids = Array.from({ length: count }, (_, index) => `${990_000 + index}`)
  const nodes = ids.map((id) => startReplayNode(replayOf(id, chain)))
  const settings = ids.flatMap((id, index) => [
    [`RPC_URL_${id}`, nodes[index]!.url],
    [`AUDIT_${id}`, "off"],
    [`TOKEN_URIS_${id}`, "off"],
  ])
  const service = await startService({ ...Object.fromEntries(settings), PRICES: "off" })
  try {
    const began = performance.now()
    for (;;) {
      const { chains } = (await (await fetch(`${service.url}/ready`)).json()) as {
        readonly chains: ReadonlyArray<{ readonly phase: string }>
      }
      if (chains.length === count && chains.every(({ phase }) => phase === "live")) break
      if (performance.now() - began > 110_000) throw new Error(service.output().slice(-3000))
      await pause(200)
    }
    if (process.env.MANY_CHAINS !== undefined)
      console.log(`${count} live after ${Math.round(performance.now() - began)} ms`)
    expect(service.output()).not.toContain("too many clients")
    expect(service.output()).not.toContain("connection slots")
    const response = await fetch(`${service.url}/v2/network/mainnet/evm/all/erc20?limit=5`)
    expect([response.status, response.headers.get("x-as-of-block")?.split(",").length]).toEqual([200, count])
  } finally {
    await service.stop()
    for (const node of nodes) await node.stop()
  }
})
