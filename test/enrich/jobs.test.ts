/** What is found in the background of a chain: each kind at its own pace, none in the way of another or of the ledger. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { type Address, zeroAddress } from "../../src/model/primitives.ts"
import { type Standard, standards, type TokenOrigin } from "../../src/model/token.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { NftStore } from "../../src/ports/NftStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { chainId, comparable, inWorld, truthOf } from "../ingest/world.ts"
import {
  address,
  hash,
  multiTransfer,
  nftTransfer,
  TestChain,
  type TestEvent,
  transfer,
} from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"

const [coin, art, goods, alice, bob] = [address(0x70), address(0x72), address(0x73), address(0xa), address(0xb)]
const broken = new SourceUnavailable({ message: "execution aborted (timeout = 5s)" })

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const mint = (id: number, token = art) => nftTransfer(token, zeroAddress, alice, BigInt(id))
/** A block of these events and 40 empty ones: final. */
const chainWith = (...events: ReadonlyArray<TestEvent>) => {
  const chain = new TestChain().block(events)
  for (let made = 0; made < 40; made++) chain.block()
  return chain
}
const ofEveryStandard = [
  transfer(coin, zeroAddress, alice, 1n),
  mint(1),
  multiTransfer(goods, zeroAddress, alice, [[1n, 1n]]),
]

const listed = async (standard: Standard) => {
  const { value } = await store.run(
    TokenStore.use((tokens) =>
      tokens.list({
        standard,
        chains: [chainId],
        sort: { field: "createdAt", direction: "asc" },
        page: { limit: 1000 },
        count: false,
      }),
    ),
  )
  return value.items
}
const urisOf = async (token: Address) => {
  const { value } = await store.run(
    NftStore.use((nfts) => nfts.list({ chainId, token, page: { limit: 1000 }, count: false })),
  )
  return value.items.map(({ tokenId, tokenUri }) => [tokenId, tokenUri])
}
/** What is recorded, by method. */
const watch = (method: "describeTokens" | "recordOrigins" | "recordTokenUris") => {
  const recorded: Array<unknown> = []
  const wrapWriter = (writer: LedgerWriter): LedgerWriter => ({
    ...writer,
    [method]: (found: never) => {
      recorded.push(...(found as ReadonlyArray<unknown>))
      return writer[method](found)
    },
  })
  return { recorded, wrapWriter }
}

describe("descriptions", () => {
  test("are those of every standard; only ERC-20 tokens have decimals", async () => {
    const { recorded, wrapWriter } = watch("describeTokens")
    const chain = chainWith(...ofEveryStandard)
    const says = { name: "N", symbol: "S", decimals: 18 }
    await inWorld({ node: new FakeNode(chain), store, wrapWriter, describe: () => Effect.succeed(says) }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(3)),
    )
    expect((recorded as Array<{ description: unknown }>).map(({ description }) => description)).toEqual([
      says,
      { name: "N", symbol: "S" },
      { name: "N", symbol: "S" },
    ])
    const names = await Promise.all(standards.map(async (standard) => (await listed(standard)).map(({ name }) => name)))
    expect(names).toEqual([["N"], ["N"], ["N"]])
  })

  test("of a contract that emits all standards are asked for each", async () => {
    const chain = chainWith(
      transfer(art, zeroAddress, alice, 1n),
      mint(1),
      multiTransfer(art, zeroAddress, bob, [[1n, 1n]]),
    )
    await inWorld({ node: new FakeNode(chain), store, describe: () => Effect.succeed({ name: "All" }) }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(3)),
    )
    const names = await Promise.all(standards.map(async (standard) => (await listed(standard)).map(({ name }) => name)))
    expect(names).toEqual([["All"], ["All"], ["All"]])
  })
})

