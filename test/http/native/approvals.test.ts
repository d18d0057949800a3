/** `/address/{address}/approvals`: rows by the logs, amounts by the contracts, each marked; refused by name where approvals are not stored. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Exit, Layer, Scope } from "effect"
import { ChainId, type Hash, zeroAddress as zero } from "../../../src/model/primitives.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { Ledger } from "../../../src/ports/Ledger.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { settingsOf } from "../../contracts/store.ts"
import {
  address,
  approval,
  idApproval,
  nftTransfer,
  operatorApproval,
  TestChain,
} from "../../support/chain/testChain.ts"
import { chains, type Json, prefix, startService, type TestService } from "../support.ts"

const [coin, art, broken] = [address(0xc1), address(0xc2), address(0xc3)]
const [alice, bob, carol] = [address(0xa), address(0xb), address(0xc)]
const most = 2n ** 256n - 1n

const chain = new TestChain()
  .block([nftTransfer(art, zero, alice, 7n), approval(coin, alice, bob, most)])
  .block([
    approval(coin, alice, carol, 50n),
    approval(broken, alice, bob, 1n),
    idApproval(art, alice, bob, 7n),
    operatorApproval(art, alice, carol, true),
  ])

type Says = (question: ViewQuestion) => bigint | undefined
const honest: Says = ({ of, token, ...rest }) => {
  if (token === broken) return undefined
  if (of === "approved") return BigInt(bob)
  if (of === "operator") return 0n
  return "spender" in rest && rest.spender === carol ? 12n : most
}

let services: Array<TestService>
let asked: Array<{
  readonly questions: ReadonlyArray<ViewQuestion>
  readonly at: { readonly blockNumber: number; readonly hash: Hash }
}>
beforeEach(() => {
  services = []
  asked = []
})
afterEach(async () => {
  for (const service of services) await service.close()
})

/** Chain 1 with approvals, as its settings and its ledger say. */
const start = async (says: Says | "nothing" = honest, isSet = true, isKept = isSet) => {
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions, at) => {
      asked.push({ questions, at: { blockNumber: at.blockNumber, hash: at.hash } })
      return says === "nothing"
        ? Effect.fail(new SourceUnavailable({ message: "out of order" }))
        : Effect.succeed(questions.map(says))
    },
  }
  const service = await startService({
    replace: Layer.succeed(TokenViews, views) as Layer.Layer<never>,
    chains: chains.map((each) => (each.chainId === "1" && isSet ? { ...each, approvals: true } : each)),
  })
  services.push(service)
  const settings = settingsOf({ chainId: ChainId.make("1"), ...(isKept && { approvals: true }) })
  const scope = Effect.runSync(Scope.make())
  const writer = await service.run(
    Ledger.use((ledger) => ledger.open(settings)).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  await service.run(writer.append({ ...chain.segment(0), ...(isKept ? {} : { approvals: [] }) }))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return service
}

const path = `${prefix("1")}/address/${alice}/approvals`
const logOf = (block: number, place: number) => {
  const { header, logs } = chain.blocks[block]!
  return {
    blockNumber: block,
    txHash: String(logs[place]!.txHash),
    logIndex: place,
    transactionIndex: place,
    timestamp: new Date(header.time * 1000).toISOString(),
  }
}
const own = { chainId: "1", owner: alice }
const rows = [
  {
    ...own,
    tokenAddress: coin,
    kind: "amount",
    spender: bob,
    amount: String(most),
    approvedAmount: String(most),
    source: "node",
    ...logOf(0, 1),
  },
  {
    ...own,
    tokenAddress: coin,
    kind: "amount",
    spender: carol,
    amount: "12",
    approvedAmount: "50",
    source: "node",
    ...logOf(1, 0),
  },
  {
    ...own,
    tokenAddress: art,
    kind: "tokenId",
    spender: bob,
    tokenId: "7",
    isApproved: true,
    source: "node",
    ...logOf(1, 2),
  },
  { ...own, tokenAddress: art, kind: "operator", spender: carol, isApproved: false, source: "node", ...logOf(1, 3) },
  {
    ...own,
    tokenAddress: broken,
    kind: "amount",
    spender: bob,
    amount: "1",
    approvedAmount: "1",
    source: "ledger",
    ...logOf(1, 1),
  },
]

