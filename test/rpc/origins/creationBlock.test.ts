/** Where the search for a contract's first block ends, whatever the chain and whatever the node has forgotten. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import fc from "fast-check"
import { findCreationBlocks } from "../../../src/adapters/rpc/origins/creationBlock.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { address } from "../../support/chain/testChain.ts"
import { clientOf, run } from "../node.ts"

/** A node whose contract `address(n)` came in block `created[n]`; it has forgotten what was before block `edge`. */
const nodeOf = (created: ReadonlyArray<number>, edge = 0) => {
  const requests: Array<number> = []
  const answer = <Value>({ params, read, readFault }: RpcCall<Value>): Value => {
    const [contract, block] = params as [string, string]
    if (Number(block) < 0) throw new Error("there is no such block")
    if (Number(block) < edge) return readFault!({ kind: "answer", message: "missing trie node" })!.value
    return read(Number(block) >= created[Number(contract)]! ? "0x60" : "0x")
  }
  const client: RpcClient = {
    ...clientOf(),
    batch: (calls) =>
      Effect.sync(() => {
        requests.push(calls.length)
        return calls.map(answer)
      }),
  }
  return { client, requests }
}
const search = async (created: ReadonlyArray<number>, known: ReadonlyArray<number>, edge?: number) => {
  const { client, requests } = nodeOf(created, edge)
  const contracts = known.map((block, index) => ({ address: address(index), block }))
  return { blocks: await run(findCreationBlocks(client, contracts)), requests }
}

/** Created in the first block, known in the second. */
const anyLife = fc
  .tuple(fc.oneof(fc.nat(100), fc.nat(30_000_000)), fc.oneof(fc.nat(100), fc.nat(30_000_000)))
  .map(([created, age]) => [created, created + age] as const)

test("it ends at the block that made the contract; of the first block's it says nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLife, { maxLength: 20 }), async (lives) => {
      const { blocks } = await search(
        lives.map(([created]) => created),
        lives.map(([, known]) => known),
      )
      expect(blocks).toEqual(lives.map(([created]) => (created === 0 ? undefined : created)))
    }),
  )
})

test("what a node has forgotten is no creation: it ends at the true block or nowhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLife, { maxLength: 20 }), fc.nat(30_000_000), async (lives, edge) => {
      const recent = lives.filter(([, known]) => known >= edge)
      const { blocks } = await search(
        recent.map(([created]) => created),
        recent.map(([, known]) => known),
        edge,
      )
      expect(blocks).toEqual(recent.map(([created]) => (created > edge ? created : undefined)))
    }),
  )
})

test("contracts are asked about together, a young one a few times and an old one a few dozen", async () => {
  expect((await search([1_000_000], [1_000_000])).requests.length).toBe(1)
  expect((await search([999_990], [1_000_000])).requests.length).toBeLessThan(12)
  const { requests } = await search([2, 1_000_000, 29_999_999], [30_000_000, 30_000_000, 30_000_000])
  expect(requests.length).toBeLessThan(36)
  expect(requests[0]).toBe(3)
})

test("of no contracts nothing is asked", async () => {
  expect(await search([], [])).toEqual({ blocks: [], requests: [] })
})