describe("creations", () => {
  const origin: TokenOrigin = { txHash: hash("creation"), time: 1_600_000_000 }
  const createdOf = async () =>
    Promise.all(
      standards.map(async (standard) => (await listed(standard)).map(({ createOperation }) => createOperation)),
    )
  const shown = { txHash: hash("creation"), timestamp: "2020-09-13T12:26:40.000Z" }

  test("of every standard's contracts are recorded", async () => {
    const chain = chainWith(...ofEveryStandard)
    await inWorld({ node: new FakeNode(chain), store, origin: () => Effect.succeed(origin) }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(3)),
    )
    expect(await createdOf()).toEqual([[shown], [shown], [shown]])
  })

  test("that no node can tell are asked for four times, then known to be unknown; the others do not wait", async () => {
    const { recorded, wrapWriter } = watch("recordOrigins")
    const chain = chainWith(...ofEveryStandard)
    let asked = 0
    const find = (token: { readonly address: string }) =>
      Effect.sync(() => {
        if (token.address !== coin) return origin
        asked++
        return undefined
      })
    const early = await inWorld({ node: new FakeNode(chain), store, wrapWriter, origin: find }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(3)
        const before = recorded.length
        yield* world.pass(600)
        return before
      }),
    )
    expect([early, asked]).toEqual([2, 4])
    expect((recorded.at(-1) as { token: object; origin: object }).origin).toEqual({})
    expect(await createdOf()).toEqual([[undefined], [shown], [shown]])
  })

  test("of a young contract are not given up: the node may not have its block yet", async () => {
    const chain = new TestChain().block(ofEveryStandard).block()
    let tries = 0
    const find = () => Effect.sync(() => (++tries > 20 ? origin : undefined))
    await inWorld({ node: new FakeNode(chain), store, origin: find }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.until(() => tries > 22)
        yield* world.pass(1)
      }),
    )
    expect(await createdOf()).toEqual([[shown], [shown], [shown]])
  })

  test("are not given up while the node is down", async () => {
    const { recorded, wrapWriter } = watch("recordOrigins")
    const chain = chainWith(...ofEveryStandard)
    let down = true
    const find = () => (down ? Effect.fail(broken) : Effect.succeed(origin))
    const before = await inWorld({ node: new FakeNode(chain), store, wrapWriter, origin: find }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(600)
        down = false
        const during = recorded.length
        yield* world.pass(700)
        return during
      }),
    )
    expect(before).toBe(0)
    expect(await createdOf()).toEqual([[shown], [shown], [shown]])
  })
})

