/** Holders whose logs add up to more than 256 bits: their lists are walked like all others. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { address, multiTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, store, type TestService } from "../support.ts"

const [coin, units] = [address(0x20), address(0x1155)]
const holders = [1, 2, 3, 4].map((number) => address(0x2000 + number))
const most = 2n ** 256n - 1n
const times = 12n

const chain = new TestChain()
for (let time = 0n; time < times; time++)
  chain.block(
    holders.flatMap((holder, place) => [
      transfer(coin, zeroAddress, holder, most - BigInt(place)),
      multiTransfer(units, zeroAddress, holder, [[7n, most - BigInt(place)]]),
    ]),
  )
chain.block([transfer(coin, holders[0]!, holders[1]!, 1n)])

let service: TestService
beforeAll(async () => {
  service = await startService()
  await store(service, "1", chain)
})
afterAll(() => service.close())

for (const path of [`erc20/${coin}/holders`, `erc1155/${units}/holders`])
  for (const moment of ["", `&blockNumber=${times - 1n}`])
    test(`${path.split("/")[0]}${moment}: page by page, both ways`, async () => {
      const balances: Array<string> = []
      let next = `${prefix("1")}/${path}?limit=1${moment}`
      let previous: string | undefined
      for (let turn = 0; turn < holders.length; turn++) {
        const { status, body } = await service.get(next)
        expect([status, body.items?.length]).toEqual([200, 1])
        balances.push(body.items[0].balance)
        if (previous !== undefined) expect((await service.get(body.link.prev)).body.items[0].balance).toBe(previous)
        previous = body.items[0].balance
        next = body.link.next
      }
      expect(next).toBeUndefined()
      expect(balances).toEqual(
        holders.map((_, place) => String(times * (most - BigInt(place)) + moved(path, moment, place))),
      )
      expect(balances[0]).toHaveLength(79)
    })

/** By the last block's transfer. */
const moved = (path: string, moment: string, place: number): bigint =>
  path.startsWith("erc20") && moment === "" ? ([-1n, 1n][place] ?? 0n) : 0n
