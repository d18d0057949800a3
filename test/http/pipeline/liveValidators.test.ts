/** docs/interface.md, "Asking again": the same tag is the same answer, while blocks, reorgs and what is found in the background arrive. On either store. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, hash, multiTransfer, nftTransfer, swap, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"
import { comparableHeaders, prefix, startService, type TestService } from "../support.ts"

const avalanche = ChainId.make("43114")
const zero = address(0)
const [gold, salt, apes, potions, pool] = [0xa1, 0xa2, 0x721, 0x1155, 0x9001].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const person = (index: number) => address(0x2000 + index)
const avax = prefix("43114")
/** Answers of figures alone. */
const figures = [
  `module=account&action=tokenbalance&contractaddress=${gold}&address=${person(1)}`,
  `module=account&action=tokenbalancehistory&contractaddress=${gold}&address=${person(1)}&blockno=1`,
  `module=stats&action=tokensupply&contractaddress=${apes}`,
  `module=stats&action=tokensupplyhistory&contractaddress=${gold}&blockno=1`,
  `module=token&action=tokenholdercount&contractaddress=${gold}`,
  `module=token&action=tokenholderlist&contractaddress=${gold}`,
]
  .map((it) => `${avax}/compat/api?${it}`)
  .concat(`${avax}/erc20/${gold}/holders`, `${avax}/erc1155/${potions}/holders?count=true`)
const questions = [
  ...[avax, prefix("all")].flatMap((chain) =>
    ["/erc20?sort=marketCap", "/erc20-transfers?limit=3", "/top-erc20", "/erc20-swaps", "/erc721"].map(
      (it) => chain + it,
    ),
  ),
  `${avax}/erc20/${gold}/holders?include=isContract`,
  `${avax}/erc721/${apes}/tokens`,
  `${avax}/erc1155-transfers?limit=2&count=true`,
  `${avax}/compat/api?module=token&action=tokeninfo&contractaddress=${gold}`,
  ...figures,
  `${prefix("1")}/erc20`,
]

/** What can happen to a chain; `seed` makes one another than the one before. */
const steps = {
  block: async (world: World, seed: number) => {
    const who = person(seed % 3)
    await world.append([
      transfer(seed % 2 === 0 ? gold : salt, zero, who, BigInt(seed)),
      nftTransfer(apes, zero, who, BigInt(seed % 5)),
      multiTransfer(potions, zero, who, [[1n, 2n]]),
      swap(pool, { paid0: seed % 2 === 0, paid: BigInt(seed + 1), got: 7n }),
    ])
  },
  "empty block": (world: World) => world.append([]),
  reorg: async (world: World, seed: number) => {
    const from = Math.max(2, world.chain.nextBlock - 1 - (seed % 3))
    if (from >= world.chain.nextBlock) return
    world.chain.truncate(from)
    await world.service.run(world.writer.rollback(from))
    if (seed % 2 === 0) await world.append([transfer(gold, zero, person(2), BigInt(seed))])
  },
  descriptions: async ({ service, writer }: World, seed: number) => {
    const tokens = await service.run(writer.listUndescribedTokens(2))
    const description = { name: `Name ${seed}`, symbol: "S", decimals: seed % 19 }
    await service.run(writer.describeTokens(tokens.map((token) => ({ token, description }))))
  },
  creations: async ({ service, writer }: World, seed: number) => {
    const tokens = await service.run(writer.listTokensWithoutOrigin(2))
    const origin = { txHash: hash(`made ${seed}`), time: 1_600_000_000 + seed }
    await service.run(writer.recordOrigins(tokens.map((token) => ({ token, origin }))))
  },
  "token URIs": async ({ service, writer }: World, seed: number) => {
    const minted = await service.run(writer.listNftsWithoutUri(2))
    await service.run(writer.recordTokenUris(minted.map((nft) => ({ nft, uri: `https://uri.example/${seed}` }))))
  },
  notes: ({ service }: World, seed: number) => {
    const note = { address: seed % 2 === 0 ? gold : salt, trusted: seed % 3 > 0, texts: { website: `https://${seed}` } }
    return service.run(TokenNotes.use((port) => port.record(avalanche, [note])))
  },
  prices: ({ service }: World, seed: number) => {
    const tokens = [{ address: gold, price: BigInt(seed % 4), marketCap: BigInt(seed) }, { address: salt }]
    return service.run(TokenPrices.use((port) => port.record(avalanche, tokens)))
  },
  "prices of an hour": ({ service }: World, seed: number) =>
    service.run(
      TokenPrices.use((port) =>
        port.recordHour(avalanche, 472_222, [{ address: gold, price: BigInt(seed) * 10n ** 17n }], 472_223),
      ),
    ),
  pegs: ({ service }: World, seed: number) =>
    service.run(TokenPrices.use((port) => port.recordPegs(avalanche, [salt], seed % 2 === 0 ? [] : [salt]))),
  "what was burnt": async ({ service, chain, writer }: World) => {
    const { blockNumber, logIndex, txHash } = chain.blocks[1]!.movements[0]!
    const token = { standard: "erc20", address: gold, firstBlock: blockNumber, firstLogIndex: logIndex } as const
    await service.run(writer.letZeroAddressHold([{ ...token, firstTxHash: txHash }]))
  },
  "another chain's first block, then more": (world: World) => world.appendElsewhere(),
}
type Step = keyof typeof steps
/** They change no figure of a ledger that begins at block 0. */
const learning: ReadonlyArray<Step> = ["descriptions", "creations", "token URIs", "prices", "prices of an hour", "pegs"]

