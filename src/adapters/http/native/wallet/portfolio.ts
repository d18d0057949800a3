/** What all that an address holds is worth, by chain and in all. */
import { Effect } from "effect"
import { selectChains } from "../../../../domain/reads/chains.ts"
import { findPortfolio } from "../../../../domain/wallet/holdings.ts"
import { Portfolio } from "../../../../model/wallet/holdings.ts"
import type { Call } from "../../contract/call.ts"
import { costOf } from "../../contract/cost.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { defined, docsOf, faultsOf } from "../../contract/parameter.ts"
import { chainPath } from "../../contract/path.ts"
import { pathAddress } from "../../contract/place.ts"
import { askedNode, sourceHeader } from "../../pipeline/auditState.ts"
import { asOf, selectorOf } from "../asOf.ts"
import { costOfAll, decode } from "../list.ts"
import { chainSelectors } from "../selectors.ts"
import { which } from "./parameters.ts"

const parameters = { ...which, ...asOf }

export const portfolio: Endpoint = {
  id: "address/portfolio",
  path: `${chainPath}/address/{address}/portfolio`,
  style: "native",
  about: { kind: "address", takesAll: true },
  ofLedger: true,
  doc: {
    tag: "Addresses",
    summary: "What all that an address holds is worth, by chain and in all",
    description:
      "Sums of the rows of `…/tokens` with the same parameters, to the last digit. What has no price is counted, and has no value.",
    query: { ...docsOf(parameters), ...docsOf(chainSelectors) },
    body: Portfolio,
    faults: ["ChainNotSupported", "InvalidParameter", ...faultsOf(parameters)],
  },
  cost: (asked) => {
    const cost = costOf(parameters, asked.query, false)
    return cost === "cheap" && asked.param("chainId") === "all" ? costOfAll(asked) : Effect.succeed(cost)
  },
  answer: Effect.fnUntraced(function* (call: Call) {
    const [networkId, chainId] = [call.param("networkId"), call.param("chainId")]
    yield* selectChains(networkId, chainId, {})
    const address = yield* pathAddress(call)
    const { standard, trusted, minValueUsd, ...point } = yield* decode(parameters, call)
    const selector = yield* Effect.fromResult(selectorOf(point))
    const selectors = yield* decode(chainSelectors, call)
    const chains = yield* selectChains(networkId, chainId, defined(selectors))
    const { blockNumber } = point
    const found = yield* findPortfolio(address, {
      chains,
      standards: standard,
      onlyTrusted: trusted,
      byId: false,
      ...(minValueUsd === undefined ? {} : { minValue: BigInt(minValueUsd) }),
      ...defined({ blockNumber, selector }),
    })
    return {
      asOf: found.asOf,
      chains: chains.length,
      ...askedNode(found),
      headers: sourceHeader(found),
      body: found.value,
    }
  }),
}
