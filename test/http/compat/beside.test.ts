/** docs/interface.md, "The compatibility endpoint": native balances, blocks by time, prices, ERC-1155 holdings, Blockscout's questions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainSource, SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { NativeBalances } from "../../../src/ports/NativeBalances.ts"
import { nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, type Json, prefix, startService } from "../support.ts"
import { ann, apes, avalanche, bob, cid, gold, potions, salt, startWorld, zero } from "../world.ts"

const chain = avalanche()
const head = chain.blocks.at(-1)!.header
let failing = false
const asked: Array<readonly [block: number, hash: string | undefined]> = []
const down = new SourceUnavailable({ message: "rate limit of http://node.test" })

/** Blocks of chain 10, of which the ledger is given some: two a second, three of one time. */
const long = new TestChain()
for (let block = 0; block < 700; block++)
  long.block([], { time: 1000 + Math.floor(block / 2) + (block > 400 ? 50 : 0) })
const timesAsked: Array<number> = []

/** What the node says that the times of some blocks are. */
let toldTimes: (numbers: ReadonlyArray<number>, times: ReadonlyArray<number>) => ReadonlyArray<number>
const truth: typeof toldTimes = (_, times) => times
toldTimes = truth

/** Whether the node keeps no state but the newest block's. */
let pruned = false

const nodes = Layer.mergeAll(
  Layer.succeed(NativeBalances, {
    of: (_, addresses, block, hash) =>
      Effect.suspend(() => {
        asked.push([block, hash])
        return failing || (pruned && block < 4)
          ? Effect.fail(down)
          : Effect.succeed(addresses.map((it) => BigInt(it) * 10n ** 18n))
      }),
  }),
  Layer.succeed(ChainSource, {
    of: () =>
      ({
        headers: (numbers: ReadonlyArray<number>) =>
          Effect.suspend(() => {
            timesAsked.push(numbers.length)
            if (failing) return Effect.fail(down)
            const headers = numbers.map((it) => long.blocks[it]!.header)
            const times = toldTimes(
              numbers,
              headers.map(({ time }) => time),
            )
            return Effect.succeed(headers.map((header, index) => ({ ...header, time: times[index]! })))
          }),
      }) as never,
  }),
)

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({
    replace: nodes as Layer.Layer<never>,
    chains: chains.map((it) => (it.chainId === "43114" ? { ...it, wrappedNative: [salt, gold] } : it)),
  })
  const writer = await service.open("10")
  await service.run(writer.append(long.segment(0, 699, { finalizedBlock: 690 })))
})
afterAll(() => service.close())

const call = async (query: string, path = "/43114/api") => (await service.get(`${path}?${query}`)).body
const ok = (result: Json) => ({ status: "1", message: "OK", result })
const notOk = (result: Json) => ({ status: "0", message: "NOTOK", result })
const native = (who: string) => String(BigInt(who) * 10n ** 18n)

