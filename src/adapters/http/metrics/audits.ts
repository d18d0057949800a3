/** How many tokens of each chain are in which audit state. */
import { Effect } from "effect"
import { auditStates } from "../../../model/audit.ts"
import { AuditStore } from "../../../ports/AuditStore.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Family } from "./exposition.ts"

export const auditFamilies = Effect.gen(function* () {
  const { chains } = yield* Networks
  const store = yield* AuditStore
  const samples = yield* Effect.forEach(chains, ({ chainId }) =>
    Effect.map(store.counts(chainId), (counts) =>
      auditStates.map((state) => ({ labels: { chain: chainId, state }, value: counts[state] })),
    ),
  )
  const family: Family = {
    name: "cowry_audit_tokens",
    type: "gauge",
    help: "Tokens by what comparing them with the node has shown.",
    // A chain that has no token has no ledger as yet.
    samples: samples.filter((of) => of.some(({ value }) => value > 0)).flat(),
  }
  return [family]
})
