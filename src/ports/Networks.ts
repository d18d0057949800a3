/** The chains that are answered for, and what this process does for them. */
import { Context } from "effect"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SupplySettings } from "../model/userFiles/supplySettings.ts"

/** Another process has it and keeps it to itself: it may hold a secret. */
export interface Untold {
  readonly kind: "untold"
}

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
  /** Contracts that wrap what gas is paid in, whose Deposits the ledger counts. */
  readonly wrappedNative?: ReadonlyArray<Address>
  /** Contracts whose price is that of what gas is paid in, however they mint. */
  readonly nativePricedBy?: ReadonlyArray<Address>
  /** What gas is paid in; absent = not known. `decimals`: of its smallest unit, 18 nearly everywhere. */
  readonly nativeCurrency?: { readonly name: string; readonly symbol: string; readonly decimals: number }
  /** Where the supply of that currency is known from; absent = not configured. */
  readonly supply?: SupplySettings | Untold
}

/** A chain that an older version tells of names those of its ledger alone. */
export const nativePricedBy = (chain: Chain | undefined): ReadonlyArray<Address> =>
  chain?.nativePricedBy ?? chain?.wrappedNative ?? []

/** `writer`: follows chains and answers nothing of them. `reader`: answers, and follows none. */
export type Role = "both" | "writer" | "reader"

export class Networks extends Context.Service<
  Networks,
  {
    /** Every chain that is answered for, ascending by id, as of now: another process may begin to follow one. */
    readonly chains: ReadonlyArray<Chain>
    /** Absent = both. */
    readonly role?: Role
    /** Why this process cannot answer for any chain as it should, in plain words; undefined = it can. */
    readonly problem?: () => string | undefined
    /** Why nothing can be said of these chains here at the moment, in plain words; undefined = it can. */
    readonly refusal?: (chains: ReadonlyArray<ChainId>) => string | undefined
    /** Another number wherever the chains, anything that is known of them here or what is refused changed: what was answered before may be answered otherwise. Absent = nothing ever does. */
    readonly view?: () => number
  }
>()("cowry/Networks") {}