describe("native balances", () => {
  const balance = `module=account&action=balance&address=${ann}`

  test("are the node's at the very block of the answer", async () => {
    asked.length = 0
    expect(await call(balance)).toEqual(ok(native(ann)))
    expect(await call(`${balance}&tag=latest`)).toEqual(ok(native(ann)))
    expect(await call(`${balance}&tag=0x4`)).toEqual(ok(native(ann)))
    expect(asked).toEqual([0, 1, 2].map(() => [4, head.hash]))
    expect(await call(`${balance}&tag=2`)).toEqual(ok(native(ann)))
    expect(await call(`module=account&action=balancehistory&address=${ann}&blockno=1`)).toEqual(ok(native(ann)))
    expect(asked.slice(3)).toEqual([
      [2, undefined],
      [1, undefined],
    ])
  })

  test("of several in the order asked", async () => {
    const many = (addresses: ReadonlyArray<string>) => call(`module=account&action=balancemulti&address=${addresses}`)
    expect(await many([bob, ann, bob])).toEqual(
      ok([bob, ann, bob].map((account) => ({ account, balance: native(account) }))),
    )
    const repeated = `module=account&action=balancemulti&address=${bob}&address=${ann},${bob}`
    expect(await call(repeated)).toEqual(await many([bob, ann, bob]))
    const form = { method: "POST", body: new URLSearchParams(repeated) }
    expect((await service.get("/43114/api", form)).body).toEqual(await many([bob, ann, bob]))
    expect((await many(Array(20).fill(ann))).result.length).toBe(20)
    const tooMany = Array(21).fill(`address=${ann}`).join("&")
    expect(await call(`module=account&action=balancemulti&${tooMany}`)).toEqual(await many(Array(21).fill(ann)))
    expect(await call("module=account&action=balancemulti")).toEqual(notOk("Error! Invalid address format"))
    expect(await many(Array(21).fill(ann))).toEqual(notOk("Error! expected at most 20 addresses, got 21"))
    expect(await many([ann, "0x12"])).toEqual(notOk("Error! Invalid address format"))
    expect(await many([])).toEqual(notOk("Error! Invalid address format"))
  })

  test("are refused, and never 0, where the node does not tell", async () => {
    failing = true
    const failed = [await call(balance), await call(`${balance}&tag=1`)]
    failing = false
    pruned = true
    const ofPruned = await call(`${balance}&tag=1`)
    pruned = false
    const silent = notOk("Error! the balance is not known: the chain's node could not be asked. Try again shortly")
    expect([...failed, ofPruned]).toEqual([
      silent,
      silent,
      notOk(
        "Error! the balance is not known: the chain's node could not tell it after block 1, which takes an archive node",
      ),
    ])
    expect((await call(`${balance}&tag=5`)).result).toStartWith("Error! Invalid block number: expected a block up to")
    expect((await call(balance, "/43113/api")).result).toContain("nothing is indexed yet")
  })

  test("are made anew for everybody", async () => {
    asked.length = 0
    await call(balance)
    await call(balance)
    expect(asked.length).toBe(2)
  })
})

describe("blocks by time", () => {
  const at = (time: number | string, closest = "before") =>
    call(`module=block&action=getblocknobytime&timestamp=${time}&closest=${closest}`, "/10/api")
  const times = long.blocks.map(({ header }) => header.time)

  test("are exact on both sides, whatever the ledger itself knows", async () => {
    for (const time of [
      1000, 1001, 1100, 1127, 1128, 1129, 1199, 1200, 1201, 1225, 1250, 1251, 1300, 1344, 1345, 1398,
    ]) {
      const before = times.findLastIndex((it) => it <= time)
      const after = times.findIndex((it) => it >= time)
      expect([time, await at(time), await at(time, "after")]).toEqual([time, ok(String(before)), ok(String(after))])
    }
    expect(Math.max(...timesAsked)).toBeLessThanOrEqual(16)
  })

  for (const [name, told] of [
    ["of no time", (_, times) => times.map(() => 0)],
    ["that are to come", (_, times) => times.map(() => 9_999_999_999)],
    ["that fall", (_, times) => times.toReversed()],
    // True at first, and then older than a block below that was told of before.
    [
      "of times that those of before rule out",
      ([one, next], times) => times.map((it) => (next === one! + 1 ? it - 100 : it)),
    ],
  ] satisfies ReadonlyArray<readonly [string, typeof toldTimes]>)
    test(`are refused where the node tells blocks ${name}`, async () => {
      toldTimes = told
      const found = [await at(1371), await at(1371, "after")]
      toldTimes = truth
      const impossible = "the chain's node tells times that the blocks around them rule out. Try again shortly"
      expect(found).toEqual(found.map(() => notOk(`Error! the block is not known: ${impossible}`)))
    })

  test("at the ends", async () => {
    expect(await at(999)).toEqual(notOk("Error! No closest block found"))
    expect(await at(999, "after")).toEqual(ok("0"))
    expect(await at(2000)).toEqual(ok("699"))
    expect(await at(2000, "after")).toEqual(notOk("Error! No closest block found"))
    expect((await call("module=block&action=getblocknobytime&timestamp=5", "/43113/api")).status).toBe("0")
  })

  test("that are to come are refused: of them the newest block is not the last", async () => {
    const now = Math.floor(Date.now() / 1000)
    // A caller's clock may be ahead of this one.
    expect(await at(now + 60)).toEqual(ok("699"))
    for (const time of [now + 3600, 9_999_999_999])
      expect(await at(time)).toEqual(notOk("Error! Block timestamp too far in the future"))
    expect(await at(now + 3600, "after")).toEqual(notOk("Error! No closest block found"))
  })

  test("are refused where they are no times, or the node does not tell", async () => {
    for (const time of ["", "x", "-1", "1.5", "9".repeat(20)])
      expect(await at(time)).toEqual(notOk("Error! Invalid timestamp"))
    expect(await at(1100, "near")).toEqual(notOk("Error! Invalid value of closest: expected before, after"))
    failing = true
    const failed = await at(1100)
    failing = false
    expect(failed).toEqual(
      notOk("Error! the block is not known: the chain's node could not be asked. Try again shortly"),
    )
  })
})

