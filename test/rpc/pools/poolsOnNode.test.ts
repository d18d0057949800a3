/** Uniswap's own pools on a real node, among contracts that lie, loop and flood: plainly and through Multicall3. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Address } from "../../../demo/chain/address.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts, type DemoChain, deployDemoChain } from "../../../demo/chain/deploy.ts"
import { makeMulticall, multicall3 } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { poolReader } from "../../../src/adapters/rpc/pools/RpcPools.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { quantity } from "../../../src/adapters/rpc/wire/abi.ts"
import { Hash } from "../../../src/model/primitives.ts"
import { startAnvil, type TestNode } from "../../support/nodes/anvil.ts"
import { failureOf, run } from "../node.ts"

let node: TestNode
let chain: DemoChain
let contracts: Readonly<Record<"multicall" | "flooder" | "spinner" | "v2" | "v3", Address>>

const wordOf = (address: string) => address.slice(2).padStart(64, "0")

beforeAll(async () => {
  node = await startAnvil()
  chain = await deployDemoChain(node.url)
  const [one, other] = chain.pool.tokens
  const made = (await createContracts(node.url, await compile("test/support/contracts"), [
    ...["Multicall3", "Flooder", "Spinner"].map((name) => ({ name })),
    ...[chain.factory, chain.poolFactory].map((factory) => ({
      name: "Impostor",
      args: `0x${[one, other, factory].map(wordOf).join("")}` as const,
    })),
  ])) as [Address, Address, Address, Address, Address]
  contracts = { multicall: made[0], flooder: made[1], spinner: made[2], v2: made[3], v3: made[4] }
})
afterAll(() => node?.stop())

/** A client that notes where its `eth_call`s go. */
const watched = () => {
  const asked: Array<string> = []
  const client = makeClient([node.url], { concurrency: 4, attempts: 2 })
  const together = <Value>(calls: ReadonlyArray<RpcCall<Value>>) => {
    for (const { method, params } of calls) if (method === "eth_call") asked.push((params[0] as { to: string }).to)
    return client.together(calls)
  }
  return { asked, client: { ...client, together } as RpcClient }
}

const decimalsOf = (token: string) => (token === chain.tokens.dollar ? 6 : 18)
const factsOf = (pool: Address, tokens: ReadonlyArray<Address>, factory: Address) => {
  const [token0, token1] = tokens.toSorted() as [Address, Address]
  return { pool, token0, token1, decimals0: decimalsOf(token0), decimals1: decimalsOf(token1), factory }
}
const everything = () => {
  const pairs = chain.pairs.map(({ address, tokens }) => factsOf(address, tokens, chain.factory))
  const pool = factsOf(chain.pool.address, chain.pool.tokens, chain.poolFactory)
  const { flooder, spinner, v2, v3 } = contracts
  return [
    [spinner, undefined],
    [v2, undefined],
    [pairs[0]!.pool, pairs[0]],
    [flooder, undefined],
    [chain.tokens.dollar, undefined],
    [pool.pool, pool],
    [chain.accounts[0]!, undefined],
    [v3, undefined],
    [spinner, undefined],
    [pairs[1]!.pool, pairs[1]],
  ] as const
}

describe("pools of a real node are told, and nothing else for a pool", () => {
  const ask = async (client: RpcClient, multicall?: ReturnType<typeof makeMulticall>) => {
    const block = await node.head()
    return run(
      poolReader(client, multicall).describe(
        everything().map(([address]) => address),
        { block },
      ),
    )
  }
  const expected = () => everything().map(([, facts]) => facts)

  test("by plain calls", async () => {
    const { client, asked } = watched()
    expect(await ask(client)).toEqual(expected())
    expect(asked.length).toBeGreaterThan(30)
  })

  test("through Multicall3 where most chains have it", async () => {
    await node.rpc("anvil_setCode", [multicall3, await node.rpc("eth_getCode", [contracts.multicall, "latest"])])
    const { client, asked } = watched()
    expect(await ask(client, makeMulticall(client))).toEqual(expected())
    expect(asked).toContain(multicall3)
    await node.rpc("anvil_setCode", [multicall3, "0x"])
  })

  test("through one at an address of its own", async () => {
    const { client, asked } = watched()
    expect(await ask(client, makeMulticall(client, contracts.multicall))).toEqual(expected())
    expect(asked).toContain(contracts.multicall)
    expect(asked).not.toContain(multicall3)
  })
})

test("the state that is asked near the head is that after the block: before it was made a pool is none", async () => {
  const reader = poolReader(watched().client)
  const { address } = chain.pool
  const head = await node.head()
  const hashOf = async (block: number) =>
    Hash.make((await node.rpc<{ hash: string }>("eth_getBlockByNumber", [quantity(block), false])).hash)
  const at = async (block: number) => (await run(reader.describe([address], { block, hash: await hashOf(block) })))[0]
  const facts = factsOf(address, chain.pool.tokens, chain.poolFactory)
  // The pool came in the block before that of the other contracts.
  expect([await at(head - 2), await at(head - 1), await at(head)]).toEqual([undefined, facts, facts])
  expect(await run(reader.describe([address], { block: head - 2 }))).toEqual([facts])
  const lacking = [{ block: head + 3 }, { block: head, hash: await hashOf(head - 1) }]
  for (const state of lacking)
    expect(await failureOf(reader.describe([address], state))).toMatchObject({ kind: "behind" })
})
