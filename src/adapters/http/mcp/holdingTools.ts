/** Tools about what is held and moved, now and at any block. */
import { Schema } from "effect"
import { Holder } from "../../../model/holder.ts"
import { BigIntString } from "../../../model/primitives.ts"
import { Portfolio, WalletToken } from "../../../model/wallet/holdings.ts"
import { erc20Holders } from "../native/holders.ts"
import { portfolio } from "../native/wallet/portfolio.ts"
import { addressTokens } from "../native/wallet/tokens.ts"
import { balanceTool } from "./balanceTool.ts"
import { decimalText, usdText } from "./decimals.ts"
import {
  atBlock,
  chainOf,
  holders,
  named,
  namedOf,
  pageQuery,
  passed,
  standardOf,
  token,
  tokenOf,
  unitsOf,
  usd,
} from "./given.ts"
import { type Json, ofOneMoment } from "./service.ts"
import {
  anAddress,
  chainOrAll,
  cursor,
  decimalOf,
  limitTo,
  listed,
  needed,
  network,
  newest,
  oneChain,
  pageOf,
  parametersOf,
  standard,
  type Tool,
  textOf,
  withFields,
} from "./tool.ts"

const holdingFilters = "blockNumber timestamp standard trusted minValueUsd".split(" ")

export const holdingTools: ReadonlyArray<Tool> = [
  {
    name: "portfolio",
    title: "What an address holds",
    description:
      "All that an address holds on one chain or on all, with prices and values in US dollars, now or as of a block or time, and the totals by chain. What has no price has no value, which is not 0. Ask `standard` with native for the native currency too.",
    takes: {
      address: needed(anAddress("Who holds, in any letter case")),
      chain: chainOrAll,
      network,
      ...parametersOf(addressTokens, holdingFilters),
      limit: limitTo(20),
      cursor,
    },
    gives: withFields(
      listed(withFields(WalletToken, { balanceDecimal: decimalOf("balance"), priceUsd: usd("price") })),
      {
        total: Portfolio,
        totalAsOf: Schema.optionalKey(newest).annotateKey({
          description: "Of which blocks `total` is; absent = of the same as the rows",
        }),
      },
    ),
    run: async (given, service) => {
      const names = { ...chainOf(given), address: textOf(given, "address") }
      const filters = passed(given, holdingFilters)
      const {
        one: page,
        other: total,
        isOne,
      } = await ofOneMoment(() =>
        Promise.all([
          service.get(addressTokens, names, { ...filters, ...pageQuery(given, 20) }),
          service.get(portfolio, names, filters),
        ]),
      )
      const figures = (row: Json): Json => ({
        balanceDecimal: decimalText(
          row.balance as string | undefined,
          row.standard === "erc20" || row.standard === "native" ? (row.decimals as number | undefined) : 0,
        ),
        priceUsd: usdText(row.price as string | undefined),
      })
      return { total: total.body, ...(isOne ? {} : { totalAsOf: total.told.asOf }), ...pageOf(page, figures) }
    },
  },
  balanceTool,
  {
    name: "holders_at",
    title: "Who holds a token",
    description:
      "The holders of a token, largest first, now or after any block or at any time, each with its fraction of the supply.",
    takes: {
      chain: oneChain,
      tokenAddress: token,
      standard,
      ...parametersOf(erc20Holders, atBlock),
      limit: limitTo(20),
      cursor,
    },
    gives: withFields(
      listed(withFields(Holder, { balanceDecimal: decimalOf("balance"), tokenId: Schema.optionalKey(BigIntString) })),
      named,
    ),
    run: async (given, service) => {
      const asked = await tokenOf(service, given)
      const names = { chain: textOf(given, "chain"), address: textOf(given, "tokenAddress") }
      const page = await service.get(holders[standardOf(given)], names, {
        ...passed(given, atBlock),
        ...pageQuery(given, 20),
      })
      const units = unitsOf(asked, given)
      return {
        ...namedOf(asked),
        ...pageOf(page, ({ balance }) => ({ balanceDecimal: decimalText(String(balance), units) })),
      }
    },
  },
]
