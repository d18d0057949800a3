/** Says of a command that it waits for others to leave a chain's tables, once that lasts. */
import { say } from "../../adapters/terminal/print.ts"
import type { ChainId } from "../../model/primitives.ts"

/** Vain tries that most do not come to: some two seconds. */
const untold = 2

/** Told of each vain try, it prints one line. */
export const tellOfWait = (chainId: ChainId): (() => void) => {
  let tries = 0
  return () => {
    if (++tries === untold + 1) {
      say(`chain ${chainId}: waiting until nobody is in the stored ledger (long reads, a vacuum)`)
    }
  }
}
