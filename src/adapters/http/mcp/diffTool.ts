/** The tool about what changed between two blocks. */
import { Schema } from "effect"
import { HolderChange } from "../../../model/wallet/histories.ts"
import { holdersDiff } from "../native/wallet/histories.ts"
import { decimalText } from "./decimals.ts"
import { named, namedOf, pageQuery, passed, token, tokenOf } from "./given.ts"
import {
  cursor,
  decimalOf,
  limitTo,
  listed,
  oneChain,
  pageOf,
  parametersOf,
  present,
  type Tool,
  textOf,
  withFields,
} from "./tool.ts"

const diffRange = "blockNumberFrom blockNumberTo timestampFrom timestampTo".split(" ")

export const diffTool: Tool = {
  name: "holder_diff",
  title: "Whose balance changed between two blocks",
  description:
    "Who entered, who left and whose balance of an ERC-20 is another, between two blocks or times. The sum of all changes is the change of what events told of the supply.",
  takes: {
    chain: oneChain,
    tokenAddress: token,
    ...parametersOf(holdersDiff, diffRange),
    limit: limitTo(20),
    cursor,
  },
  gives: withFields(
    listed(
      withFields(HolderChange, {
        changeDecimal: decimalOf("change"),
        balanceAfterDecimal: decimalOf("balanceAfter"),
      }),
    ),
    {
      ...named,
      fromBlock: Schema.optionalKey(Schema.Finite).annotateKey({
        description: "The block before the changes; absent = before the first",
      }),
      toBlock: Schema.optionalKey(Schema.Finite).annotateKey({
        description: "The block after them, the same on all pages; absent = before the first",
      }),
    },
  ),
  run: async (given, service) => {
    const asked = await tokenOf(service, given)
    const names = { chain: textOf(given, "chain"), address: textOf(given, "tokenAddress") }
    const page = await service.get(holdersDiff, names, { ...passed(given, diffRange), ...pageQuery(given, 20) })
    const { fromBlock, ...told } = page.told
    return {
      ...namedOf(asked),
      ...present({ fromBlock, toBlock: told.atBlock }),
      ...pageOf({ ...page, told }, ({ change, balanceAfter }) => ({
        changeDecimal: decimalText(String(change), asked.decimals),
        balanceAfterDecimal: decimalText(String(balanceAfter), asked.decimals),
      })),
    }
  },
}
