/** docs/interface.md, "The compatibility endpoint": the compatibility answers, row by row. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { QueryTooSlow, type StoreError, StoreUnavailable } from "../../../src/model/errors.ts"
import { BlockTimes } from "../../../src/ports/BlockTimes.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { always } from "../../support/always.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, type Json, prefix, sha256, startService, store } from "../support.ts"
import { ann, apes, bob, cid, gold, other, potions, salt, startWorld, zero } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const path = `${prefix("43114")}/etherscan/api`
const call = (query: string, at = path) => service.get(`${at}?${query}`)
const ok = (result: Json) => ({ status: 200, body: { status: "1", message: "OK", result } })
const notOk = (result: Json, status = 200) => ({ status, body: { status: "0", message: "NOTOK", result } })
const chainNotSupported = { status: 200, body: { status: "0", message: "chain not supported", result: null } }
const nobody = address(0xdead)

const balance = `module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
const balanceAt = `module=account&action=tokenbalancehistory&contractaddress=${gold}&address=${ann}`
const supplyAt = `module=stats&action=tokensupplyhistory&contractaddress=${gold}`
const holderList = `module=token&action=tokenholderlist&contractaddress=${gold}`
const holdings = "module=account&action=addresstokenbalance"
const collections = "module=account&action=addresstokennftbalance"
const inventory = `module=account&action=addresstokennftinventory&contractaddress=${apes}`
const mostId = String(2n ** 256n - 1n)

describe("the handler answers at /compat/api and at /etherscan/api, with or without a trailing slash", () => {
  test.each(["/compat/api", "/compat/api/", "/etherscan/api", "/etherscan/api/"])("%s", async (end) => {
    expect(await call(balance, prefix("43114") + end)).toEqual(ok("650"))
  })
})

describe("| success |", () => {
  test.each([
    [`module=stats&action=tokensupply&contractaddress=${gold}`, "900"],
    [balance, "650"],
    [`${supplyAt}&blockno=1`, "1000"],
    [`${supplyAt}&blockno=0`, "0"],
    [`${balanceAt}&blockno=2`, "750"],
    [`${balanceAt}&blockno=4`, "650"],
    [`module=token&action=tokenholdercount&contractaddress=${gold}`, "3"],
    [
      holderList,
      [
        { TokenHolderAddress: ann, TokenHolderQuantity: "650" },
        { TokenHolderAddress: bob, TokenHolderQuantity: "200" },
        { TokenHolderAddress: cid, TokenHolderQuantity: "50" },
      ],
    ],
    [`${holderList}&page=2&offset=2`, [{ TokenHolderAddress: cid, TokenHolderQuantity: "50" }]],
    [
      `${holdings}&address=${bob}`,
      [
        { TokenAddress: gold, TokenName: "Gold", TokenSymbol: "AU", TokenQuantity: "200", TokenDivisor: "18" },
        { TokenAddress: salt, TokenName: "", TokenSymbol: "", TokenQuantity: "7", TokenDivisor: "0" },
      ],
    ],
    [
      `${collections}&address=${ann}`,
      [{ TokenAddress: apes, TokenQuantity: "2", TokenName: "Apes", TokenSymbol: "APE" }],
    ],
    [
      `${inventory}&address=${ann}`,
      [
        { TokenAddress: apes, TokenId: "1" },
        { TokenAddress: apes, TokenId: mostId },
      ],
    ],
    [`${inventory}&address=${ann}&page=2&offset=1`, [{ TokenAddress: apes, TokenId: mostId }]],
  ])("%s", async (query, result) => {
    expect(await call(query)).toEqual(ok(result))
  })

  test("keys in the order status, message, result", async () => {
    const response = await service.fetch(`${path}?${balance}`)
    expect(await response.text()).toBe('{"status":"1","message":"OK","result":"650"}')
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
  })

  const unknown = Object.fromEntries(
    [
      ...["description", "website", "email", "blog", "reddit", "slack", "facebook", "twitter", "bitcointalk"],
      ...["github", "telegram", "wechat", "linkedin", "discord", "whitepaperUrl", "audit"],
    ].map((name) => [name, ""]),
  )

  test.each([
    [gold, { tokenType: "ERC20", tokenName: "Gold", symbol: "AU", totalSupply: "900" }],
    [apes, { tokenType: "ERC721", tokenName: "Apes", symbol: "APE", totalSupply: "3" }],
    [potions, { tokenType: "ERC1155", tokenName: "", symbol: "", totalSupply: "" }],
  ])("tokeninfo of %s: every field a string, unknown texts empty", async (contract, known) => {
    const { body } = await call(`module=token&action=tokeninfo&contractaddress=${contract}`)
    expect(body.result).toEqual([{ contractAddress: contract, ...known, blueCheckmark: "false", ...unknown }])
  })

  test("its keys come in the order of the contract", async () => {
    const { body } = await call(`module=token&action=tokeninfo&contractaddress=${gold}`)
    const first = ["contractAddress", "tokenType", "tokenName", "symbol", "totalSupply", "blueCheckmark"]
    expect(Object.keys(body.result[0])).toEqual([...first, ...Object.keys(unknown)])
  })

  test("names, module and action in any letter case, addresses too", async () => {
    const shouted = `MODULE=Account&Action=TOKENBALANCE&ContractAddress=${gold.toUpperCase().replace("X", "x")}&ADDRESS=${ann}&TAG=LATEST`
    expect(await call(shouted)).toEqual(ok("650"))
  })
})

test("| empty list |", async () => {
  expect(await call(`${holdings}&address=${nobody}`)).toEqual(ok([]))
  expect(await call(`${holderList}&page=5`)).toEqual(ok([]))
  expect(await call(`${collections}&address=${nobody}`)).toEqual(ok([]))
  expect(await call(`${collections}&address=${ann}&page=2`)).toEqual(ok([]))
  expect(await call(`${inventory}&address=${nobody}`)).toEqual(ok([]))
  expect(await call(`${inventory.replace(apes, nobody)}&address=${ann}`)).toEqual(ok([]))
  expect(await call(`${inventory.replace(apes, gold)}&address=${ann}`)).toEqual(ok([]))
})

test("| balance, supply, holder count of an unknown token or holder |", async () => {
  expect(await call(`${balance}&address=${nobody}`.replace(`&address=${ann}`, ""))).toEqual(ok("0"))
  expect(await call(`module=stats&action=tokensupply&contractaddress=${nobody}`)).toEqual(ok("0"))
  expect(await call(`module=token&action=tokenholdercount&contractaddress=${nobody}`)).toEqual(ok("0"))
  expect(await call(balance.replace(gold, nobody))).toEqual(ok("0"))
  expect(await call(balance, `${prefix("10")}/compat/api`)).toEqual(ok("0"))
})

test("| tokeninfo of an unknown contract |", async () => {
  expect(await call(`module=token&action=tokeninfo&contractaddress=${nobody}`)).toEqual(ok([]))
})

test.each(["", "action=tokenbalance", "module=", "module=foo&action=bar", "module=constructor"])(
  "| module missing or unknown | %s",
  async (query) => {
    expect(await call(query)).toEqual(notOk("Error! Missing Or invalid Module name"))
  },
)

test.each([
  "module=stats",
  "module=stats&action=",
  "module=stats&action=tokenbalance",
  "module=token&action=__proto__",
])("| action missing or unknown | %s", async (query) => {
  expect(await call(query)).toEqual(notOk("Error! Missing Or invalid Action name"))
})

test.each([
  `module=account&action=tokenbalance&contractaddress=${gold}`,
  `module=account&action=tokenbalance&contractaddress=${gold}&address=0x12`,
  `module=account&action=tokenbalancehistory&contractaddress=${gold}&blockno=1&address=`,
  `${holdings}&address=nobody`,
  holdings,
  collections,
  `${collections}&address=0x`,
  inventory,
  `${inventory}&address=${ann}00`,
])("| address malformed or missing | %s", async (query) => {
  expect(await call(query)).toEqual(notOk("Error! Invalid address format"))
})

test.each([
  "module=stats&action=tokensupply",
  `module=account&action=tokenbalance&address=${ann}&contractaddress=0x`,
  "module=token&action=tokenholderlist&contractaddress=x",
  "module=token&action=tokenholdercount",
  "module=token&action=tokeninfo",
  "module=stats&action=tokensupplyhistory&blockno=1",
  `module=account&action=addresstokennftinventory&address=${ann}`,
  `module=account&action=addresstokennftinventory&address=${ann}&contractaddress=apes`,
])("| contractaddress malformed or missing | %s", async (query) => {
  expect(await call(query)).toEqual(notOk("Error! Invalid contract address format"))
})

describe("| blockno or tag malformed, missing or beyond the indexed head |", () => {
  test.each([
    balanceAt,
    `${balanceAt}&blockno=`,
    `${balanceAt}&blockno=latest`,
    `${balanceAt}&blockno=0x1`,
    `${balanceAt}&blockno=-1`,
    `${balanceAt}&blockno=1.5`,
    `${balance}&tag=newest`,
    `${balance}&tag=0x`,
    `${balance}&tag=-1`,
  ])("malformed: %s", async (query) => {
    expect(await call(query)).toEqual(notOk("Error! Invalid block number"))
  })

  test("beyond every head", async () => {
    const reason = "expected a block up to 9007199254740991, got a larger number"
    const wanted = notOk(`Error! Invalid block number: ${reason}`)
    expect(await call(`${supplyAt}&blockno=99999999999999999999999999`)).toEqual(wanted)
    expect(await call(`${balance}&tag=0xffffffffffffffffffff`)).toEqual(wanted)
  })

  test.each([`${balanceAt}&blockno=5`, `${supplyAt}&blockno=5`, `${balance}&tag=5`, `${balance}&tag=0x5`])(
    "beyond the head: %s",
    async (query) => {
      expect(await call(query)).toEqual(
        notOk("Error! Invalid block number: expected a block up to the indexed head 4, got 5"),
      )
    },
  )

  test("the largest number that is one is beyond the head too", async () => {
    expect((await call(`${supplyAt}&blockno=9007199254740991`)).body.result).toContain("indexed head 4")
  })

  test("before the indexed history, with where it starts", async () => {
    const at = `${prefix("1")}/compat/api`
    const reason = "is before the indexed history, which starts at block 20"
    const asked = `module=stats&action=tokensupplyhistory&contractaddress=${other}&blockno=`
    expect(await call(`${asked}19`, at)).toEqual(notOk(`Error! Invalid block number: block 19 ${reason}`))
    // Nothing was minted by then: whether the token is older, nobody knows yet.
    const unknown = "the supply is not known: the token may be older than the ledger, which starts at block 20"
    expect(await call(`${asked}20`, at)).toEqual(notOk(`Error! ${unknown}`))
    const earliest = balance.replace(gold, other)
    expect(await call(`${earliest}&tag=earliest`, at)).toEqual(notOk(`Error! Invalid block number: block 0 ${reason}`))
  })
})

test.each([
  ["tag=latest", "650"],
  ["tag=", "650"],
  ["tag=pending", "650"],
  ["tag=earliest", "0"],
  ["tag=1", "1000"],
  ["tag=0x2", "750"],
  ["tag=0X2", "750"],
  ["tag=0", "0"],
  ["tag=2&tag=1", "750"],
])("`tag`: %s", async (tag, expected) => {
  expect(await call(`${balance}&${tag}`)).toEqual(ok(expected))
})

test("| `chainid` given and not the path's chain |", async () => {
  expect(await call(`${balance}&chainid=1`)).toEqual(
    notOk("Error! chainid 1 is not the chain of this path, which is 43114"),
  )
  expect(await call(`${balance}&chainid=43114`)).toEqual(ok("650"))
  expect(await call(`${balance}&chainId=`)).toEqual(ok("650"))
})

test("| page × offset > 10000 |", async () => {
  const tooLarge = {
    status: 200,
    body: {
      status: "0",
      message: "Result window is too large, PageNo x Offset size must be less than or equal to 10000",
      result: null,
    },
  }
  for (const window of ["page=101&offset=100", "offset=10001", "page=1001", "page=99999999999999999999"]) {
    expect(await call(`${holderList}&${window}`)).toEqual(tooLarge)
  }
  expect(await call(`${holdings}&address=${bob}&page=101`)).toEqual(tooLarge)
  expect(await call(`${collections}&address=${bob}&page=101`)).toEqual(tooLarge)
  expect(await call(`${inventory}&address=${bob}&page=2&offset=5001`)).toEqual(tooLarge)
  expect(await call(`${holderList}&page=1000`)).toEqual(ok([]))
  expect(await call(`${holderList}&page=1&offset=10000`)).toMatchObject({ body: { status: "1" } })
})

test("`page` absent = 1; `offset` absent = 10 for tokenholderlist and 100 elsewhere; non-numeric or ≤ 0 = the default", async () => {
  const many = await startService()
  const mints = Array.from({ length: 120 }, (_, i) => transfer(gold, zero, address(0x1000 + i), BigInt(i + 1)))
  const tokens = Array.from({ length: 120 }, (_, i) => transfer(address(0x5000 + i), zero, ann, 1n))
  const ids = Array.from({ length: 120 }, (_, id) => nftTransfer(apes, zero, ann, BigInt(id)))
  const contracts = Array.from({ length: 120 }, (_, i) => nftTransfer(address(0x7000 + i), zero, ann, 1n))
  await store(many, "43114", new TestChain().block(mints).block(tokens).block(ids).block(contracts))
  const rows = async (query: string) => (await many.get(`${path}?${query}`)).body.result.length
  for (const window of ["", "&page=", "&offset=", "&page=x&offset=y", "&page=0&offset=0", "&page=-1&offset=-5"]) {
    expect(await rows(holderList + window)).toBe(10)
    expect(await rows(`${holdings}&address=${ann}${window}`)).toBe(100)
    expect(await rows(`${collections}&address=${ann}${window}`)).toBe(100)
    expect(await rows(`${inventory}&address=${ann}${window}`)).toBe(100)
  }
  expect(await rows(`${holderList}&offset=119`)).toBe(119)
  expect(await rows(`${holderList}&offset=10000`)).toBe(120)
  expect(await rows(`${holdings}&address=${ann}&page=2`)).toBe(20)
  expect(await rows(`${collections}&address=${ann}&page=2`)).toBe(21)
  expect(await rows(`${inventory}&address=${ann}&page=2`)).toBe(20)
  expect(await rows(`${inventory}&address=${ann}&offset=10000`)).toBe(120)
  await many.close()
})

describe("Unknown network or chain, and `all`", () => {
  test.each([prefix("999"), prefix("all"), prefix("43113"), prefix("43114", "nonet")])("%s", async (at) => {
    for (const end of ["/compat/api", "/etherscan/api/"]) {
      expect(await call(balance, at + end)).toEqual(chainNotSupported)
    }
  })
})

test("| key invalid (strict mode only) |", async () => {
  const strict = await startService({ strictKeys: true, apiKeysSha256: [sha256("right")] })
  for (const given of ["", "apikey=wrong&", "apikey=&"]) {
    expect(await strict.get(`${path}?${given}${balance}`)).toEqual(notOk("Invalid API Key"))
  }
  for (const name of ["apikey", "apiKey", "APIKEY"]) {
    expect(await strict.get(`${path}?${name}=right&${balance}`)).toEqual(ok("0"))
  }
  await strict.close()
})

test("| rate limit: HTTP **429**, without `Retry-After` |", async () => {
  const limited = await startService({ rateLimitRpm: 1 })
  expect(await limited.get(`${path}?${balance}`)).toEqual(ok("0"))
  const response = await limited.fetch(`${path}?${balance}`)
  expect(response.headers.get("retry-after")).toBeNull()
  expect({ status: response.status, body: await response.json() }).toEqual(notOk("Max rate limit reached", 429))
  await limited.close()
})

describe("| our failure: HTTP 500/503/504 |", () => {
  const unreachable = "the store cannot be reached at the moment, try again shortly"
  const failures: ReadonlyArray<readonly [status: number, result: string, read: Effect.Effect<never, StoreError>]> = [
    [500, "Internal error", Effect.die(new Error("bug"))],
    [503, unreachable, Effect.fail(new StoreUnavailable({ cause: "down" }))],
    [504, "ask for less", Effect.fail(new QueryTooSlow({ message: "ask for less" }))],
  ]

  test.each(failures)("%i for every action that reads: %s", async (status, result, read) => {
    const broken = await startService({
      chains: chains.map((chain) => ({ ...chain, wrappedNative: [gold] })),
      replace: Layer.mergeAll(
        Layer.succeed(Freshness, always(read)),
        Layer.succeed(BlockTimes, always(read)),
        Layer.succeed(TokenStore, always(read)),
        Layer.succeed(SupplyStore, always(read)),
        Layer.succeed(NftStore, always(read)),
        Layer.succeed(HolderStore, always(read)),
        Layer.succeed(TransferStore, always(read)),
      ),
    })
    const wellMade = `address=${ann}&contractaddress=${gold}&timestamp=1`
    for (const { module, action, doc } of actions.filter(({ action }) => action !== "getapilimit")) {
      const block = doc.query.blockno?.required === true ? "&blockno=1" : ""
      const response = await broken.fetch(`${path}?module=${module}&action=${action}&${wellMade}${block}`)
      expect(response.headers.get("retry-after")).toBeNull()
      expect({ status: response.status, body: await response.json() }).toEqual(notOk(result, status))
    }
    await broken.close()
  })
})

test('anything but GET, HEAD, POST and OPTIONS is HTTP 405 with status "0", NOTOK, "Method not allowed"', async () => {
  for (const method of ["PUT", "DELETE", "PATCH"]) {
    expect(await service.get(`${path}?${balance}`, { method })).toEqual(notOk("Method not allowed", 405))
  }
})

test("Faults are found in this order: key, chain, module, action, chainid, address, contractaddress, block, window", async () => {
  const strict = await startService({ strictKeys: true, apiKeysSha256: [sha256("right")] })
  const wrong = `${prefix("all")}/compat/api?module=x`
  expect((await strict.get(wrong)).body.result).toBe("Invalid API Key")
  expect((await strict.get(`${wrong}&apikey=right`)).body.message).toBe("chain not supported")
  await strict.close()

  const resultOf = async (query: string) => (await call(query)).body.result
  const noAction = "action=x&chainid=1"
  expect(await resultOf(`module=x&${noAction}`)).toContain("Module")
  expect(await resultOf(`module=account&${noAction}`)).toContain("Action")
  const at = "module=account&action=tokenbalancehistory"
  expect(await resultOf(`${at}&chainid=1`)).toContain("chainid")
  expect(await resultOf(at)).toContain("Invalid address")
  expect(await resultOf(`${at}&address=${ann}`)).toContain("Invalid contract address")
  expect(await resultOf(`${at}&address=${ann}&contractaddress=${gold}`)).toContain("Invalid block number")
  expect(await resultOf(`${holdings}&page=20000`)).toContain("Invalid address")
  expect(await resultOf("module=token&action=tokenholderlist&page=20000")).toContain("Invalid contract address")
})

test('no error text holds "no records found", "no transactions found" or "no data found"', async () => {
  const long = `no records found, no transactions found, no data found${"x".repeat(100)}`
  for (const query of [
    `module=${long}`,
    `module=stats&action=${long}`,
    `${balance}&tag=${long}`,
    `${balanceAt}&blockno=${long}`,
  ]) {
    expect(JSON.stringify((await call(query)).body)).not.toMatch(/no (records|transactions|data) found/i)
  }
})

describe("Across kinds:", () => {
  const supply = (token: string, more = "") => call(`module=stats&action=tokensupply&contractaddress=${token}${more}`)
  const balanceOf = (token: string, holder: string, more = "") =>
    call(`module=account&action=tokenbalance&contractaddress=${token}&address=${holder}${more}`)

  test('tokensupply of ERC-721 = live ids, of ERC-1155 = "0"', async () => {
    expect(await supply(apes)).toEqual(ok("3"))
    expect(await supply(potions)).toEqual(ok("0"))
    const at = (block: number) => call(`${supplyAt.replace(gold, apes)}&blockno=${block}`)
    expect([await at(0), await at(2), await at(3)]).toEqual([ok("0"), ok("4"), ok("3")])
  })

  test("tokenbalance of ERC-721 = ids owned", async () => {
    expect([await balanceOf(apes, ann), await balanceOf(apes, bob)]).toEqual([ok("2"), ok("1")])
    expect([await balanceOf(apes, ann, "&tag=1"), await balanceOf(apes, bob, "&tag=earliest")]).toEqual([
      ok("4"),
      ok("0"),
    ])
    expect(await call(`${balanceAt.replace(gold, apes)}&blockno=2`)).toEqual(ok("3"))
  })

  test("tokenholderlist of ERC-1155 = sum over ids; tokenholdercount = distinct addresses", async () => {
    expect(await call(holderList.replace(gold, potions))).toEqual(
      ok([
        { TokenHolderAddress: ann, TokenHolderQuantity: "11" },
        { TokenHolderAddress: bob, TokenHolderQuantity: "4" },
      ]),
    )
    expect(await call(`module=token&action=tokenholdercount&contractaddress=${potions}`)).toEqual(ok("2"))
    expect(await call(`module=token&action=tokenholdercount&contractaddress=${apes}`)).toEqual(ok("2"))
  })

  test("tokenholderlist of ERC-721 = ids owned, by balance descending, then address", async () => {
    expect(await call(holderList.replace(gold, apes))).toEqual(
      ok([
        { TokenHolderAddress: ann, TokenHolderQuantity: "2" },
        { TokenHolderAddress: bob, TokenHolderQuantity: "1" },
      ]),
    )
  })

  test('tokeninfo has one entry per kind, totalSupply of ERC-1155 is ""', async () => {
    const mixed = address(0x3)
    const several = await startService()
    const events = [
      multiTransfer(mixed, zero, ann, [[1n, 2n]]),
      nftTransfer(mixed, zero, bob, 1n),
      transfer(mixed, zero, ann, 9n),
    ]
    await store(several, "43114", new TestChain().block(events))
    const { body } = await several.get(`${path}?module=token&action=tokeninfo&contractaddress=${mixed}`)
    expect(body.result.map((entry: Json) => [entry.tokenType, entry.totalSupply])).toEqual([
      ["ERC20", "9"],
      ["ERC721", "1"],
      ["ERC1155", ""],
    ])
    await several.close()
  })
})

test("Orders: addresstokenbalance and addresstokennftbalance by contract address, inventory by id as a number", async () => {
  const many = await startService()
  const contracts = [3, 1, 2].map((number) => address(number))
  const events = contracts.flatMap((contract) => [
    transfer(address(Number(contract) + 16), zero, ann, 1n),
    ...[100n, 9n, 20n].map((id) => nftTransfer(contract, zero, ann, id)),
  ])
  await store(many, "43114", new TestChain().block(events))
  const listed = async (query: string, field: string) =>
    (await many.get(`${path}?${query}&address=${ann}`)).body.result.map((entry: Json) => entry[field])
  expect(await listed(holdings, "TokenAddress")).toEqual([17, 18, 19].map(address))
  expect(await listed(collections, "TokenAddress")).toEqual([1, 2, 3].map(address))
  expect(await listed(inventory.replace(apes, address(1)), "TokenId")).toEqual(["9", "20", "100"])
  await many.close()
})

describe("Extra: `module=getapilimit&action=getapilimit`", () => {
  const asked = `${path}?module=getapilimit&action=GetApiLimit`
  const resultOf = async (options: Parameters<typeof startService>[0], calls: number) => {
    const limited = await startService(options)
    for (let made = 1; made < calls; made++) await limited.get(asked)
    const answer = await limited.get(asked)
    await limited.close()
    return answer
  }

  test("numbers, as Etherscan answers: what the caller used and has left of its day, this call counted", async () => {
    expect(await resultOf({ rateLimitRpd: 10, rateLimitRpm: 5 }, 3)).toEqual(
      ok({ creditsUsed: 3, creditsAvailable: 7, creditLimit: 10, limitInterval: "daily" }),
    )
  })

  test("the minute's limit where it is the only one; large numbers without a limit", async () => {
    expect(await resultOf({ rateLimitRpm: 5 }, 2)).toEqual(
      ok({ creditsUsed: 2, creditsAvailable: 3, creditLimit: 5, limitInterval: "minutely" }),
    )
    const large = 1_000_000_000
    expect(await resultOf({}, 2)).toEqual(
      ok({ creditsUsed: 0, creditsAvailable: large, creditLimit: large, limitInterval: "daily" }),
    )
  })

  test("speaks of the caller, not of a chain: `chainid` says nothing here, since Etherscan's client sends 1", async () => {
    expect(await service.get(`${asked}&chainid=1`)).toMatchObject({ body: { status: "1" } })
    expect(await service.get(asked.replace("43114", "999"))).toEqual(chainNotSupported)
    expect((await service.fetch(asked)).headers.get("x-as-of-block")).toBe("43114:4")
  })
})
