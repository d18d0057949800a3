/** Prices of tokens in US dollars, now and at times past. */
import { Context, type Effect } from "effect"
import type { Quote } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"

/** A source is asked about times up to so long ago, in seconds. */
export const pastSeconds = 7 * 86_400

export interface PriceQuestion {
  readonly chainId: ChainId
  /** Of which making of the ledger `at` is; absent = it does not matter. What is remembered of another's blocks does not count. */
  readonly birth?: string
  readonly tokens: ReadonlyArray<Address>
  /** Seconds: the time that is asked about. */
  readonly at: number
  /** Seconds: what time it is by the chain, never before `at`. How long ago `at` is goes by it, for a machine's clock may jump. */
  readonly now: number
  /** `at` is where the ledger stands: what is newest counts. */
  readonly newest: boolean
}

export interface PriceAnswer {
  /** Tokens that are not here have no price that can be trusted. */
  readonly quotes: ReadonlyMap<Address, Quote>
  /** Tokens about which the source could not be asked now: neither a price nor none. Past hours wait a while for them. */
  readonly silent: ReadonlySet<Address>
  /**
   * Tokens about which the source will speak again, and sees to it that nobody waits without end: what is recorded for
   * good waits for it. Absent = none.
   */
  readonly waits?: ReadonlySet<Address>
  /** Stablecoins that are quoted at a dollar because nobody has said otherwise: neither pools nor an API spoke. Absent = none. */
  readonly assumed?: ReadonlySet<Address>
  /** Of these, those that pools priced off a dollar at a past time, whose depth can be proven no more. Absent = none. */
  readonly doubted?: ReadonlySet<Address>
  /** Stablecoins that their pools price off a dollar, whether or not it can be told what they cost. Absent = none. */
  readonly lost?: ReadonlySet<Address>
}

export interface PriceSourceShape {
  /** Prices per whole token. */
  find(question: PriceQuestion): Effect.Effect<PriceAnswer>
}

export class PriceSource extends Context.Service<PriceSource, PriceSourceShape>()("cowry/PriceSource") {}
