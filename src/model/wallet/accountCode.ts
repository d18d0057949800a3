/** What is known of the code at an address. */
import type { Address } from "../primitives.ts"

/** After a block. A delegation by EIP-7702 is no contract: a key still signs for the account. */
export interface AccountCode {
  readonly address: Address
  readonly isContract: boolean
  readonly blockNumber: number
}
