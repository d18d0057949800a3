/** Whoever asks for native balances takes none of ingestion's requests at the node: a node that is slow with them holds up nobody else. */
import { expect, test } from "bun:test"
import { Layer, ManagedRuntime } from "effect"
import * as RpcChainSource from "../../../src/adapters/rpc/chain/RpcChainSource.ts"
import * as RpcNativeBalances from "../../../src/adapters/rpc/contracts/RpcNativeBalances.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { ChainSource } from "../../../src/ports/ChainSource.ts"
import { NativeBalances } from "../../../src/ports/NativeBalances.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const chainId = ChainId.make("1")
const rpcConcurrency = 2

test("the newest header is told while all that may be asked for balances at once wait for the node", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { promise: full, resolve: filled } = Promise.withResolvers<void>()
  let waiting = 0
  const header = { number: "0x5", hash: hash("five"), parentHash: hash("four"), timestamp: "0x1" }
  const resultOf = async (method: string) => {
    if (method === "eth_chainId") return "0x1"
    if (method !== "eth_getBalance") return header
    if (++waiting === rpcConcurrency) filled()
    await opened
    return "0x7"
  }
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { id, method } = (await request.json()) as { readonly id: number; readonly method: string }
      return Response.json({ jsonrpc: "2.0", id, result: await resultOf(method) })
    },
  })
  const chains = [{ chainId, rpcUrls: [`http://127.0.0.1:${node.port}`], rpcConcurrency }]
  const runtime = ManagedRuntime.make(Layer.merge(RpcChainSource.layer(chains), RpcNativeBalances.layer(chains)))
  try {
    const asked = Array.from({ length: 3 * rpcConcurrency }, (_, place) =>
      runtime.runPromise(NativeBalances.use((port) => port.of(chainId, [address(place)], 5))),
    )
    await full
    const head = await runtime.runPromise(ChainSource.use((port) => port.of(chainId).head))
    expect(head.number).toBe(5)
    expect(waiting).toBe(rpcConcurrency)
    open()
    expect(await Promise.all(asked)).toEqual(asked.map(() => [7n]))
  } finally {
    open()
    await runtime.dispose()
    await node.stop(true)
  }
}, 20_000)
