/** What the audit found, as it is served: the list of tokens, its filters and cursors, and the header of answers about one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type AuditState, worstState } from "../../../src/model/audit.ts"
import { type Address, ChainId, zeroAddress as zero } from "../../../src/model/primitives.ts"
import { AuditStore } from "../../../src/ports/AuditStore.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const avalanche = ChainId.make("43114")
const [gold, cards, odd] = [address(0xc1), address(0xc2), address(0xc3)]
const alice = address(0xa)

let service: TestService
const put = (chainId: ChainId, token: Address, standard: string, state: AuditState) =>
  service
    .run(AuditStore.use((audits) => audits.sample(chainId, { tokens: [token] }, { top: 0, recent: 0, places: [] })))
    .then(({ value }) =>
      service.run(
        AuditStore.use((audits) =>
          audits.record(
            chainId,
            value
              .filter((it) => it.token.standard === standard)
              .map((it) => ({
                token: it.token,
                record: {
                  state,
                  blockNumber: 0,
                  time: 1_700_000_012,
                  compared: 5,
                  watched: [],
                  ...(state === "drift"
                    ? { difference: { of: "supply", ledger: "1", node: "2" } as const, reason: "one is more" }
                    : {}),
                },
              })),
          ),
        ),
      ),
    )

beforeAll(async () => {
  service = await startService()
  const chain = () =>
    new TestChain().block([
      transfer(gold, zero, alice, 1n),
      nftTransfer(cards, zero, alice, 1n),
      transfer(odd, zero, alice, 1n),
      nftTransfer(odd, zero, alice, 1n),
    ])
  await store(service, "10", chain())
  await store(service, "43114", chain())
  await put(avalanche, gold, "erc20", "exact")
  await put(avalanche, odd, "erc20", "drift")
  await put(ChainId.make("10"), odd, "erc721", "rebasing")
})
afterAll(() => service.close())

const named = (body: Json) =>
  body.items.map((it: Json) => `${it.chainId} ${it.address.slice(-2)} ${it.standard} ${it.state}`)
const read = async (query: string) => (await service.get(`/v2/status/audit${query}`)).body

describe("the list of audits", () => {
  test("has every token of every chain, with what is known of each", async () => {
    const response = await service.fetch("/v2/status/audit?count=true")
    const body: Json = await response.json()
    expect(response.headers.get("x-as-of-block")).toBe("10:0,43114:0")
    expect(body.count).toBe(8)
    expect(named(body)).toEqual([
      "10 c1 erc20 unverified",
      "10 c2 erc721 unverified",
      "10 c3 erc20 unverified",
      "10 c3 erc721 rebasing",
      "43114 c1 erc20 exact",
      "43114 c2 erc721 unverified",
      "43114 c3 erc20 drift",
      "43114 c3 erc721 unverified",
    ])
    expect(body.items[6]).toEqual({
      chainId: "43114",
      address: odd,
      standard: "erc20",
      state: "drift",
      blockNumber: 0,
      timestamp: "2023-11-14T22:13:32.000Z",
      compared: 5,
      difference: { of: "supply", ledger: "1", node: "2" },
      reason: "one is more",
    })
  })

  test("is narrowed by chain, state and contract, and walked by cursors either way", async () => {
    expect(named(await read("?state=drift"))).toEqual(["43114 c3 erc20 drift"])
    expect(named(await read("?chainId=10&state=unverified"))).toHaveLength(3)
    expect(named(await read(`?chainId=10,43114&tokenAddress=${odd.toUpperCase().replace("0X", "0x")}`))).toHaveLength(4)
    const all: Array<string> = []
    let body = await read("?limit=3")
    for (;;) {
      all.push(...named(body))
      if (body.link.next === undefined) break
      body = (await service.get(body.link.next)).body
    }
    expect(all).toEqual(named(await read("")))
    expect(named((await service.get(body.link.prev)).body)).toEqual(all.slice(3, 6))
  })

  test("refuses what is no state, no configured chain, no cursor of its own", async () => {
    expect((await read("?state=wrong")).message).toBe(
      "state: expected one of exact, drift, rebasing, unverified, got wrong",
    )
    expect((await read("?chainId=999")).message).toBe("chainId: expected the id of a configured chain, got 999")
    const { link } = await read("?limit=1")
    expect((await read(`?limit=1&state=drift&next=${link.nextToken}`)).code).toBe("INVALID_CURSOR")
  })
})

describe("x-audit-state", () => {
  const stateOf = async (path: string) => (await service.fetch(prefix("43114") + path)).headers.get("x-audit-state")

  test("stands on every answer about one contract, and says the state of the standard that is asked about", async () => {
    const compat = (action: string) => `/compat/api?${action}&contractaddress=${odd}&ADDRESS=${alice}`
    expect(
      await Promise.all(
        [
          `/erc20/${odd}/holders`,
          `/erc721/${odd}/holders`,
          `/erc721/${odd}/tokens?limit=1`,
          `/erc20/${gold.toUpperCase().replace("0X", "0x")}/holders`,
          `/address/${alice}/tokens/${gold}/balances`,
          `/address/${alice}/tokens/${odd}/balances?standard=erc20`,
          `/address/${alice}/tokens/${odd}/balances?standard=erc721`,
          compat("module=stats&action=tokensupply"),
          compat("module=account&action=tokenbalance"),
          compat("MODULE=token&Action=TokenHolderList"),
          compat("module=token&action=tokeninfo"),
          compat("module=account&action=addresstokennftinventory"),
        ].map(stateOf),
      ),
    ).toEqual([
      "43114:drift",
      "43114:unverified",
      "43114:unverified",
      "43114:exact",
      "43114:exact",
      "43114:drift",
      "43114:unverified",
      ...Array(4).fill("43114:drift"),
      "43114:unverified",
    ])
  })

  test("is the worst of all that a contract is, where the answer is about all of it", async () => {
    const about = async (action: string) => {
      const path = `${prefix("10")}/compat/api?${action}&contractaddress=${odd}&address=${alice}`
      return (await service.fetch(path)).headers.get("x-audit-state")
    }
    expect([
      await about("module=stats&action=tokensupply"),
      await about("module=token&action=tokeninfo"),
      await about("module=account&action=addresstokennftinventory"),
    ]).toEqual(["10:unverified", "10:rebasing", "10:rebasing"])
    expect(
      [["exact"], ["exact", "unverified"], ["unverified", "rebasing"], ["drift", "rebasing"], []].map((states) =>
        worstState(states as Array<AuditState>),
      ),
    ).toEqual(["exact", "unverified", "rebasing", "drift", undefined])
  })

  test("stands nowhere else: no contract, none that is known, transfers of several, an unknown chain, a refusal", async () => {
    const paths = [
      "/erc20",
      `/erc20-transfers?tokenAddress=${odd}`,
      `/erc20/${address(0x99)}/holders`,
      `/compat/api?module=account&action=addresstokenbalance&contractaddress=${odd}&address=${address(0x99)}`,
      `/erc20/${odd}/holders?limit=0`,
      `/address/${alice}/tokens/${odd}/balances`,
      `/address/${alice}/tokens/${address(0x99)}/balances`,
    ]
    expect(await Promise.all(paths.map(stateOf))).toEqual(paths.map(() => null))
    const other = await service.fetch(`${prefix("999")}/erc20/${odd}/holders`)
    expect([other.status, other.headers.get("x-audit-state")]).toEqual([400, null])
  })

  test("is exposed to browsers, and stands on a 304", async () => {
    const path = `${prefix("43114")}/erc20/${odd}/holders`
    const first = await service.fetch(path)
    expect(first.headers.get("access-control-expose-headers")?.split(", ")).toContain("x-audit-state")
    const again = await service.fetch(path, { headers: { "if-none-match": first.headers.get("etag")! } })
    expect([again.status, again.headers.get("x-audit-state")]).toEqual([304, "43114:drift"])
  })
})
