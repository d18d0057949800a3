/** How much the ledger of each chain holds. Gauges: a reorg takes rows back. */
import { Effect } from "effect"
import { standards } from "../../../model/token.ts"
import { type ChainCounts, LedgerCounts } from "../../../ports/LedgerCounts.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Family, Sample } from "./exposition.ts"

export const ledgerFamilies = Effect.gen(function* () {
  const { chains } = yield* Networks
  const counts = yield* (yield* LedgerCounts).list(chains.map(({ chainId }) => chainId))
  const gauge = (name: string, help: string, samples: (of: ChainCounts) => ReadonlyArray<Sample>): Family => ({
    name,
    type: "gauge",
    help,
    samples: counts.flatMap((of) =>
      samples(of).map(({ labels, value }) => ({ labels: { chain: of.chainId, ...labels }, value })),
    ),
  })
  return [
    gauge("cowry_ledger_tokens", "Token contracts stored, by standard.", ({ tokens }) =>
      standards.map((standard) => ({ labels: { standard }, value: tokens[standard] })),
    ),
    gauge("cowry_ledger_transfers", "Transfers stored, by standard.", ({ transfers }) =>
      standards.map((standard) => ({ labels: { standard }, value: transfers[standard] })),
    ),
    gauge("cowry_ledger_swaps", "Swaps stored.", ({ swaps }) => [{ value: swaps }]),
  ]
})
