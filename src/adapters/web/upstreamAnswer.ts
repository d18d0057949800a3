/** What of an upstream's text may be passed on: one envelope of Etherscan's, without secrets and without quarrels of our own. Pure. */
import { isNestedDeeper } from "../../model/outside/nesting.ts"
import { UpstreamUnavailable } from "../../ports/Upstream.ts"
import { Refusal } from "./refusal.ts"
import { holdsSecret } from "./upstreamSecrets.ts"

/** An ABI or a trace is nested some dozens deep. */
const mostNested = 512

/** The text itself: numbers that JavaScript cannot hold stay what they are. Throws a `Refusal` or the failure itself. */
export const checkedAnswer = (text: string, secrets: ReadonlyArray<string>): string => {
  const value = parsed(text)
  if (isNestedDeeper(value, mostNested)) throw new Refusal("its answer has another shape than Etherscan's")
  if (holdsSecret(text, value, secrets)) throw new Refusal("its answer repeats what is secret")
  const { status, message, result } = Object(value) as Record<string, unknown>
  if (typeof status !== "string" || typeof message !== "string" || result === undefined)
    throw new Refusal("its answer has another shape than Etherscan's")
  if (status === "0") checkOwnMatters(`${message} ${typeof result === "string" ? result : ""}`)
  return text
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal("its answer is not JSON")
  }
}

/** A refusal that is about our key or our pace is none of the caller's. */
const checkOwnMatters = (said: string): void => {
  if (/rate limit|too many/i.test(said)) throw limited(/daily/i.test(said))
  if (/api ?key/i.test(said)) throw new Refusal("it does not take this service's key")
}

/** In Etherscan's own words. After those of the day clients ask no more, after the others they wait. */
export const limited = (isOfDay = false) =>
  new UpstreamUnavailable({ message: `Max${isOfDay ? " daily" : ""} rate limit reached`, isLimited: true })