describe("approvals of an address", () => {
  test("are told by the logs, what is left of them by the contracts at the as-of block; each row says by whom", async () => {
    const service = await start()
    const response = await service.fetch(`${path}?count=true`)
    expect(await response.json()).toEqual({ items: rows, count: 5, countType: "exact", link: {} })
    expect(response.headers.get("x-as-of-block")).toBe("1:1")
    // Not of all.
    expect(response.headers.get("x-balance-source")).toBe("ledger")
    const { hash } = chain.blocks[1]!.header
    expect<unknown>(asked).toEqual([
      {
        at: { blockNumber: 1, hash },
        questions: [
          { of: "allowance", token: coin, holder: alice, spender: bob },
          { of: "allowance", token: coin, holder: alice, spender: carol },
          { of: "approved", token: art, tokenId: "7" },
          { of: "operator", token: art, holder: alice, spender: carol },
          { of: "allowance", token: broken, holder: alice, spender: bob },
        ],
      },
    ])
    const first = await service.fetch(`${path}?limit=1`)
    expect(first.headers.get("x-balance-source")).toBe("node")
  })

  test("are what the logs said where the node does not answer", async () => {
    const service = await start("nothing")
    const { body } = await service.get(path)
    expect(body.items.map((row: Json) => [row.source, row.amount ?? row.isApproved])).toEqual([
      ["ledger", String(most)],
      ["ledger", "50"],
      ["ledger", true],
      ["ledger", true],
      ["ledger", "1"],
    ])
  })

  test("come page by page, forward and back, and whole as NDJSON and CSV", async () => {
    const service = await start()
    const seen: Array<unknown> = []
    let next: string | undefined = `${path}?limit=2`
    let last = ""
    while (next !== undefined) {
      last = next
      const { body } = await service.get(next)
      seen.push(...body.items)
      next = body.link.next
    }
    expect(seen).toEqual(rows)
    const { body } = await service.get(last)
    expect((await service.get(body.link.prev)).body.items).toEqual(rows.slice(2, 4))
    const whole = async (accept: string) => (await service.fetch(path, { headers: { accept } })).text()
    expect(
      (await whole("application/x-ndjson"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    const [head, ...lines] = (await whole("text/csv")).trim().split("\r\n")
    expect(head).toBe(
      "chainId,tokenAddress,kind,owner,spender,tokenId,amount,approvedAmount,isApproved,source,blockNumber,txHash,logIndex,transactionIndex,timestamp",
    )
    expect(lines.length).toBe(5)
    expect(lines[2]).toStartWith(`1,${art},tokenId,${alice},${bob},7,,,true,node,1,`)
    expect((await service.get(`${prefix("1")}/address/${carol}/approvals`)).body).toEqual({ items: [], link: {} })
  })

  test("are refused by the setting's name where it is off, and by the command where the stored ledger is without", async () => {
    const off = await start(honest, false)
    expect(await off.get(path)).toEqual({
      status: 404,
      body: {
        statusCode: 404,
        code: "APPROVALS_NOT_KEPT",
        error: "Not Found",
        message: "approvals of chain 1 are not stored: set APPROVALS_1=on and run cowry resync 1",
      },
    })
    const older = await start(honest, true, false)
    const { status, body } = await older.get(path)
    expect([status, body.code]).toEqual([404, "APPROVALS_NOT_KEPT"])
    expect(body.message).toBe(
      "approvals of chain 1 are not in the stored ledger, which was made without them: cowry resync 1",
    )
    expect((await older.fetch(path, { headers: { accept: "text/csv" } })).status).toBe(404)
  })

  test("of all chains, of no address, and by another owner's cursor are 400", async () => {
    const service = await start()
    const codeOf = async (url: string) => {
      const { status, body } = await service.get(url)
      return `${status} ${body.code}`
    }
    expect(await codeOf(`${prefix("all")}/address/${alice}/approvals`)).toBe("400 INVALID_PARAMETER")
    expect(await codeOf(`${prefix("1")}/address/0x12/approvals`)).toBe("400 INVALID_PARAMETER")
    const { body } = await service.get(`${path}?limit=1`)
    expect(await codeOf(`${prefix("1")}/address/${bob}/approvals?next=${body.link.nextToken}`)).toBe(
      "400 INVALID_CURSOR",
    )
  })
})
