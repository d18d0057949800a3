/** The supply of a chain's native currency as the API shows it. */
import { Schema } from "effect"
import { ChainId, DateTimeString } from "./primitives.ts"

/** Whole units, never in E-notation. */
const WholeUnits = Schema.String.annotate({
  description: "Decimal number of whole native units",
  examples: ["462451837.19"],
}).check(Schema.isPattern(/^\d+(\.\d+)?$/u))

export const NativeSupply = Schema.Struct({
  chainId: ChainId,
  symbol: Schema.String.annotateKey({ description: "Of the native currency" }),
  totalSupply: WholeUnits,
  circulatingSupply: WholeUnits,
  blockNumber: Schema.Finite.annotateKey({ description: "The block that the supply is of" }),
  timestamp: DateTimeString.annotateKey({ description: "That block's time" }),
}).annotate({ identifier: "NativeSupply" })
export type NativeSupply = typeof NativeSupply.Type

/** Those of all chains of a network that have a source. */
export const NativeSupplies = Schema.Struct({ chains: Schema.Array(NativeSupply) }).annotate({
  identifier: "NativeSupplies",
})
export type NativeSupplies = typeof NativeSupplies.Type
