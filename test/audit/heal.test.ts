/** A node that leaves logs out while the ledger is filled: what the audit of the whole service, and the command, make of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import postgres from "postgres"
import type { Address } from "../../demo/chain/address.ts"
import { type LyingNode, startLyingNode } from "../support/nodes/lyingNode.ts"
import { testDatabase } from "../support/postgres.ts"
import type { Service } from "../support/service.ts"
import { type Listed, operate, until } from "./command.ts"
import { openZoo, type Zoo } from "./zoo.ts"

type Found = Listed & { readonly reason?: string }
interface NodeLog {
  readonly address: string
  readonly blockNumber: string
  readonly logIndex: string
}

let zoo: Zoo
let node: LyingNode
/** The logs of this block from that index on are kept back, wherever logs are asked for; receipts and headers are true. */
let kept: { readonly block: number; readonly index: number }
const services: Array<Service> = []
beforeAll(async () => {
  zoo = await openZoo()
  node = startLyingNode(zoo.node.url)
  const [, bob, carol, dave] = zoo.people as [Address, Address, Address, Address]
  const { act } = zoo
  await act(
    [0, "Token", ["mint", bob, 1000n]],
    [0, "Cards", ["mintId", bob, 5n]],
    [0, "Goods", ["mintSome", bob, 1n, 90n]],
  )
  await act([1, "Token", ["transfer", carol, 10n]])
  // Beside others of its block: neither an empty block nor a bloom shows that it is gone.
  await act([1, "Token", ["transfer", carol, 200n]], [1, "Token", ["transfer", dave, 30n]])
  kept = { block: await zoo.node.head(), index: 1 }
  await act([2, "Token", ["transfer", bob, 5n]])
  await zoo.node.mineEmpty(300)
})
afterAll(async () => {
  await Promise.all(services.map(({ stop }) => stop()))
  await node?.stop()
  await zoo?.node.stop()
})

const lie = ({ method }: { readonly method: string }, result: unknown) =>
  method === "eth_getLogs"
    ? (result as ReadonlyArray<NodeLog>).filter(
        ({ blockNumber, logIndex }) => Number(blockNumber) !== kept.block || Number(logIndex) < kept.index,
      )
    : result

/** A service on a ledger that was filled while the node lied; it tells the truth again. */
const withGap = async (more: Record<string, string>, isLyingStill = false) => {
  const operator = operate(node.url, await testDatabase())
  node.lie = lie
  // With receipts the backfill would find it by itself.
  const filling = await operator.start({ AUDIT_31337: "off", RECEIPTS_31337: "off" })
  services.push(filling)
  const { hash } = await zoo.node.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])
  await filling.indexed("31337", hash)
  await filling.stop()
  if (!isLyingStill) node.lie = undefined
  const start = async () => {
    const service = await operator.start(more)
    services.push(service)
    await service.indexed("31337", hash)
    return service
  }
  return { ...operator, start }
}

const balancesOf = async (service: Service, block?: number) =>
  Object.fromEntries(
    await Promise.all(
      zoo.people.map(async (holder) => {
        const action = block === undefined ? "tokenbalance" : `tokenbalancehistory&blockno=${block}`
        const query = `module=account&action=${action}&contractaddress=${zoo.at.Token}&address=${holder}`
        const answer = await fetch(`${service.url}/v2/network/mainnet/evm/31337/compat/api?${query}`)
        return [
          holder,
          [answer.headers.get("x-audit-state"), ((await answer.json()) as { result: string }).result],
        ] as const
      }),
    ),
  )
const contractsOwn = async (block?: number) => {
  const at = block === undefined ? "latest" : `0x${block.toString(16)}`
  return Promise.all(
    zoo.people.map(async (holder) => {
      const data = `0x70a08231${holder.slice(2).padStart(64, "0")}`
      return [holder, String(BigInt(await zoo.node.rpc<string>("eth_call", [{ to: zoo.at.Token, data }, at])))]
    }),
  )
}
const tokenIn = async (service: Service) =>
  (await service.get<{ readonly items: ReadonlyArray<Found> }>("/v2/status/audit?limit=100")).items.find(
    ({ address, standard }) => address === zoo.at.Token && standard === "erc20",
  )

