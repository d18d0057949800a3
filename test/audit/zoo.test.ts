/** Honest and odd tokens on a real node: what the audit says of each, on either store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { type Audited, compareTokens } from "../../src/domain/audit/compare.ts"
import type { AuditState } from "../../src/model/audit.ts"
import { type Address, zeroAddress as zero } from "../../src/model/primitives.ts"
import { AuditStore } from "../../src/ports/AuditStore.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenViews } from "../../src/ports/TokenViews.ts"
import { freshChainId, type MakeStore, openStore } from "../contracts/store.ts"
import { testDatabase } from "../support/postgres.ts"
import type { Service } from "../support/service.ts"
import { type Listed, operate, until } from "./command.ts"
import { openZoo, type Zoo, type ZooName } from "./zoo.ts"

const most = 2n ** 256n - 1n
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`

let zoo: Zoo
beforeAll(async () => {
  zoo = await openZoo()
})
afterAll(() => zoo?.node.stop())

/** A ledger of the zoo, and its audit. */
const observe = async (makeStore: MakeStore) => {
  const store = await openStore(makeStore)
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const name = Object.fromEntries(Object.entries(zoo.at).map(([name, address]) => [address, name as ZooName]))
  const audit = async (keeps = true) => {
    await zoo.follow(store, writer)
    const compare = Effect.gen(function* () {
      const audits = yield* AuditStore
      const breadth = { top: 5, recent: 5, places: [0, 0.5] }
      const sample = yield* audits.sample(chainId, { tokens: Object.values(zoo.at) }, breadth)
      return yield* compareTokens(sample, (tokens) =>
        keeps ? Effect.as(writer.letZeroAddressHold(tokens), true) : Effect.succeed(false),
      )
    })
    const audited = await store.run(Effect.provideService(compare, TokenViews, zoo.views))
    return Object.fromEntries(
      audited.map((it): readonly [string, Audited] => [`${name[it.token.address]} ${it.token.standard}`, it]),
    )
  }
  const statesOf = (audited: Readonly<Record<string, Audited>>) =>
    Object.fromEntries(Object.entries(audited).map(([of, { record }]) => [of, record.state]))
  const supplyOf = async (of: ZooName) =>
    (await store.run(SupplyStore.use((supplies) => supplies.find(chainId, zoo.at[of])))).value
  const balanceOf = async (of: ZooName, holder: Address) =>
    (await store.run(HolderStore.use((holders) => holders.findBalance(chainId, zoo.at[of], holder)))).value
  const stored = async (of: ZooName) =>
    (await store.run(AuditStore.use((audits) => audits.find(chainId, zoo.at[of])))).value
  return { audit, statesOf, supplyOf, balanceOf, stored, close: store.close }
}

const honest: Readonly<Record<string, AuditState>> = {
  "Token erc20": "exact",
  "OldToken erc20": "exact",
  "Countless erc20": "exact",
  "Mixed erc20": "exact",
  "Mixed erc721": "exact",
  "Mixed erc1155": "exact",
  "Cards erc721": "exact",
  "Goods erc1155": "exact",
  "Hybrid erc721": "exact",
}
const plain = [
  "Rebasing",
  "Silent",
  "Skimming",
  "Keeping",
  "KeepingShy",
  "Proxy",
  "LyingToken",
  "GarbledToken",
] as const

