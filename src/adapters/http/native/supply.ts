/** The supply of a chain's native currency, or of every chain's that has a source. */
import { Effect, Schema } from "effect"
import { selectChains } from "../../../domain/reads/chains.ts"
import { findNativeSupply, listNativeSupplies } from "../../../domain/reads/supply.ts"
import { NativeSupplies, NativeSupply } from "../../../model/supply.ts"
import type { Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { chainPath } from "../contract/path.ts"

/**
 * A chain that `all` has no source for is left out of it; without any it is refused like a single one. The header `age`
 * says how many seconds ago the answer (of `all` the oldest) was found: it grows while a source fails.
 */
export const supply: Endpoint = {
  id: "supply",
  path: `${chainPath}/supply`,
  style: "native",
  about: { kind: "chain", takesAll: true },
  doc: {
    tag: "Native currency",
    summary: "Total and circulating supply of a chain's native currency, in whole units",
    description: "`all` gives one object for each chain that has a source of its supply.",
    query: {},
    body: Schema.Union([NativeSupply, NativeSupplies]),
    faults: ["ChainNotSupported", "SupplyNotConfigured"],
  },
  answer: Effect.fnUntraced(function* (call: Call) {
    const chainId = call.param("chainId")
    const chains = yield* selectChains(call.param("networkId"), chainId, {})
    const found =
      chainId === "all" ? yield* listNativeSupplies(chains) : yield* Effect.forEach(chains, findNativeSupply)
    const supplies = found.map(({ supply }) => supply)
    const age = Math.max(...found.map((it) => it.ageSeconds))
    return { asOf: [], body: chainId === "all" ? { chains: supplies } : supplies[0], headers: { age: String(age) } }
  }),
}
