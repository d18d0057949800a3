/** A chain of Ethermint's kind, which has no block 0, through the whole service: its node gives the newest block for block 0. */
import { expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { zeroAddress } from "../../src/model/primitives.ts"
import type { Json } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../support/nodes/replayNode.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

const chainId = "25"
const [token, alice, bob] = [address(0x70), address(0xa), address(0xb)]
const [early, blocks] = [260, 300]

const chain = new TestChain().block()
while (chain.nextBlock <= blocks)
  chain.block([transfer(token, zeroAddress, alice, 5n), transfer(token, alice, bob, 2n)])

/** Up to a block, with block 0 or without it. */
const nodeOf = (head: number, hasZero: boolean) => {
  const whole = replayOf(chainId, chain)
  const shown: ReplayChain = {
    ...whole,
    head,
    find: (key) => {
      const block = whole.find(key === 0 && !hasZero ? head : key)
      return block === undefined || block.number > head ? undefined : block
    },
    withLogs: (from, to) => whole.withLogs(Math.max(from, hasZero ? 0 : 1), Math.min(to, head)),
  }
  return startReplayNode(shown)
}

const readyOf = async ({ url }: Service): Promise<Json> => {
  for (;;) {
    const response = await fetch(`${url}/ready`)
    const body = (await response.json()) as Json
    if (response.status === 200) return body
    await pause(50)
  }
}

/** `first`: the first block there is by the ledger. */
const expectTruth = async (service: Service, head: number, first: number) => {
  const path = `/v2/network/mainnet/evm/${chainId}`
  const of = await service.get<Json>(`${path}/erc20/${token}`)
  const { chains } = await readyOf(service)
  expect([chains[0].firstBlock, chains[0].problem, chains[0].note]).toEqual([0, undefined, undefined])
  expect(of.totalSupply).toBe(String(5 * head))
  const balanceAt = async (block: string) => {
    const { items } = await service.get<Json>(`${path}/erc20/${token}/holders?limit=10${block}`)
    return items.map((it: Json) => [it.address, it.balance])
  }
  expect(await balanceAt("")).toEqual([
    [alice, String(3 * head)],
    [bob, String(2 * head)],
  ])
  expect(await balanceAt("&blockNumber=0")).toEqual([])
  const byTime = async (time: number, closest: string) =>
    (
      await service.get<Json>(
        `/${chainId}/api?module=block&action=getblocknobytime&timestamp=${time}&closest=${closest}`,
      )
    ).result
  const { time } = chain.blocks[1]!.header
  expect([await byTime(time - 20, "after"), await byTime(time, "before")]).toEqual([String(first), "1"])
}

for (const startsWithZero of [false, true]) {
  test(`is indexed and answered, ${startsWithZero ? "begun at a node that has block 0 all the same" : "begun at a node without block 0"}, and goes on at one of the other kind`, async () => {
    const nodes = [nodeOf(early, startsWithZero), nodeOf(blocks, !startsWithZero), nodeOf(blocks, startsWithZero)]
    const database = await testDatabase()
    try {
      let head = early
      for (const node of nodes) {
        const service = await startService({
          DATABASE_URL: database,
          [`RPC_URL_${chainId}`]: node.url,
          [`POLL_MS_${chainId}`]: "50",
        })
        try {
          await service.reached(chainId, head)
          await expectTruth(service, head, startsWithZero ? 0 : 1)
        } finally {
          await service.stop()
        }
        head = blocks
      }
    } finally {
      await Promise.all(nodes.map((node) => node.stop()))
    }
  })
}