test("the price of the native currency, and of a token, is refused or left out where none is known", async () => {
  expect(await call("module=stats&action=ethprice")).toEqual(notOk("Error! no price of the native currency is known"))
  const info = `module=token&action=tokeninfo&contractaddress=${gold}`
  const { result } = await call(info)
  expect([result[0].divisor, result[0].tokenPriceUSD]).toEqual(["18", undefined])
  expect((await call(info, `${prefix("43114")}/etherscan/api`)).result[0].divisor).toBeUndefined()
  expect((await call(`module=token&action=tokeninfo&contractaddress=${apes}`)).result[0].divisor).toBe("0")
})

test("ERC-1155 holdings and inventory", async () => {
  const entry = (quantity: string) => ({
    TokenAddress: potions,
    TokenQuantity: quantity,
    TokenName: "",
    TokenSymbol: "",
  })
  const held = (who: string, more = "") => call(`module=account&action=addresstoken1155balance&address=${who}${more}`)
  expect(await held(ann)).toEqual(ok([entry("11")]))
  expect(await held(bob)).toEqual(ok([entry("4")]))
  expect(await held(ann, "&blockno=2")).toEqual(ok([entry("15")]))
  expect(await held(cid)).toEqual(ok([]))
  const ids = (who: string, more = "") =>
    call(`module=account&action=addresstoken1155inventory&contractaddress=${potions}&address=${who}${more}`)
  const unit = (TokenId: string, TokenQuantity: string) => ({ TokenAddress: potions, TokenId, TokenQuantity })
  expect(await ids(ann)).toEqual(ok([unit("1", "6"), unit("2", "5")]))
  expect(await ids(ann, "&page=2&offset=1")).toEqual(ok([unit("2", "5")]))
  expect(await ids(bob)).toEqual(ok([unit("1", "4")]))
  expect(await ids(cid)).toEqual(ok([]))
})

test("Blockscout's questions, and the largest holders in whole tokens", async () => {
  const holding = (contractAddress: string, balance: string, type: string, more: Json = {}) => ({
    ...{ balance, contractAddress, decimals: "", name: "", symbol: "", type },
    ...more,
  })
  expect(await call(`module=account&action=tokenlist&address=${ann}`)).toEqual(
    ok([
      holding(gold, "650", "ERC-20", { decimals: "18", name: "Gold", symbol: "AU" }),
      holding(apes, "2", "ERC-721", { name: "Apes", symbol: "APE" }),
      holding(potions, "11", "ERC-1155"),
    ]),
  )
  expect(await call(`module=token&action=getToken&contractaddress=${gold}`)).toEqual(
    ok({
      ...{ cataloged: true, contractAddress: gold, decimals: "18", name: "Gold", symbol: "AU" },
      ...{ totalSupply: "900", type: "ERC-20" },
    }),
  )
  expect(await call(`module=token&action=GETTOKEN&contractaddress=${cid}`)).toEqual(notOk("Error! Token not found"))
  const holders = [
    [ann, "650"],
    [bob, "200"],
    [cid, "50"],
  ] as const
  expect(await call(`module=token&action=getTokenHolders&contractaddress=${gold}`)).toEqual(
    ok(holders.map(([address, value]) => ({ address, value }))),
  )
  expect(
    (await call(`module=token&action=getTokenHolders&contractaddress=${gold}&page=2&offset=2`)).result.length,
  ).toBe(1)
  expect(await call(`module=token&action=topholders&contractaddress=${gold}&offset=1`)).toEqual(
    ok([{ TokenHolderAddress: ann, TokenHolderQuantity: "0.00000000000000065" }]),
  )
  expect(await call(`module=token&action=topholders&contractaddress=${salt}`)).toEqual(
    ok([{ TokenHolderAddress: bob, TokenHolderQuantity: "7" }]),
  )
})