describe("the audit of a zoo", () => {
  const stores = [
    ["memory", async () => MemoryStore.layer],
    ["PostgreSQL", async () => PostgresStore.layer({ url: await testDatabase() })],
  ] satisfies ReadonlyArray<readonly [string, MakeStore]>
  let observers: ReadonlyArray<readonly [string, Awaited<ReturnType<typeof observe>>]>
  /** Looks for the first time when all is done. */
  let late: Awaited<ReturnType<typeof observe>>
  beforeAll(async () => {
    observers = await Promise.all(stores.map(async ([name, make]) => [name, await observe(make)] as const))
    late = await observe(async () => MemoryStore.layer)
  })
  afterAll(() => Promise.all([...observers.map(([, { close }]) => close()), late.close()]))
  const onEach = async (check: (observer: Awaited<ReturnType<typeof observe>>) => Promise<void>) => {
    for (const [, observer] of observers) await check(observer)
  }

  test("as long as all tell the truth, all are exact; burnt amounts that are kept are found, and the ledger keeps them", async () => {
    const { people, act, at } = zoo
    const [, bob, carol, dave, erin] = people as [Address, Address, Address, Address, Address]
    for (const name of ["Token", "OldToken", "Countless", "Mixed", ...plain] as const) {
      await act(
        ...[bob, carol, dave, erin].map((to, index) => [0, name, ["mint", to, 1000n * BigInt(index + 1)]] as const),
      )
      if (name !== "Skimming") await act([1, name, ["transfer", carol, 10n]], [2, name, ["transfer", dave, 7n]])
    }
    await act(
      [1, "Token", ["burn", 5n]],
      [1, "OldToken", ["burn", 6n]],
      [0, "OldToken", ["mint", zero, 77n]],
      [2, "Keeping", ["transfer", zero, 30n]],
      [3, "KeepingShy", ["transfer", zero, 40n]],
      [0, "Cards", ["mintId", bob, 5n]],
      [0, "Cards", ["mintId", carol, 6n]],
      ...[1n, 2n, 3n].map((id) => [0, "Hybrid", ["mintId", id === 3n ? carol : bob, id]] as const),
      [1, "Mixed", ["takeId", 9n]],
      [2, "Mixed", ["takeId", 9n]],
      [0, "Mixed", ["mintSome", bob, 4n, 44n]],
      [0, "Goods", ["mintSome", bob, 1n, 100n]],
      [1, "Goods", ["safeTransferFrom", bob, carol, 1n, 30n, "0x"]],
      [0, "Parrot", ["say", [transferTopic, topicOf(zero), topicOf(bob)], `0x${"f".repeat(64)}`]],
    )
    await onEach(async ({ audit, statesOf, supplyOf, balanceOf, stored }) => {
      const found = await audit()
      const rest = Object.fromEntries(plain.map((name) => [`${name} erc20`, "exact"] as const))
      expect(statesOf(found)).toEqual({ ...honest, ...rest, "Parrot erc20": "unverified" })
      expect(found["Parrot erc20"]?.record.reason).toBe(
        "the contract answers nothing that could be compared: it may be gone",
      )
      expect(found["Token erc20"]?.record).toMatchObject({
        state: "exact",
        compared: 6,
        blockNumber: await zoo.node.head(),
      })
      expect(found["Hybrid erc721"]?.record).toMatchObject({
        compared: 3,
        difference: { of: "balance", holder: carol, ledger: "1", node: "1500000000000000000", counts: "amounts" },
      })
      expect([await supplyOf("Keeping"), await balanceOf("Keeping", zero)]).toEqual(["10000", "30"])
      expect([await supplyOf("KeepingShy"), await balanceOf("KeepingShy", zero)]).toEqual(["10000", "40"])
      expect([await supplyOf("Token"), await balanceOf("OldToken", zero)]).toEqual(["9995", "77"])
      expect(await stored("Keeping")).toMatchObject([{ address: at.Keeping, state: "exact" }])
    })
  })

  test("a rebase, a silent mint, a fee without event, a false event, a lost contract are told apart, with both figures", async () => {
    const { people, act, at, node } = zoo
    const [, bob, carol, dave] = people as [Address, Address, Address, Address]
    await act(
      [0, "Rebasing", ["rebase", 11n * 10n ** 17n]],
      [0, "Silent", ["slip", carol, 500n]],
      [2, "Skimming", ["transfer", dave, 100n]],
      [0, "LyingToken", ["pretend", zero, bob, most]],
      [0, "Proxy", ["upgrade", at.Keeping]],
      [3, "Token", ["transfer", bob, 1n]],
      [1, "Hybrid", ["transfer", dave, 10n ** 17n]],
      [2, "Hybrid", ["transfer", bob, 10n ** 17n]],
    )
    await node.rpc("anvil_setCode", [at.GarbledToken, "0x"])
    await node.mine()
    await onEach(async ({ audit, statesOf }) => {
      const found = await audit()
      expect(statesOf(found)).toEqual({
        ...honest,
        "Rebasing erc20": "rebasing",
        "Silent erc20": "drift",
        "Skimming erc20": "drift",
        "LyingToken erc20": "drift",
        "Keeping erc20": "exact",
        "KeepingShy erc20": "exact",
        "Proxy erc20": "exact",
        "GarbledToken erc20": "unverified",
        "Parrot erc20": "unverified",
      })
      const recordOf = (name: string) => found[`${name} erc20`]?.record
      expect(recordOf("Silent")?.difference).toEqual({ of: "supply", ledger: "10000", node: "10500" })
      expect(recordOf("Silent")?.reason).toBe(
        "2 of 6 figures are not the contract's own: they changed without events, or events were not true",
      )
      expect(recordOf("Skimming")?.difference).toEqual({ of: "balance", holder: dave, ledger: "3100", node: "3090" })
      expect(recordOf("LyingToken")?.difference).toEqual({
        of: "supply",
        ledger: String(10_000n + most),
        node: "10000",
      })
      expect(recordOf("Rebasing")?.difference).toEqual({ of: "supply", ledger: "10000", node: "11000" })
      expect(found["Silent erc20"]?.before?.state).toBe("exact")
    })
  })

  test("equal again is exact, and says since when; a rebasing token stays one; an upgrade that lies is seen", async () => {
    const { people, act, at } = zoo
    const carol = people[2]!
    const wrongAt = await zoo.node.head()
    await act(
      [0, "Rebasing", ["rebase", 10n ** 18n]],
      [0, "Silent", ["takeBack", carol, 500n]],
      [0, "Proxy", ["upgrade", at.Skimming]],
      [3, "Proxy", ["transfer", carol, 50n]],
    )
    const rightAt = await zoo.node.head()
    await onEach(async ({ audit, stored }) => {
      const found = await audit()
      expect(found["Silent erc20"]?.record).toMatchObject({
        state: "exact",
        reason: `equal again; from block ${wrongAt} to ${rightAt - 1} it differed, and its history there is not to be relied on`,
      })
      expect(found["Silent erc20"]?.record.difference).toBeUndefined()
      expect(found["Rebasing erc20"]?.record.state).toBe("rebasing")
      expect(found["Proxy erc20"]?.record.state).toBe("drift")
      expect((await stored("Proxy"))[0]).toMatchObject({
        state: "drift",
        difference: { of: "balance", holder: carol, ledger: "2053", node: "2048" },
      })
    })
  })

  test("at one look a rebase is told by its ratio; who may not put the ledger right says so", async () => {
    await zoo.act([0, "Rebasing", ["rebase", 12n * 10n ** 17n]])
    const found = await late.audit(false)
    expect(late.statesOf(found)).toMatchObject({ ...honest, "Rebasing erc20": "rebasing", "Keeping erc20": "drift" })
    expect(found["Keeping erc20"]?.record.reason).toBe(
      "what is sent to the zero address is not burnt here, the supply stays: the service that writes the ledger puts that right",
    )
    expect(await late.supplyOf("Keeping")).toBe("9970")
    const { state, reason } = (await late.audit())["Keeping erc20"]!.record
    // What the command had seen before is no doubt of its history.
    expect([state, reason]).toEqual(["exact", undefined])
    expect(await late.supplyOf("Keeping")).toBe("10000")
  })
})

