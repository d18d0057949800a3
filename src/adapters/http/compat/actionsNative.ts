/** The compatibility actions about a chain itself: its native currency, and its blocks by time. */
import { Clock, Effect, Result, Schema } from "effect"
import { nativePrice } from "../../../domain/audit/compatTokens.ts"
import { findBlockByTime } from "../../../domain/reads/blockByTime.ts"
import { findNativeBalances } from "../../../domain/reads/nativeBalances.ts"
import { NativeBalanceEntry, NativePrice } from "../../../model/compat.ts"
import { type Address, addressOf, BigIntString, type ChainId } from "../../../model/primitives.ts"
import { firstValue, listValues } from "../contract/query.ts"
import { sampleHolder } from "../contract/samples.ts"
import { type CompatAction, compatAction } from "./action.ts"
import { address, blockno, choice, compatParameter, refusal, tag } from "./parameters.ts"

const mostAddresses = 20

/** Comma-joined or repeated: clients do both. */
const addresses = compatParameter<ReadonlyArray<Address>>(
  {
    description: `The holder; of balancemulti up to ${mostAddresses}, comma-joined or repeated`,
    schema: { type: "string" },
    example: sampleHolder,
    required: true,
  },
  (query, name) => {
    const texts = listValues(query, name)
    const given = (texts.length === 0 ? [""] : texts).map((text) => addressOf(text.trim()))
    const found = given.filter((it) => it !== undefined)
    if (found.length < given.length) return Result.fail(refusal("Error! Invalid address format"))
    return found.length > mostAddresses
      ? Result.fail(refusal(`Error! expected at most ${mostAddresses} addresses, got ${found.length}`))
      : Result.succeed(found)
  },
)

const latestTime = 253_402_300_799
/** So far a caller's clock may be ahead of this one's: "now" is never a time to come. */
const clockSlackSeconds = 300

const timestamp = compatParameter<number>(
  {
    description: "Seconds since 1970",
    schema: { type: "integer", minimum: 0, maximum: latestTime },
    example: 1_767_225_612,
    required: true,
  },
  (query, name) => {
    const text = firstValue(query, name) ?? ""
    const isTime = /^\d+$/.test(text) && Number(text) <= latestTime
    return isTime ? Result.succeed(Number(text)) : Result.fail(refusal("Error! Invalid timestamp"))
  },
)

const closest = choice({
  description: "`before` = the last block that is not younger, `after` = the first that is not older",
  words: ["before", "after"],
  example: "before",
  refused: "Error! Invalid value of closest: expected before, after",
})

const balanceOf = (chainId: ChainId, holder: Address, blockNumber: number | undefined) =>
  Effect.map(findNativeBalances({ chainId, addresses: [holder], blockNumber }), ({ value, ...found }) => ({
    ...found,
    value: value[0],
  }))

export const nativeActions: ReadonlyArray<CompatAction> = [
  compatAction({
    module: "account",
    action: "balance",
    summary: "Native balance of an address, from the chain's node",
    shape: BigIntString,
    node: "always",
    parameters: { address, tag },
    result: ({ chainId, address: holder, tag: blockNumber }) => balanceOf(chainId, holder, blockNumber),
  }),
  compatAction({
    module: "account",
    action: "balancemulti",
    summary: "Native balances of up to 20 addresses at one block",
    shape: Schema.Array(NativeBalanceEntry),
    node: "always",
    parameters: { address: addresses, tag },
    result: ({ chainId, address: holders, tag: blockNumber }) =>
      Effect.map(findNativeBalances({ chainId, addresses: holders, blockNumber }), ({ value, ...found }) => ({
        ...found,
        value: holders.map((account, index): NativeBalanceEntry => ({ account, balance: value[index]! })),
      })),
  }),
  compatAction({
    module: "account",
    action: "balancehistory",
    summary: "Native balance after a block; of an old one from an archive node",
    shape: BigIntString,
    node: "always",
    parameters: { address, blockno },
    result: ({ chainId, address: holder, blockno: blockNumber }) => balanceOf(chainId, holder, blockNumber),
  }),
  compatAction({
    module: "stats",
    action: "ethprice",
    summary: "Price of the native currency: that of the token that wraps it",
    shape: NativePrice,
    parameters: {},
    result: ({ chainId }) => nativePrice(chainId),
  }),
  compatAction({
    module: "block",
    action: "getblocknobytime",
    summary: "The block nearest to a time, exact",
    shape: BigIntString,
    node: "perhaps",
    parameters: { timestamp, closest },
    result: Effect.fnUntraced(function* ({ chainId, timestamp: time, closest }) {
      const { value, ...found } = yield* findBlockByTime({ chainId, time, closest })
      const now = (yield* Clock.currentTimeMillis) / 1000
      // Until then further blocks come: the newest is not the last.
      if (closest === "before" && time > Math.max(now, found.asOf[0]?.time ?? 0) + clockSlackSeconds)
        return yield* refusal("Error! Block timestamp too far in the future", found.asOf)
      if (value === undefined) return yield* refusal("Error! No closest block found", found.asOf)
      return { ...found, value: String(value) }
    }),
  }),
]