test("lists of what is held are of the block that is named; what is of now alone refuses one", async () => {
  const inventory = `module=account&action=addresstoken1155inventory&contractaddress=${potions}&address=${ann}`
  const unit = (TokenId: string, TokenQuantity: string) => ({ TokenAddress: potions, TokenId, TokenQuantity })
  expect(await call(`${inventory}&blockno=2`)).toEqual(ok([unit("1", "10"), unit("2", "5")]))
  expect(await call(`${inventory}&blockno=2&page=2&offset=1`)).toEqual(ok([unit("2", "5")]))
  expect(await call(`${inventory}&blockno=1`)).toEqual(ok([]))
  expect(await call(`module=token&action=topholders&contractaddress=${gold}&blockno=2`)).toEqual(
    ok([
      { TokenHolderAddress: ann, TokenHolderQuantity: "0.00000000000000075" },
      { TokenHolderAddress: bob, TokenHolderQuantity: "0.00000000000000025" },
    ]),
  )
  expect(await call(`module=token&action=getTokenHolders&contractaddress=${gold}&blockno=1`)).toEqual(
    ok([{ address: ann, value: "1000" }]),
  )
  const list = `module=account&action=tokenlist&address=${ann}`
  const heldAt = async (block: number) =>
    (await call(`${list}&blockno=${block}`)).result.map((it: Json) => [it.contractAddress, it.balance])
  expect(await heldAt(1)).toEqual([
    [gold, "1000"],
    [apes, "4"],
  ])
  expect(await heldAt(2)).toEqual([
    [gold, "750"],
    [apes, "3"],
    [potions, "15"],
  ])
  expect((await call(`${list}&blockno=5`)).result).toContain("Invalid block number: expected a block up to")
  expect(await call(`${inventory}&blockno=0x2`)).toEqual(notOk("Error! Invalid block number"))
  // As Etherscan's do, actions that are of now alone pass over it.
  const balance = `module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
  expect(await call(`${balance}&blockno=1`)).toEqual(await call(balance))
})

test("topholders of an ERC-20 is refused until its contract was asked for its decimals: raw amounts would pass for whole tokens", async () => {
  const young = await startService()
  const chain = new TestChain().block([transfer(gold, zero, ann, 1500n), nftTransfer(apes, zero, ann, 1n)])
  const writer = await young.open("43114")
  await young.run(writer.append(chain.segment(0)))
  const top = async (token: string) =>
    (await young.get(`/43114/api?module=token&action=topholders&contractaddress=${token}`)).body
  const none = notOk("Error! the decimals of the token are not known yet: ask again shortly")
  const of = (amount: string) => ok([{ TokenHolderAddress: ann, TokenHolderQuantity: amount }])
  expect(await top(gold)).toEqual(none)
  expect(await top(apes)).toEqual(of("1"))
  expect(await top(cid)).toEqual(ok([]))
  const describe = async (decimals?: number) => {
    const tokens = await young.run(writer.listUndescribedTokens(9))
    const description = decimals === undefined ? {} : { decimals }
    await young.run(writer.describeTokens(tokens.map((token) => ({ token, description }))))
  }
  await describe(3)
  expect(await top(gold)).toEqual(of("1.5"))
  // One that has none counts in what it has.
  await young.run(writer.append(chain.block([transfer(salt, zero, ann, 7n)]).segment(1)))
  expect(await top(salt)).toEqual(none)
  await describe()
  expect(await top(salt)).toEqual(of("7"))
  await young.close()
})
