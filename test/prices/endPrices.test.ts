/** What becomes of prices that were kept where no source of prices is configured any more. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Layer, Logger, ManagedRuntime, Scope, Semaphore } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { priceKeeper } from "../../src/app/prices.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { endPrices } from "../../src/domain/prices/endPrices.ts"
import { oneDollar } from "../../src/model/price.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { Erc20Token } from "../../src/model/token.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { PriceSource } from "../../src/ports/PriceSource.ts"
import { TokenHistories } from "../../src/ports/TokenHistories.ts"
import { TokenPrices } from "../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("7")
/** More than go at once. */
const tokens = Array.from({ length: 450 }, (_, place) => address(0x1000 + place))
const usd = tokens[0]!
/** The hour that was priced. */
const hour = 472_222
const dollar = String(oneDollar)

const given = readConfig({ RPC_URL_7: "http://node", PRICES: "off", PRICE_SECONDS: "1" })
if ("problems" in given) throw new Error(given.problems.join("; "))

const makeRuntime = () => {
  const nobody = Layer.mock(PriceSource, { find: () => Effect.die("there is no source: nobody asks") })
  return ManagedRuntime.make(Layer.mergeAll(MemoryStore.layer, nobody, Logger.layer([])))
}
let runtime: ReturnType<typeof makeRuntime>
const scope = Effect.runSync(Scope.make())

/** A ledger of which a source had told prices of all tokens, and that usd is a dollar. */
beforeEach(async () => {
  runtime = makeRuntime()
  const writer = await runtime.runPromise(
    Ledger.use((ledger) => ledger.open(settingsOf({ chainId }))).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  const chain = new TestChain(new Set(), 0, hour * 3600)
  chain.block(tokens.map((token) => transfer(token, address(0), address(9), 5n)))
  await runtime.runPromise(writer.append(chain.segment(0)))
  await runtime.runPromise(
    TokenPrices.use((port) =>
      Effect.gen(function* () {
        yield* port.record(
          chainId,
          tokens.map((token) => ({ address: token, price: oneDollar, marketCap: 5n })),
        )
        yield* port.recordPegs(chainId, [usd], [usd])
        const said = [
          { address: usd, price: oneDollar, stands: true },
          { address: tokens[1]!, price: 7n },
        ]
        yield* port.recordHour(chainId, hour, said, hour + 1)
      }),
    ),
  )
})
afterEach(() => runtime.dispose())

const pricedTokens = () => runtime.runPromise(TokenPrices.use((port) => port.listPriced(chainId, 1000)))
const pricesAt = async (token: typeof usd, hours: ReadonlyArray<number>) =>
  (await runtime.runPromise(TokenHistories.use((port) => port.pricesAt(chainId, token, hours)))).prices

test("what was said of now goes, and a stablecoin's dollar of hours that nobody priced; past hours keep theirs", async () => {
  expect([(await pricedTokens()).length, await pricesAt(usd, [hour - 1, hour, hour + 1])]).toEqual([
    tokens.length,
    [dollar, dollar, dollar],
  ])
  const keep = Effect.flatMap(priceKeeper(given), (keepPrices) =>
    keepPrices(given.chains[0]!, { birth: () => "a00000", nodeTime: () => undefined }),
  )
  await runtime.runPromise(keep)
  expect(await pricedTokens()).toEqual([])
  const found = await runtime.runPromise(TokenStore.use((port) => port.find(chainId, usd)))
  const record = found.value[0]!.record as Erc20Token
  expect(["price" in record, "marketCap" in record]).toEqual([false, false])
  expect(await pricesAt(usd, [hour - 1, hour, hour + 1])).toEqual([null, dollar, null])
  expect(await pricesAt(tokens[1]!, [hour, hour + 1])).toEqual(["7", "7"])
})

test("what the ledger's writer is at work on, or cannot be reached, is taken away a moment later", async () => {
  const port = await runtime.runPromise(Effect.service(TokenPrices))
  const troubles = [
    (given: Parameters<typeof port.record>) => port.record(given[0], given[1].slice(1)),
    () => Effect.die("a bug"),
  ]
  const troubled = TokenPrices.of({
    ...port,
    record: (...given) => troubles.shift()?.(given) ?? port.record(...given),
  })
  const permits = Semaphore.makeUnsafe(1)
  const end = endPrices({ chainId, stablecoins: [], intervalMs: 1 }, permits)
  await runtime.runPromise(Effect.provideService(end, TokenPrices, troubled))
  expect([await pricedTokens(), troubles.length]).toEqual([[], 0])
})