interface World {
  readonly service: TestService
  readonly chain: TestChain
  readonly writer: LedgerWriter
  readonly append: (events: Parameters<TestChain["block"]>[0]) => Promise<void>
  readonly appendElsewhere: () => Promise<void>
}

const startLive = async (service: TestService): Promise<World> => {
  const chain = new TestChain()
    .block()
    .block([
      transfer(gold, zero, person(1), 9n),
      transfer(gold, person(1), zero, 2n),
      nftTransfer(apes, zero, person(1), 1n),
    ])
  chain.pools.set(pool, { pool, token0: gold, token1: salt, decimals0: 18, decimals1: 6, factory: address(0xfac) })
  const writer = await service.open("43114")
  await service.run(writer.append(chain.segment(0)))
  const elsewhere = new TestChain()
  let other: LedgerWriter | undefined
  return {
    service,
    chain,
    writer,
    append: async (events) => {
      chain.block(events ?? [], { salt: String(chain.blocks.length) })
      await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
    },
    appendElsewhere: async () => {
      other ??= await service.open("1")
      elsewhere.block([transfer(gold, zero, person(4), 9n)])
      await service.run(other.append(elsewhere.segment(elsewhere.nextBlock - 1)))
    },
  }
}

const asOfHeaders = ["x-as-of-block", "x-as-of-hash", "x-as-of-time"]

const headersOf = (response: Response) => comparableHeaders(response).sort()

const stores = {
  memory: { make: async () => MemoryStore.layer, runs: 4 },
  "PostgreSQL 18": { make: async () => PostgresStore.layer(await testSettings()), runs: 1 },
}

describe.each(Object.entries(stores))("on %s", (_, { make, runs }) => {
  /** Does the steps one by one and asks everything after each. */
  const live = async (done: ReadonlyArray<readonly [Step, number]>) => {
    const service = await startService({ storeLayer: await make() })
    try {
      const world = await startLive(service)
      /** By tag, and by what the store says of itself: question, as-of headers and body. */
      const answers = new Map<string, string>()
      const byRevision = new Map<string, string>()
      const last = new Map<string, string>()
      for (const [step, seed] of [["pegs", 0] as const, ...done]) {
        await steps[step](world, seed)
        const points = await service.run(Freshness.use((port) => port.asOf([ChainId.make("1"), avalanche])))
        const revisions = JSON.stringify(points.map(({ chainId, hash, revision }) => [chainId, hash, revision]))
        for (const question of questions) {
          const before = last.get(question)
          const known = await service.fetch(
            question,
            before === undefined ? {} : { headers: { "if-none-match": before } },
          )
          const answer = known.status === 304 ? await service.fetch(question) : known
          const etag = answer.headers.get("etag") ?? "none"
          const text = await answer.text()
          // What is kept is given only for as long as it is what would be made.
          const [kept, anew] = [await service.fetch(question), await service.fetchAnew(question)]
          expect([question, await kept.text(), headersOf(kept)]).toEqual([question, text, headersOf(answer)])
          expect([question, await anew.text(), headersOf(anew)]).toEqual([question, text, headersOf(answer)])
          const whole = JSON.stringify([question, asOfHeaders.map((name) => answer.headers.get(name)), text])
          expect([question, answer.status, answers.get(etag) ?? whole]).toEqual([question, 200, whole])
          // A 304 exactly where nothing is new, and its headers are those of the answer.
          expect([question, known.status, known.headers.get("etag")]).toEqual([
            question,
            etag === before ? 304 : 200,
            etag,
          ])
          // Every write that an answer shows moves the revision.
          expect(byRevision.get(question + revisions) ?? text).toBe(text)
          answers.set(etag, whole)
          byRevision.set(question + revisions, text)
          last.set(question, etag)
        }
      }
    } finally {
      await service.close()
    }
  }

  test("the same tag is the same answer, whatever happens in between", async () => {
    const step = fc.tuple(fc.constantFrom(...(Object.keys(steps) as Array<Step>)), fc.nat(20))
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), live), { numRuns: runs })
  })

  test("each thing that happens is seen by whoever asks with the tag of before, and nothing else is", async () => {
    const service = await startService({ storeLayer: await make() })
    const world = await startLive(service)
    const tags = () => Promise.all(questions.map(async (path) => (await service.fetch(path)).headers.get("etag")))
    await steps.block(world, 3)
    // Each a second time with another seed: what is learned once is not asked for again.
    const order: ReadonlyArray<Step> = [
      "descriptions",
      "creations",
      "token URIs",
      "notes",
      "prices",
      "prices of an hour",
      "pegs",
      "what was burnt",
      "block",
      "empty block",
      "reorg",
      "another chain's first block, then more",
    ]
    expect([...order].sort()).toEqual((Object.keys(steps) as Array<Step>).sort())
    let before = await tags()
    for (const step of order) {
      expect([step, await tags()]).toEqual([step, before])
      await steps[step](world, 5)
      const after = await tags()
      const changed = questions.filter((_, index) => after[index] !== before[index])
      const ofOther = step === "another chain's first block, then more"
      const expected = questions.filter((path) =>
        ofOther
          ? !path.startsWith(avax)
          : !path.startsWith(`${prefix("1")}/`) && !(figures.includes(path) && learning.includes(step)),
      )
      expect([step, changed]).toEqual([step, expected])
      before = after
    }
    await service.close()
  })
})
