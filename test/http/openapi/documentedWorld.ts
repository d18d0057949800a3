/** The fixed chain that the documentation's examples are taken from. */
import { Effect, Layer } from "effect"
import { sampleContracts, sampleHolder, sampleTransactions } from "../../../src/adapters/http/contract/samples.ts"
import { Address, ChainId } from "../../../src/model/primitives.ts"
import type { Erc20Token, TokenKey } from "../../../src/model/token.ts"
import type { TransactionFacts } from "../../../src/model/transactions/transaction.ts"
import { type AuditRecord, AuditStore } from "../../../src/ports/AuditStore.ts"
import { KeptTransactions } from "../../../src/ports/KeptTransactions.ts"
import { NativeBalances } from "../../../src/ports/NativeBalances.ts"
import { NativeHistories } from "../../../src/ports/NativeHistories.ts"
import { NativeSupplySource } from "../../../src/ports/NativeSupplySource.ts"
import type { ChainSyncStatus } from "../../../src/ports/SyncStatus.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { TransactionSource } from "../../../src/ports/TransactionSource.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import { always } from "../../support/always.ts"
import {
  address,
  approval,
  hash,
  idApproval,
  multiTransfer,
  nftTransfer,
  operatorApproval,
  swap,
  TestChain,
  transfer,
} from "../../support/chain/testChain.ts"
import {
  chains,
  exampleFactory,
  type ServiceOptions,
  startService,
  store,
  syncStatus,
  type TestService,
} from "../support.ts"

const { erc20: gold, erc721: cards, erc1155: goods } = sampleContracts
const ann = sampleHolder
const bob = Address.make("0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc")
const zero = address(0)
const dollar = Address.make("0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9")
const shells = Address.make("0xdc64a140aa3e981100a9beca4e685f962f0cf6c9")
const tools = Address.make("0x5fc8d32690cc91d4c39d9d3abcbd16989f875707")
const pool = Address.make("0x0165878a594ca255338adfa4d48449f69242eb8f")
const nativePool = Address.make("0x5fbdb2315678afecb367f032d93f642f64180aa3")
const whole = 10n ** 18n
const time = 1_767_225_600

const chainId = ChainId.make("43114")

/** Every list has several rows, and every parameter's example selects some of them. */
const avalanche = new TestChain(new Set(), 1_000_000, time)
  .block([
    transfer(gold, zero, ann, 1_250_000_000n * whole),
    nftTransfer(cards, zero, ann, 42n),
    nftTransfer(cards, zero, ann, 43n),
    nftTransfer(cards, zero, bob, 44n),
    multiTransfer(goods, zero, ann, [
      [42n, 500n],
      [7n, 20n],
    ]),
  ])
  .block([
    transfer(gold, ann, bob, 250_000n * whole),
    transfer(dollar, zero, ann, 5_000_000n),
    nftTransfer(shells, zero, ann, 1n),
    multiTransfer(tools, zero, bob, [[1n, 3n]]),
    swap(pool, { paid0: true, paid: 1_500n * whole, got: 63_750_000n }),
    approval(gold, ann, pool, 2n ** 256n - 1n),
    operatorApproval(goods, ann, bob, true),
  ])
  .block([
    transfer(gold, bob, ann, 1_500n * whole),
    nftTransfer(cards, ann, bob, 43n),
    multiTransfer(goods, ann, bob, [[42n, 120n]]),
  ])
  .block([
    transfer(dollar, ann, bob, 1_000_000n),
    nftTransfer(cards, bob, ann, 43n),
    swap(pool, { paid0: false, paid: 21_000_000n, got: 490n * whole }),
    swap(pool, { paid0: true, paid: 200n * whole, got: 8_500_000n }),
    idApproval(cards, ann, bob, 43n),
    transfer(gold, ann, zero, 5n * whole),
    swap(nativePool, { paid0: true, paid: 40n * whole, got: whole / 20n }),
  ])
avalanche.pools.set(nativePool, { pool: nativePool, token0: gold, token1: zero, decimals0: 18, decimals1: 18 })
avalanche.pools.set(pool, { pool, token0: gold, token1: dollar, decimals0: 18, decimals1: 6, factory: exampleFactory })
const ethereum = new TestChain(new Set(), 0, time).block([transfer(dollar, zero, bob, 9n)])

const row = <Item, Key>(item: Item, key: Key) => ({ items: [item], keys: [key], hasMore: true })
const asOf = { chainId, blockNumber: 1_000_003, hash: avalanche.blocks[3]!.header.hash, time: time + 48 }

const trusted: Erc20Token = {
  chainId,
  address: gold,
  name: "Gold",
  symbol: "AU",
  decimals: 18,
  totalSupply: String(1_250_000_000n * whole),
  price: "42500000000000000",
  marketCap: "53125000000000000000000000",
  transfers: { last24h: 3, last48h: 3, last72h: 3 },
  holdersCount: 2,
}
const trustedKey: TokenKey = { value: "53125000000000000000000000", chainId, address: gold }

/** A call of `transfer`. */
const factsOf = (txHash: TransactionFacts["hash"]): TransactionFacts => {
  const { header, logs } = avalanche.blocks.find((block) => block.logs.some((log) => log.txHash === txHash))!
  const index = logs.find((log) => log.txHash === txHash)?.txIndex ?? 0
  return {
    ...{ hash: txHash, blockNumber: header.number, blockHash: header.hash, index },
    ...{ nonce: String(index + 7), gas: "90000", gasPrice: "25000000000", gasUsed: "51432" },
    ...{ cumulativeGasUsed: String(51_432 * (index + 1)), methodId: "0xa9059cbb" },
  }
}