describe("a log that a node left out in the backfill", () => {
  test("is found by the service's audit and taken in: every figure is the node's, of the past too, and the reason says so", async () => {
    const { start } = await withGap({ AUDIT_SECONDS_31337: "1", AUDIT_31337: "on" })
    const service = await start()
    const found = await until(async () => {
      await zoo.node.mine()
      const token = await tokenIn(service)
      return token?.reason?.startsWith("healed") ? token : undefined
    })
    expect(found).toMatchObject({
      state: "exact",
      reason: `healed: what a node had left out of blocks ${kept.block} to ${kept.block} is in the ledger now, and its history is right`,
    })
    const own = await contractsOwn()
    expect(Object.entries(await balancesOf(service))).toEqual(
      own.map(([holder, balance]) => [holder!, ["31337:exact", balance!]]),
    )
    expect(Object.entries(await balancesOf(service, kept.block))).toEqual(
      (await contractsOwn(kept.block)).map(([holder, balance]) => [holder!, ["31337:exact", balance!]]),
    )
    const { items } = await service.get<{ items: ReadonlyArray<{ readonly blockNumber: number }> }>(
      `/v2/network/mainnet/evm/31337/erc20-transfers?limit=100&tokenAddress=${zoo.at.Token}`,
    )
    expect(items.filter(({ blockNumber }) => blockNumber === kept.block)).toHaveLength(2)
    expect(service.output()).toContain(
      `${zoo.at.Token}: 1 rows of blocks ${kept.block} to ${kept.block} that a node had left out are in the ledger now`,
    )
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'cowry_chain_healed_logs_total{chain="31337"} 1',
    )
    expect((await fetch(`${service.url}/ready`)).status).toBe(200)
    await service.stop()
  })

  for (const [name, order] of [
    ["the honest node is in use and the one that left it out is the second", ["honest", "lossy"]],
    ["the one that left it out is in use, and the second is honest", ["lossy", "honest"]],
    ["two that left it out stand before the honest one", ["lossy", "lossy", "honest"]],
  ] as const) {
    test(`is taken in where ${name}, without any receipts`, async () => {
      const nodes = order.map((kind) => {
        const each = startLyingNode(zoo.node.url)
        each.lie = (call, result) => {
          if (call.method === "eth_getBlockReceipts" || call.method === "eth_getTransactionReceipt") return null
          return kind === "lossy" ? lie(call, result) : result
        }
        return each
      })
      const more = {
        ...{ AUDIT_SECONDS_31337: "1", AUDIT_31337: "on", RECEIPTS_31337: "off" },
        RPC_URL_31337: nodes.map(({ url }) => url).join(),
      }
      try {
        const { start } = await withGap(more, true)
        const service = await start()
        const reasons = new Set<string | undefined>()
        await until(async () => {
          await zoo.node.mine()
          const token = await tokenIn(service)
          reasons.add(token?.reason)
          return token?.reason?.startsWith("healed") ? token : undefined
        })
        expect([...reasons].filter((reason) => reason?.includes("contract's way"))).toEqual([])
        const own = await contractsOwn()
        expect(Object.entries(await balancesOf(service))).toEqual(
          own.map(([holder, balance]) => [holder!, ["31337:exact", balance!]]),
        )
        await service.stop()
      } finally {
        await Promise.all(nodes.map(({ stop }) => stop()))
        node.lie = undefined
      }
    })
  }

  test("is named by the command with whoever the ledger lacks, left to a running service, and taken in where there is none", async () => {
    const { start, audit } = await withGap({ AUDIT_31337: "off" })
    const dave = zoo.people[3]!
    const service = await start()
    const beside = await audit("31337", `--token=${zoo.at.Token}`, "--all")
    const lacked = `token ${zoo.at.Token}: the ledger lacks holder ${dave}, who has 30 by the contract`
    expect(beside.output).toContain(lacked)
    expect(beside.output).toContain("not taken in yet: the service that writes the ledger does so at its next look")
    expect(beside.code).toBe(1)
    await service.stop()
    const alone = await audit("31337", `--token=${zoo.at.Token}`, "--all")
    expect(alone.output).toContain(lacked)
    expect(alone.output).toContain(`1 rows that a node had left out are in the ledger now: ${zoo.at.Token}`)
    expect(alone.output).toContain("figures of all its holders, of which 0 differ")
    expect(alone.code).toBe(0)
  })

  test("is final by the window of the service that writes the ledger, whatever FINALITY the command has", async () => {
    const databaseUrl = await testDatabase()
    const operator = operate(node.url, databaseUrl)
    const service = await operator.start({ AUDIT_31337: "off", FINALITY_31337: "200" })
    services.push(service)
    const { hash } = await zoo.node.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])
    await service.indexed("31337", hash)
    const found = await operator.audit("31337", `--token=${zoo.at.Token}`, "--all")
    expect([found.code, found.output]).toEqual([0, expect.stringContaining("1 exact")])
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    const [row] = await sql`
      select s.finalized_block as final, s.next_block - 1 as head, a.logs[2] as asked
      from cowry_31337.state s, cowry_31337.token_audit a
      where a.address = ${Buffer.from(zoo.at.Token.slice(2), "hex")} and a.logs is not null`
    await sql.end()
    expect(row!.head - row!.final).toBe(200)
    expect(row!.asked).toBe(row!.final)
    await service.stop()
  })
})
