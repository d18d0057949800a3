/** The configured chains, and how each is doing. */
import { Context } from "effect"
import type { ChainId } from "../domain/model/primitives.ts"

export interface Chain {
  readonly chainId: ChainId
  /** `mainnet`, `testnet`, … */
  readonly network: string
  readonly ecosystems: ReadonlyArray<string>
}

export class Networks extends Context.Service<
  Networks,
  {
    /** Every configured chain, ascending by id. */
    readonly chains: ReadonlyArray<Chain>
  }
>()("cowry/Networks") {}