/** What no source is configured for as yet; the answers are the endpoints' own all the same. */
const sources = Layer.mergeAll(
  Layer.succeed(NativeBalances, {
    of: (_, addresses) => Effect.succeed(addresses.map((_, index) => 2_500_000_000_000_000_000n + BigInt(index))),
  }),
  Layer.succeed(NativeHistories, {
    through: (_, __, moments) =>
      Effect.succeed(moments.map(({ blockNumber }) => ({ blockNumber, balance: 2_500_000_000_000_000_000n }))),
  }),
  Layer.succeed(TransactionSource, {
    read: (_, hashes) => Effect.succeed(hashes.map((each) => factsOf(each))),
  }),
  Layer.succeed(NativeSupplySource, {
    find: (asked) =>
      Effect.succeed(
        asked === chainId
          ? {
              ageSeconds: 12,
              supply: {
                chainId,
                symbol: "AVAX",
                totalSupply: "462451837.19",
                circulatingSupply: "431021055.02",
                blockNumber: 1_000_003,
                timestamp: new Date((time + 48) * 1000).toISOString(),
              },
            }
          : undefined,
      ),
  }),
  Layer.succeed(
    TrustedTokens,
    always(Effect.die("not asked"), {
      list: ({ count }) =>
        Effect.succeed({
          asOf: [
            {
              ...asOf,
              finality: "latest",
              nodeHead: 1_000_003,
              firstBlock: 1_000_000,
              revision: 1,
              figures: 1,
              rewrites: 1,
            },
          ],
          value: {
            ...row(trusted, trustedKey),
            ...(count ? { count: { count: 3, countType: "exact" as const } } : {}),
          },
        }),
    }),
  ),
)

/** How the chain is doing: all of it is indexed. */
export const statusOf = (patch: Partial<ChainSyncStatus> = {}): ChainSyncStatus =>
  syncStatus("43114", {
    firstBlock: 1_000_000,
    headBlock: 1_000_003,
    indexedBlock: 1_000_003,
    logs: 12,
    logsPerSecond: 9000,
    blocksPerSecond: 60,
    ...patch,
  })

/** Of two tokens: one is as it should be, of the other somebody has more than its events told. */
const recordAudits = (service: TestService) =>
  service.run(
    Effect.gen(function* () {
      const audits = yield* AuditStore
      const { value } = yield* audits.sample(chainId, { tokens: [gold, dollar] }, { top: 1, recent: 0, places: [] })
      const at = { blockNumber: 1_000_003, time: time + 48, watched: [] }
      const states: ReadonlyArray<AuditRecord> = [
        { ...at, state: "exact", compared: 9 },
        {
          ...at,
          state: "drift",
          compared: 8,
          difference: { of: "balance", holder: bob, ledger: "1000000", node: "1250000" },
          reason: "2 of 8 figures are not the contract's own: they changed without events, or events were not true",
        },
      ]
      const records = value.flatMap(({ token }, index) => ({ token, record: states[index]! }))
      yield* audits.record(chainId, records)
    }),
  )

const documentedChains = chains.map((each) =>
  each.chainId === chainId
    ? {
        ...each,
        approvals: true,
        wrappedNative: [gold],
        nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
      }
    : each,
)

export const startDocumented = async (options: ServiceOptions = {}) => {
  const service = await startService({ status: [statusOf()], replace: sources, chains: documentedChains, ...options })
  const descriptions = {
    [gold]: { name: "Gold", symbol: "AU", decimals: 18 },
    [dollar]: { name: "Dollar", symbol: "USDX", decimals: 6 },
    [cards]: { name: "Cards", symbol: "CARD" },
    [shells]: { name: "Shells", symbol: "SHELL" },
    [goods]: { name: "Goods" },
  }
  const writer = await store(service, "43114", avalanche, descriptions, 1_000_001)
  const born = await service.run(writer.listTokensWithoutOrigin(100))
  const found = born.map((token) => ({ token, origin: { txHash: hash(`made ${token.address}`), time: time - 86_400 } }))
  await service.run(writer.recordOrigins(found))
  const minted = await service.run(writer.listNftsWithoutUri(100))
  await service.run(
    writer.recordTokenUris(minted.map((nft) => ({ nft, uri: `https://example.org/cards/${nft.tokenId}.json` }))),
  )
  const transactions = Object.values(sampleTransactions).map((each) => factsOf(each))
  await service.run(KeptTransactions.use((kept) => kept.keep(chainId, transactions)))
  await recordAudits(service)
  const price = 42_500_000_000_000_000n
  await service.run(TokenPrices.use((prices) => prices.record(chainId, [{ address: gold, price }])))
  const notes = [
    { address: gold, trusted: true, texts: { image: "https://example.org/gold.png" } },
    ...[cards, goods].map((address) => ({ address, trusted: true, texts: {} })),
  ]
  await service.run(TokenNotes.use((port) => port.record(chainId, notes)))
  for (const hour of [time / 3600 - 1, time / 3600]) {
    const prices = [{ address: gold, price: price - BigInt(hour) }]
    await service.run(TokenPrices.use((port) => port.recordHour(chainId, hour, prices, hour + 1)))
  }
  await store(service, "1", ethereum, { [dollar]: { name: "Dollar", symbol: "USDX", decimals: 6 } })
  return service
}