describe("token URIs", () => {
  const uriOf = ({ token, tokenId }: { readonly token: string; readonly tokenId: string }) =>
    Effect.succeed(`ipfs://${token.slice(-2)}/${tokenId}`)

  test("of live ids are recorded, those of burnt ids are not asked for", async () => {
    const asked: Array<string> = []
    const chain = chainWith(mint(1), mint(2), mint(3), nftTransfer(art, alice, zeroAddress, 2n))
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) => {
      asked.push(nft.tokenId)
      return uriOf(nft)
    }
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(5)),
    )
    expect(await urisOf(art)).toEqual([
      ["1", "ipfs://72/1"],
      ["3", "ipfs://72/3"],
    ])
    expect(asked).toEqual(["3", "1"])
  })

  test("that are none are recorded as such, and not asked for again", async () => {
    let asked = 0
    const { recorded, wrapWriter } = watch("recordTokenUris")
    const chain = chainWith(mint(1))
    const tokenUri = () => Effect.sync(() => void asked++ as undefined)
    await inWorld({ node: new FakeNode(chain), store, wrapWriter, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(900)),
    )
    expect([asked, recorded.length]).toEqual([1, 1])
    expect(await urisOf(art)).toEqual([["1", undefined]])
  })

  test("that are none of a young id are asked for again: the node may be behind", async () => {
    let asked = 0
    const chain = new TestChain().block([mint(1)]).block()
    const tokenUri = () => Effect.sync(() => (++asked < 3 ? undefined : "late"))
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(60)),
    )
    expect(await urisOf(art)).toEqual([["1", "late"]])
  })

  test("of a contract that spoils every call keep no other waiting, and are given up in the end", async () => {
    const chain = chainWith(
      ...Array.from({ length: 40 }, (_, id) => mint(id, goods)),
      ...Array.from({ length: 200 }, (_, id) => mint(id, coin)),
      mint(500),
    )
    let failed = 0
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) => {
      if (nft.token !== coin) return uriOf(nft)
      failed++
      return Effect.fail(broken)
    }
    const { recorded, wrapWriter } = watch("recordTokenUris")
    await inWorld({ node: new FakeNode(chain), store, wrapWriter, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(300)),
    )
    expect((await urisOf(goods)).map(([, uri]) => uri)).toEqual(
      Array.from({ length: 40 }, (_, id) => `ipfs://73/${id}`),
    )
    expect((await urisOf(coin)).map(([, uri]) => uri)).toEqual(Array.from({ length: 200 }, () => undefined))
    expect(recorded.length).toBe(241)
    // A few of a contract speak for the others beside them: far fewer calls than five for each id.
    expect(failed).toBeLessThan(400)
  })

  test("of a contract some of whose ids spoil every call are those of all the others", async () => {
    const bad = new Set(["39", "38", "37", "5"])
    const chain = chainWith(...Array.from({ length: 40 }, (_, id) => mint(id)))
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) =>
      bad.has(nft.tokenId) ? Effect.fail(broken) : uriOf(nft)
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(300)),
    )
    expect((await urisOf(art)).map(([, uri]) => uri)).toEqual(
      Array.from({ length: 40 }, (_, id) => (bad.has(String(id)) ? undefined : `ipfs://72/${id}`)),
    )
  })

  test("do not wait for ever when the id that tells of the node's health goes bad itself", async () => {
    const chain = chainWith(mint(1))
    const bad = new Set(["2"])
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) =>
      bad.has(nft.tokenId) ? Effect.fail(broken) : uriOf(nft)
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(10)
        bad.add("1")
        chain.block([mint(2), mint(3)])
        yield* world.caughtUp(chain)
        yield* world.pass(120)
      }),
    )
    expect(await urisOf(art)).toEqual([
      ["1", "ipfs://72/1"],
      ["2", undefined],
      ["3", "ipfs://72/3"],
    ])
  })

  test("are asked for again after a node's failure, however long that was", async () => {
    let down = true
    const chain = chainWith(...Array.from({ length: 50 }, (_, id) => mint(id)))
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) =>
      down ? Effect.fail(broken) : uriOf(nft)
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(600)
        down = false
        yield* world.pass(700)
      }),
    )
    expect((await urisOf(art)).map(([, uri]) => uri)).toEqual(Array.from({ length: 50 }, (_, id) => `ipfs://72/${id}`))
  })

  test("are asked for at leisure: at most sixty ids a second", async () => {
    const chain = chainWith(...Array.from({ length: 1000 }, (_, id) => mint(id)))
    let asked = 0
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) => {
      asked++
      return uriOf(nft)
    }
    const inTen = await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => asked > 0)
        yield* world.pass(10)
        const then = asked
        yield* world.pass(30)
        return then
      }),
    )
    expect(inTen).toBeGreaterThan(300)
    expect(inTen).toBeLessThanOrEqual(630)
    expect(asked).toBe(1000)
  })

  test("are recorded together while there are more to ask for, after ten seconds at the latest", async () => {
    const chain = chainWith(...Array.from({ length: 1000 }, (_, id) => mint(id)))
    const sizes: Array<number> = []
    let asked = 0
    const wrapWriter = (writer: LedgerWriter): LedgerWriter => ({
      ...writer,
      recordTokenUris: (found) => {
        sizes.push(found.length)
        return writer.recordTokenUris(found)
      },
    })
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) => {
      asked++
      return uriOf(nft)
    }
    await inWorld({ node: new FakeNode(chain), store, wrapWriter, tokenUri }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => asked > 0)
        yield* world.pass(12)
        expect(sizes.length).toBe(1)
        yield* world.pass(30)
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000)
    expect(sizes.length).toBeLessThanOrEqual(3)
    expect(asked).toBe(1000)
    const uris = await urisOf(art)
    expect(uris.length).toBe(1000)
    expect(uris.every(([, uri]) => uri !== undefined)).toBe(true)
  })

  test("that the store leaves out for now are asked for later, not again and again", async () => {
    const chain = chainWith(mint(1), ...Array.from({ length: 40 }, (_, id) => mint(id, goods)))
    let busy = true
    const asked: Array<string> = []
    const wrapWriter = (writer: LedgerWriter): LedgerWriter => ({
      ...writer,
      recordTokenUris: (found) => writer.recordTokenUris(found.filter(({ nft }) => !busy || nft.tokenId !== "39")),
    })
    const tokenUri = (nft: { readonly token: string; readonly tokenId: string }) => {
      asked.push(nft.tokenId)
      return uriOf(nft)
    }
    const before = await inWorld({ node: new FakeNode(chain), store, wrapWriter, tokenUri }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(60)
        const then = [asked.length, asked.filter((id) => id === "39").length]
        busy = false
        yield* world.pass(120)
        return then
      }),
    )
    // The one that was left out: every four seconds or so.
    expect(before[0]! - before[1]!).toBe(40)
    expect(before[1]!).toBeGreaterThan(5)
    expect(before[1]!).toBeLessThan(16)
    expect(await urisOf(art)).toEqual([["1", "ipfs://72/1"]])
    expect((await urisOf(goods)).map(([, uri]) => uri)).toEqual(
      Array.from({ length: 40 }, (_, id) => `ipfs://73/${id}`),
    )
  })

  test("are not asked for where TOKEN_URIS is off", async () => {
    let asked = 0
    const chain = chainWith(mint(1))
    const tokenUri = () => Effect.sync(() => String(++asked))
    await inWorld({ node: new FakeNode(chain), store, tokenUri, settings: { tokenUris: false } }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(60)),
    )
    expect(asked).toBe(0)
  })

  test("of an id whose mint is taken back while it is asked are those of its next mint", async () => {
    const chain = chainWith()
      .block([mint(1)])
      .block()
    let asked = 0
    const tokenUri = () =>
      Effect.suspend(() => {
        if (++asked > 1) return Effect.succeed("of the new mint")
        chain
          .truncate(41)
          .block([], { salt: "fork" })
          .block([mint(1)])
          .block()
        return Effect.delay(Effect.succeed("of the old mint"), 10_000)
      })
    await inWorld({ node: new FakeNode(chain), store, tokenUri }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(40)),
    )
    expect(await urisOf(art)).toEqual([["1", "of the new mint"]])
  })
})

