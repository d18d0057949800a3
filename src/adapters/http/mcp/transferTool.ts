/** The tool about what moved. */
import { Schema } from "effect"
import { BigIntString } from "../../../model/primitives.ts"
import { Erc20Transfer } from "../../../model/transfer.ts"
import { erc20Transfers, erc721Transfers, erc1155Transfers } from "../native/transfers.ts"
import { decimalText } from "./decimals.ts"
import { type ByStandard, chainOf, pageQuery, passed, standardOf } from "./given.ts"
import type { Json } from "./service.ts"
import {
  chainOrAll,
  cursor,
  decimalOf,
  limitTo,
  listed,
  network,
  pageOf,
  parametersOf,
  standard,
  type Tool,
  withFields,
} from "./tool.ts"

const transfers: ByStandard = { erc20: erc20Transfers, erc721: erc721Transfers, erc1155: erc1155Transfers }
const transferFilters =
  "tokenAddress from to address blockNumberFrom blockNumberTo timestampFrom timestampTo finality sort".split(" ")

export const transferTool: Tool = {
  name: "transfers",
  title: "Transfers",
  description:
    "Transfers of one standard, newest first: of a token, of an address (`address` is either side), between blocks or times; each with its value in US dollars then, where it is known.",
  takes: {
    chain: chainOrAll,
    network,
    standard,
    ...parametersOf(erc20Transfers, transferFilters),
    limit: limitTo(20),
    cursor,
  },
  gives: listed(
    withFields(Erc20Transfer, {
      amount: Schema.optionalKey(BigIntString),
      amountDecimal: decimalOf("amount"),
      tokenId: Schema.optionalKey(BigIntString),
    }),
  ),
  run: async (given, service) => {
    const page = await service.get(transfers[standardOf(given)], chainOf(given), {
      ...passed(given, transferFilters),
      ...pageQuery(given, 20),
    })
    const units = (row: Json) => (standardOf(given) === "erc20" ? (row.tokenDecimals as number | undefined) : 0)
    return pageOf(page, (row) => ({ amountDecimal: decimalText(row.amount as string | undefined, units(row)) }))
  },
}
