/** The configured chains, and how each is doing. */
import { Context } from "effect"
import type { Address, ChainId } from "../model/primitives.ts"

export interface Chain {
  readonly chainId: ChainId
  /** `mainnet`, `testnet`, … */
  readonly network: string
  readonly ecosystems: ReadonlyArray<string>
  /** As people call the chain; absent = not known, never invented. */
  readonly name?: string
  /** Exchanges by the address of their factory or, of Uniswap V4, pool manager, in lower case. `label`: whose it is. */
  readonly factories?: ReadonlyMap<Address, { readonly dex: string; readonly label?: string }>
  /** Whether approvals are stored; absent = no. */
  readonly approvals?: boolean
  /** Contracts that wrap what gas is paid in. */
  readonly wrappedNative?: ReadonlyArray<Address>
  /** What gas is paid in; absent = not known. `decimals`: of its smallest unit, 18 nearly everywhere. */
  readonly nativeCurrency?: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

export class Networks extends Context.Service<
  Networks,
  {
    /** Every configured chain, ascending by id. */
    readonly chains: ReadonlyArray<Chain>
  }
>()("cowry/Networks") {}
