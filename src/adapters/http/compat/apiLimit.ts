/** A caller's limit in the words of Etherscan's own API: numbers, and the interval they count in. */
import { Schema } from "effect"
import { type RateState, unlimited } from "../contract/rateLimit.ts"

export const ApiLimit = Schema.Struct({
  creditsUsed: Schema.Finite.annotateKey({ description: "Calls made in the interval" }),
  creditsAvailable: Schema.Finite.annotateKey({ description: "Calls left in it" }),
  creditLimit: Schema.Finite.annotateKey({ description: "Calls that may be made in it" }),
  limitInterval: Schema.Literals(["daily", "minutely"]).annotateKey({ description: "The interval" }),
}).annotate({ identifier: "ApiLimit" })
export type ApiLimit = typeof ApiLimit.Type

/** The day's limit, as Etherscan tells it; the minute's where that is the only one. Without a limit: large numbers. */
export const apiLimitOf = ({ rpm, rpd }: RateState): ApiLimit => {
  const isMinutely = rpd.limit >= unlimited && rpm.limit < unlimited
  const { limit, remaining } = isMinutely ? rpm : rpd
  return {
    creditsUsed: limit - remaining,
    creditsAvailable: remaining,
    creditLimit: limit,
    limitInterval: isMinutely ? "minutely" : "daily",
  }
}
