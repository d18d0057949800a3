/** A walk on a server that replays behind: its next page waits for the block that it is of, or is refused, and never lacks rows. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Layer } from "effect"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { type ReadServer, ReadServers } from "../../../src/ports/ReadServers.ts"
import { nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, type TestService } from "../support.ts"
import { ann, apes, bob, cid, gold, zero } from "../world.ts"

const avax = prefix("43114")
const mostBlock = 9
const behind = 6
const start = 1_700_000_000

/** Blocks 0 to 9, each 12 seconds after the one before; each gives everybody some. */
const chain = new TestChain()
for (let block = 0; block <= mostBlock; block++) {
  chain.block(
    [ann, bob, cid].flatMap((to, place) => [
      transfer(gold, zero, to, BigInt(block + place + 1)),
      nftTransfer(apes, zero, to, BigInt(3 * block + place)),
    ]),
  )
}
const time = start + 12 * mostBlock

const standby: ReadServer = {
  label: "standby",
  isPrimary: false,
  isStandby: true,
  takesWrites: false,
  isReached: true,
  isUsed: true,
}
/** Each has a second page of one row. Block 8 is that of the time. */
const walks = [
  `/erc20/${gold}/holders?timestamp=${time}`,
  `/erc20/${gold}/holders?blockNumber=8`,
  `/erc721/${apes}/tokens?timestamp=${time}`,
  `/erc20/${gold}/holders/diff?timestampTo=${time}`,
  `/erc20/${gold}/supply/history?sort=desc`,
  `/address/${ann}/tokens?timestamp=${time}`,
  `/tokens-of?address=${ann},${bob}&blockNumber=8`,
  `/address/${ann}/tokens/${gold}/balances?sort=desc`,
  `/address/${ann}/portfolio/history?interval=block`,
  "/erc20-transfers?sort=desc",
].map((path) => `${avax}${path}&limit=1`)

let primary: TestService
let replica: TestService
let replay: LedgerWriter
/** The second pages, as links of the first and as the primary answers them. */
let nexts: ReadonlyArray<string>
let wanted: Array<ReadonlyArray<unknown>>
const itemsOf = async (service: TestService, path: string) => {
  const { status, body } = await service.get(path)
  return [path, status, status === 200 ? body.items : body.code]
}

beforeAll(async () => {
  primary = await startService()
  await primary.run((await primary.open("43114")).append(chain.segment(0, mostBlock, { finalizedBlock: 2 })))
  const servers = Layer.succeed(ReadServers, { ...(await primary.run(ReadServers)), list: () => [standby] })
  replica = await startService({ replace: servers as Layer.Layer<never> })
  replay = await replica.open("43114")
  await replica.run(replay.append(chain.segment(0, behind, { finalizedBlock: 2 })))
  nexts = await Promise.all(walks.map(async (path) => (await primary.get(path)).body.link.next))
  wanted = await Promise.all(nexts.map((next) => itemsOf(primary, next)))
})
afterAll(() => Promise.all([primary.close(), replica.close()]))

test("is refused as long as the server has not come to its block", async () => {
  // Each waits for a second.
  const some = nexts.slice(0, 2)
  const found = await Promise.all(some.map((next) => itemsOf(replica, next)))
  expect(found).toEqual(some.map((next) => [next, 503, "BEHIND_MIN_BLOCK"]))
})

test("goes on when the server comes to it", async () => {
  const found = nexts.map((next) => itemsOf(replica, next))
  await Bun.sleep(20)
  await replica.run(replay.append(chain.segment(behind + 1, mostBlock, { finalizedBlock: 2 })))
  expect<Array<ReadonlyArray<unknown>>>(await Promise.all(found)).toEqual(wanted)
  for (const page of wanted) expect(page).toEqual([expect.any(String), 200, [expect.anything()]])
})