describe("new blocks", () => {
  test("wake all three kinds at once", async () => {
    const chain = chainWith(mint(1))
    const found = { describe: 0, origin: 0, tokenUri: 0 }
    await inWorld(
      {
        node: new FakeNode(chain),
        store,
        describe: () => Effect.sync(() => ({ name: `N${++found.describe}` })),
        origin: () => Effect.sync(() => ({ time: ++found.origin })),
        tokenUri: () => Effect.sync(() => `u${++found.tokenUri}`),
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          // Idle by now.
          yield* world.pass(10)
          for (let block = 0; block < 3; block++) {
            chain.block([mint(2 + block, address(0x200 + block))])
            yield* world.caughtUp(chain)
            yield* world.pass(1)
          }
        }),
    )
    expect(found).toEqual({ describe: 4, origin: 4, tokenUri: 4 })
  })

  test("are stored, and the other kinds go on, while one kind is never answered", async () => {
    const chain = chainWith(...ofEveryStandard)
    let described = 0
    await inWorld(
      {
        node: new FakeNode(chain),
        store,
        describe: () => Effect.sync(() => ({ name: `N${++described}` })),
        origin: () => Effect.never,
        tokenUri: () => Effect.never,
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          chain.block([transfer(address(0x300), zeroAddress, alice, 1n)])
          yield* world.caughtUp(chain)
          yield* world.until(() => described === 4)
        }),
    )
    const { perStandard } = comparable(await contentOf(store, chainId, chain))
    expect(perStandard.map(({ transfers }) => transfers)).toEqual(
      (await truthOf(chain)).perStandard.map(({ transfers }) => ({
        ...transfers,
        items: transfers.items.map((item) => ({ ...item, tokenName: expect.any(String) })),
      })) as never,
    )
  })
})
