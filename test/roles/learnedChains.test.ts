/** Events of chains that another process follows: whoever tells them says what the lists do. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import { type Json, prefix } from "../http/support.ts"
import { busyChain, chainId, manager } from "../support/chain/busyChain.ts"
import { TestChain } from "../support/chain/testChain.ts"
import { takeEvents } from "../support/eventStream.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { ownFolder, testDatabase } from "../support/postgres.ts"
import { startService } from "../support/service.ts"
import { openSides } from "./sides.support.ts"

const blocks = 120

const named = ({ txHash, dex, sourceDeployer }: Json): string => `${txHash} ${dex} ${sourceDeployer}`
const swapsOf = (told: ReadonlyArray<{ readonly type: string; readonly data: object }>) =>
  told
    .filter(({ type }) => type === "swap")
    .map(({ data }) => named(data))
    .sort()

test("a reader's streams, and webhooks of another process, name the exchanges of a chain that is followed elsewhere", async () => {
  const [node, other] = [
    startReplayNode(replayOf(chainId, busyChain(1, blocks))),
    startReplayNode(replayOf("10", new TestChain().block([]))),
  ]
  using folder = ownFolder("cowry-settings-")
  const file = `${folder.path}/settings.json`
  const exchange = { dex: "Example DEX V4", deployer: "Example DEX" }
  writeFileSync(file, JSON.stringify({ chains: { [chainId]: { poolManagers: { [manager]: exchange } } } }))
  const DATABASE_URL = await testDatabase()
  const usual = { DATABASE_URL, PRICES: "off" }
  const writer = await startService({
    ...{ ...usual, COWRY_CONFIG: file, ROLE: "writer", NETWORK_43114: "mainnet" },
    ...{ [`RPC_URL_${chainId}`]: node.url, [`POOL_MANAGERS_${chainId}`]: manager },
  })
  const reader = await startService({ ...usual, ROLE: "reader" })
  try {
    await reader.reached(chainId, blocks - 1)
    const { items } = await reader.get<Json>(`${prefix(chainId)}/erc20-swaps?limit=1000`)
    expect(items.length).toBeGreaterThan(0)
    expect(items[0]).toMatchObject({ dex: exchange.dex, sourceDeployer: exchange.deployer })

    const wanted = items.map(named).sort()
    const stream = `${reader.url}${prefix(chainId)}/events?kinds=swap&after=beginning`
    const { told } = await takeEvents(stream, (all) => all.filter(({ type }) => type === "swap").length >= items.length)
    expect(swapsOf(told)).toEqual(wanted)

    const query = { chainId, filter: { kinds: ["swap"] }, onlyFinal: false, start: "beginning" } as const
    for (const ROLE of ["writer", "both"]) {
      const { following, close } = openSides({ ...usual, ROLE, RPC_URL_10: other.url })
      try {
        const part = await following.runPromise(EventHub.use(({ next }) => Effect.orDie(next(query))))
        expect(swapsOf(part?.deliveries ?? [])).toEqual(wanted)
      } finally {
        await close()
      }
    }
  } finally {
    await reader.stop()
    await writer.stop()
    await node.stop()
    await other.stop()
  }
})
