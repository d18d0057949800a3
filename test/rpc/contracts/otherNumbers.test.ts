/** Chains whose contracts see another chain's number, as on Arbitrum: what shows there which block a node answers of. */
import { expect, test } from "bun:test"
import { makePinnedViews } from "../../../src/adapters/rpc/contracts/pinned.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { address } from "../../support/chain/testChain.ts"
import { failureOf, run } from "../node.ts"
import { makeMulticallNode, pinOf } from "./multicallNode.ts"

const block = 900
const word = (value: number) => value.toString(16).padStart(64, "0")

/** A node without Multicall3 whose headers tell one number, and whose contracts see another, in the state of a block `behind`. */
const nodeOf = ({ told, seen, behind = 0 }: { told?: unknown; seen: number; behind?: number }): RpcClient => {
  const node = makeMulticallNode()
  node.made = undefined
  const asOther = (call: RpcCall<unknown>): RpcCall<unknown> => {
    const isClock = call.method === "eth_call" && (call.params[0] as { to?: string }).to === undefined
    if (call.method === "eth_getBlockByNumber")
      return {
        ...call,
        read: (result) => call.read({ ...(result as object), ...(told !== undefined && { l1BlockNumber: told }) }),
      }
    if (!isClock) return call
    // Its clock ticks once in 12 seconds.
    return {
      ...call,
      read: (result) => call.read(`0x${word(seen)}${word(Number(`0x${String(result).slice(66)}`) - 12 * behind)}`),
    }
  }
  const { client } = node
  return {
    ...client,
    batch: (calls: ReadonlyArray<RpcCall<unknown>>) => client.batch(calls.map(asOther)),
    together: (calls: ReadonlyArray<RpcCall<unknown>>) => client.together(calls.map(asOther)),
  } as RpcClient
}
const ask = (client: RpcClient) => makePinnedViews(client).ask([{ to: address(1), data: "0x18160ddd" }], pinOf(block))
const hex = (value: number) => `0x${value.toString(16)}`

test.each([
  ["near by", 951, hex(951)],
  ["near by, as old versions showed it", 951, hex(950)],
  ["far away, and no header tells it", 5_000_000, undefined],
  ["its own, and no header tells another", block, undefined],
] as const)("a number that is %s shows the block", async (_, seen, told) => {
  expect(await run(ask(nodeOf({ seen, told })))).toEqual([`0x${word(1)}`])
})

test("a node that neither has Multicall3 nor runs init code is told of with what to do", async () => {
  const node = nodeOf({ seen: block })
  const silent = (call: RpcCall<unknown>): RpcCall<unknown> => {
    const isClock = call.method === "eth_call" && (call.params[0] as { to?: string }).to === undefined
    return isClock ? { ...call, read: () => call.read("0x") } : call
  }
  const { message } = await failureOf(
    ask({ ...node, together: (calls) => node.together(calls.map((it) => silent(it) as (typeof calls)[number])) }),
  )
  expect(message).toContain("the node does not show which block it answers for")
  expect(message).toContain("Use another node, or name the chain's Multicall3 in the file of COWRY_CONFIG")
})

test.each([
  ["that no header tells", { seen: 951 }],
  ["that is not the one that the header tells", { seen: 951, told: hex(953) }],
  ["of the one before what the header tells", { seen: 951, told: hex(952) }],
  ["where what the header tells is no number", { seen: 951, told: "951" }],
  ["at another time", { seen: 951, told: hex(951), behind: 1 }],
  ["at a later time", { seen: 951, told: hex(951), behind: -1 }],
] as const)("a number near by %s does not", async (_, told) => {
  const { message } = await failureOf(ask(nodeOf(told)))
  expect(message).toContain("of the state of another")
})

test("a node that gives a call its own number and a later time is not believed, and told of with what to do", async () => {
  const { message } = await failureOf(ask(nodeOf({ seen: block, behind: -3 })))
  expect(message).toContain(`asked about block ${block}, the node answers with its number and a later block's time`)
  expect(message).toContain("use one on a newer version, or another node")
  expect((await failureOf(ask(nodeOf({ seen: block, behind: 3 })))).message).toContain("of the state of another")
})
