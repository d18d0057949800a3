/** Tools about chains, tokens, their prices and how true their figures are. */
import { Schema } from "effect"
import { TokenAudit } from "../../../model/audit.ts"
import { ChainId } from "../../../model/primitives.ts"
import { Erc20Contract, Erc20Token } from "../../../model/token.ts"
import { PricePoint } from "../../../model/wallet/histories.ts"
import { ready } from "../health/health.ts"
import { audits } from "../native/audits.ts"
import { erc20, erc721, erc1155 } from "../native/tokens.ts"
import { priceHistory } from "../native/wallet/histories.ts"
import { blockByTime } from "./blockByTime.ts"
import { decimalText, usdText } from "./decimals.ts"
import { type ByStandard, chainOf, contracts, pageQuery, passed, standardOf, token, usd } from "./given.ts"
import type { Json } from "./service.ts"
import {
  answered,
  chainOrAll,
  cursor,
  decimalOf,
  limitTo,
  listed,
  needed,
  network,
  oneChain,
  optionalText,
  pageOf,
  parametersOf,
  present,
  standard,
  type Tool,
  textOf,
  withFields,
  words,
} from "./tool.ts"

const lists: ByStandard = { erc20, erc721, erc1155 }
const tokenWords = {
  totalSupplyDecimal: decimalOf("totalSupply"),
  priceUsd: usd("price"),
  marketCapUsd: usd("marketCap"),
}
const tokenFigures = (row: Json): Json => ({
  totalSupplyDecimal: decimalText(row.totalSupply as string | undefined, row.decimals as number | undefined),
  priceUsd: usdText(row.price as string | undefined),
  marketCapUsd: usdText(row.marketCap as string | undefined),
})

export const tokenTools: ReadonlyArray<Tool> = [
  {
    name: "chains",
    title: "Followed chains",
    description:
      "The chains that are followed, with the newest block that is stored of each and how far it lags behind its head.",
    takes: {},
    gives: answered({
      chains: Schema.Array(
        Schema.Struct({
          chainId: ChainId,
          network: Schema.String,
          name: optionalText,
          nativeSymbol: optionalText,
          ready: Schema.optionalKey(Schema.Boolean),
          indexedBlock: Schema.optionalKey(Schema.Finite),
          headBlock: Schema.optionalKey(Schema.Finite),
          lagBlocks: Schema.optionalKey(Schema.Finite),
          problem: optionalText,
        }),
      ),
    }),
    run: async (_, service) => {
      const { body, told } = await service.get(ready, {})
      const states = (body as { readonly chains: ReadonlyArray<Json> }).chains
      const chains = service.chains.map(({ chainId, network: of, name, nativeCurrency }) => {
        const state = states.find((it) => it.chainId === chainId) ?? {}
        const { ready: isReady, indexedBlock, headBlock, lagBlocks, problem } = state
        const nativeSymbol = nativeCurrency?.symbol
        return present({
          chainId,
          network: of,
          name,
          nativeSymbol,
          ready: isReady,
          indexedBlock,
          headBlock,
          lagBlocks,
          problem,
        })
      })
      return { chains, ...told }
    },
  },
  {
    name: "search",
    title: "Find tokens",
    description:
      "Finds token contracts by the beginning of a symbol, of a word of a name, or of an address (0x and six digits). Trusted tokens come first. Anybody can give a token any name: compare addresses, and look at blueCheckmark of the tool `token`.",
    takes: {
      query: needed(words({ type: "string", minLength: 1, maxLength: 64 }, "What to look for")),
      chain: chainOrAll,
      network,
      standard,
      limit: limitTo(10),
      cursor,
    },
    gives: listed(withFields(Erc20Token, tokenWords)),
    run: async (given, service) =>
      pageOf(
        await service.get(lists[standardOf(given)], chainOf(given), {
          search: given.query,
          ...pageQuery(given, 10),
        }),
        tokenFigures,
      ),
  },
  {
    name: "token",
    title: "One token",
    description:
      "What is known of one token contract: name, symbol, decimals, supply, holders, price, first and last transfer, and whether comparing it with its contract found its figures exact.",
    takes: { chain: oneChain, tokenAddress: token, standard },
    gives: answered({ token: withFields(Erc20Contract, tokenWords) }),
    run: async (given, service) => {
      const { body, told } = await service.get(contracts[standardOf(given)], {
        chain: textOf(given, "chain"),
        address: textOf(given, "tokenAddress"),
      })
      return { token: { ...(body as Json), ...present(tokenFigures(body as Json)) }, ...told }
    },
  },
  {
    name: "price_history",
    title: "Prices of a token",
    description:
      "The prices of an ERC-20 that are kept, at the beginnings of hours, in US dollars. An hour without a price of its own has that of the newest row before it, up to its `validTo`.",
    takes: {
      chain: oneChain,
      tokenAddress: token,
      ...parametersOf(priceHistory, ["timestampFrom", "timestampTo", "sort"]),
      limit: limitTo(24),
      cursor,
    },
    gives: listed(withFields(PricePoint, { priceUsd: usd("price") })),
    run: async (given, service) => {
      const names = { chain: textOf(given, "chain"), address: textOf(given, "tokenAddress") }
      const page = await service.get(priceHistory, names, {
        ...passed(given, ["timestampFrom", "timestampTo", "sort"]),
        ...pageQuery(given, 24),
      })
      return pageOf(page, ({ price }) => ({ priceUsd: usdText(price as string | undefined) }))
    },
  },
  {
    name: "block_by_time",
    title: "The block of a time",
    description:
      "The number of the last block that is not younger than a time, or with `closest` after the first that is not older. Exact.",
    takes: {
      chain: oneChain,
      timestamp: needed(
        words({ type: "string" }, "ISO 8601, as 2026-01-31T12:00:00Z (UTC without a zone), or seconds since 1970"),
      ),
      closest: words({ type: "string", enum: ["before", "after"], default: "before" }, "Which side of the time"),
    },
    gives: answered({ blockNumber: Schema.Finite }),
    run: async (given, service) => {
      const closest = given.closest === "after" ? "after" : "before"
      const { blockNumber, told } = await blockByTime(service, given, textOf(given, "timestamp"), closest)
      return { blockNumber, ...told }
    },
  },
  {
    name: "audit",
    title: "How true the figures are",
    description:
      "What comparing tokens of the ledger with their contracts at the same block has shown: exact, drift, rebasing or unverified, with the first difference and the reason.",
    takes: { ...parametersOf(audits, ["chainId", "state", "tokenAddress"]), limit: limitTo(20), cursor },
    gives: listed(TokenAudit),
    run: async (given, service) =>
      pageOf(
        await service.get(
          audits,
          {},
          { ...passed(given, ["chainId", "state", "tokenAddress"]), ...pageQuery(given, 20) },
        ),
      ),
  },
]
