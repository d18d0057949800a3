/** Every contract a store must hold. */
import { ledgerContract } from "./ledger.contract.ts"
import type { MakeStore } from "./store.ts"

export const storeContracts = (name: string, makeStore: MakeStore) => {
  ledgerContract(name, makeStore)
}