describe("the command", () => {
  const services: Array<Service> = []
  afterAll(() => Promise.all(services.map(({ stop }) => stop())))
  const listOf = async (service: Service) =>
    (await service.get<{ readonly items: ReadonlyArray<Listed> }>("/v2/status/audit?limit=100")).items

  let operator: ReturnType<typeof operate>
  beforeAll(async () => {
    operator = operate(zoo.node.url, await testDatabase())
  })

  test("compares every token beside a service that writes them, and ends with 1 for drift", async () => {
    const { at, node } = zoo
    const { start, audit } = operator
    const empty = await audit()
    expect([empty.code, empty.output]).toEqual([2, "cowry audit: chain 31337: nothing is stored of it\n"])
    const { hash } = await node.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])
    const service = await start()
    services.push(service)
    await service.indexed("31337", hash)
    const { code, output } = await audit("31337", "--all", "--holders=5")
    const drifting = ["Skimming", "Proxy", "LyingToken", "Keeping", "KeepingShy"] as const
    expect(code).toBe(1)
    for (const name of drifting) {
      expect(output).toContain(`chain 31337: token ${at[name]} (erc20) is drift at block ${await node.head()}: `)
    }
    expect(output).toContain("the service that writes the ledger puts that right")
    expect(output).toContain("chain 31337: of all its tokens: 10 exact, 5 drift, 1 rebasing, 2 unverified\n")
    expect((await listOf(service)).filter(({ state }) => state === "drift").map((it) => it.address)).toEqual(
      drifting.map((name) => at[name]).toSorted(),
    )
    await service.stop()
  })

  test("without a service puts the ledger right, and compares every holder of a token", async () => {
    const { at, node } = zoo
    const { audit } = operator
    // A chain that is named twice is compared once.
    const { code, output } = await audit("31337,31337", `--token=${at.Keeping},${at.Goods}`, "--all")
    expect(output.trim().split("\n")).toEqual([
      `chain 31337: of what was sent to the zero address the ledger keeps what the contract keeps: ${at.Keeping}`,
      `chain 31337: token ${at.Keeping} (erc20): 5 figures of all its holders, of which 0 differ`,
      `chain 31337: token ${at.Goods} (erc1155): 2 figures of all its holders, of which 0 differ`,
      `chain 31337: 2 tokens compared up to block ${await node.head()}, 8 figures: 2 exact, 0 drift, 0 rebasing, 0 unverified`,
      "chain 31337: of all its tokens: 11 exact, 4 drift, 1 rebasing, 2 unverified",
    ])
    expect(code).toBe(0)
    const hybrid = await audit("31337", `--token=${at.Hybrid}`, "--all")
    expect([hybrid.code, hybrid.output.trim().split("\n")[0]]).toEqual([
      0,
      `chain 31337: 1 token compared up to block ${await node.head()}, 3 figures: 1 exact, 0 drift, 0 rebasing, 0 unverified`,
    ])
    const whole = await audit("31337", `--token=${at.Skimming}`, "--all")
    expect([whole.code, whole.output]).toEqual([
      1,
      expect.stringContaining("4 figures of all its holders, of which 1 differ"),
    ])
    const lost = await audit("31337", `--token=${at.GarbledToken}`, "--all")
    expect(lost.output.trim().split("\n")[1]).toBe(
      `chain 31337: token ${at.GarbledToken} (erc20): 0 figures of all its holders, of which 0 differ; of 4 more the contract says nothing`,
    )
    expect(lost.output).toContain(", 0 figures: 0 exact, 0 drift, 0 rebasing, 1 unverified\n")
    const unknown = await audit("31337", `--token=${at.Goods.replace("0x", "0x0").slice(0, 42)}`)
    expect([unknown.code, unknown.output]).toEqual([2, expect.stringContaining("the ledger has no token")])
  })

  test("is not needed: a service compares by itself, and answers with the contract's figures where its own are in doubt", async () => {
    const { at, node } = zoo
    await node.mine()
    const head = await node.head()
    const service = await operator.start({ AUDIT_SECONDS_31337: "1" })
    services.push(service)
    expect(
      await until(async () => (await listOf(service)).find(({ blockNumber }) => blockNumber === head)),
    ).toBeDefined()
    const query = `module=stats&action=tokensupply&contractaddress=${at.Rebasing}`
    const answer = await fetch(`${service.url}/v2/network/mainnet/evm/31337/compat/api?${query}`)
    const named = ["x-as-of-block", "x-audit-state", "x-balance-source"].map((name) => answer.headers.get(name))
    expect([...named, ((await answer.json()) as { readonly result: string }).result]).toEqual([
      `31337:${head}`,
      "31337:rebasing",
      "node",
      "12000",
    ])
  })

  test("refuses what it cannot understand before it opens anything", async () => {
    const { audit } = operate(zoo.node.url, "postgres://nobody@127.0.0.1:1/nothing")
    for (const [word, complaint] of [
      ["--token=0x12", 'cowry audit: --token: expected addresses of 40 hex digits, got "0x12"\n'],
      ["--holders=0", "cowry audit: --holders: expected a whole number from 1 to 1000, got 0\n"],
      ["--holders=0x10", "cowry audit: --holders: expected a whole number from 1 to 1000, got 0x10\n"],
      ["--holders=1e2", "cowry audit: --holders: expected a whole number from 1 to 1000, got 1e2\n"],
      ["--holders= 7 ", "cowry audit: --holders: expected a whole number from 1 to 1000, got  7 \n"],
    ] as const) {
      expect(await audit(word)).toEqual({ code: 2, output: complaint })
    }
  })
})
