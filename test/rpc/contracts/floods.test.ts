/** Contracts that answer with megabytes: what is kept of it, while a lot of them is asked. */
import { heapStats } from "bun:jsc"
import { beforeEach, expect, test } from "bun:test"
import { makeMulticall } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { makePinnedViews } from "../../../src/adapters/rpc/contracts/pinned.ts"
import { describe, tokenUris } from "../../../src/adapters/rpc/contracts/RpcTokenMetadata.ts"
import { view } from "../../../src/adapters/rpc/contracts/view.ts"
import { address } from "../../support/chain/testChain.ts"
import { run } from "../node.ts"
import { head, type MulticallNode, makeMulticallNode, pinOf } from "./multicallNode.ts"

let node: MulticallNode
beforeEach(() => {
  node = makeMulticallNode()
})

const mebibyte = 1024 * 1024
const calls = Array.from({ length: 60 }, (_, place) => ({ to: address(place), data: "0x06fdde03" }))
const word = `0x${"1".padStart(64, "0")}`

/** Bytes that the process holds more for what `make` made, without the code that it took. */
const heldBy = async <Value>(make: () => Promise<Value>) => {
  const held = () => {
    Bun.gc(true)
    return heapStats().heapSize
  }
  await make()
  const before = held()
  const value = await make()
  return { value, bytes: held() - before }
}

for (const [way, made] of [
  ["alone", undefined],
  ["together", 500],
] as const) {
  test(`of longer answers than any honest one nothing is kept, asked ${way}`, async () => {
    node.made = made
    node.bytesBehind = mebibyte / 4
    const { value, bytes } = await heldBy(() => run(view(node.client, calls, makeMulticall(node.client))))
    expect(value.map((data) => data.slice(0, 66))).toEqual(calls.map(() => "0x"))
    expect(bytes).toBeLessThan(mebibyte)
  })

  test(`answers of ten kB are whole, asked ${way}`, async () => {
    node.made = made
    node.bytesBehind = 10_240
    const data = await run(view(node.client, calls, makeMulticall(node.client)))
    expect(data.every((it) => it === word + "00".repeat(10_240))).toBe(true)
  })

  test(`of balances after a block the first words are kept, asked ${way}`, async () => {
    node.made = made
    node.bytesBehind = mebibyte / 4
    const views = makePinnedViews(node.client)
    const { value, bytes } = await heldBy(() => run(views.ask(calls, pinOf(head))))
    expect(value.map((data) => data.slice(0, 66))).toEqual(calls.map(() => word))
    // A word with more behind it is no address.
    expect(value.every((data) => data.length > 66)).toBe(true)
    expect(bytes).toBeLessThan(mebibyte)
  })
}

test("a token that says megabytes says nothing", async () => {
  node.made = undefined
  const text = `0x${"20".padStart(64, "0")}${(mebibyte / 2).toString(16).padStart(64, "0")}${"41".repeat(mebibyte / 2)}`
  const client = {
    ...node.client,
    batch: (asked) => node.client.batch(asked.map((it) => ({ ...it, read: () => it.read(text) }))),
  } as typeof node.client
  expect(await run(describe(client, [address(1)]))).toEqual([{}])
  expect(await run(tokenUris(client, [{ token: address(1), tokenId: "1" }]))).toEqual([undefined])
})
