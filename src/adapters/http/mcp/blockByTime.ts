/** Which block a time means: asked as everybody may ask it. */
import { secondsOf } from "../native/times.ts"
import { compatAnswer } from "./compatAnswer.ts"
import { Refusal, type Service } from "./service.ts"
import { type Arguments, textOf } from "./tool.ts"

/** The last block that is not younger, or `after` the first that is not older. Fails with `Refusal`. */
export const blockByTime = async (
  service: Service,
  given: Arguments,
  text: string,
  closest: "before" | "after" = "before",
) => {
  const seconds = secondsOf(text)
  if (seconds === undefined)
    throw new Refusal(`timestamp: expected ISO 8601 or seconds since 1970, got ${text.slice(0, 64)}`)
  const chain = textOf(given, "chain")
  if (chain.toLowerCase() === "all") throw new Refusal("chain: expected one chain, got all")
  // Blocks have whole seconds.
  const timestamp = closest === "after" ? Math.ceil(seconds) : Math.floor(seconds)
  const { result, told } = await compatAnswer(service, chain, {
    module: "block",
    action: "getblocknobytime",
    timestamp,
    closest,
  })
  return { blockNumber: Number(result), told }
}
