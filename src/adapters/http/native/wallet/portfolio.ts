/** What all that an address holds is worth, by chain and in all. */
import { Effect } from "effect"
import { selectChains } from "../../../../domain/reads/chains.ts"
import { findPortfolio } from "../../../../domain/wallet/holdings.ts"
import { ChainPortfolio, Portfolio } from "../../../../model/wallet/holdings.ts"
import type { Answer, Call } from "../../contract/call.ts"
import { costOf } from "../../contract/cost.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { type MediaType, mediaTypes } from "../../contract/mediaType.ts"
import { defined, docsOf, faultsOf } from "../../contract/parameter.ts"
import { chainPath } from "../../contract/path.ts"
import { pathAddress } from "../../contract/place.ts"
import { askedNode, sourceHeader, suspectsHeader } from "../../pipeline/auditState.ts"
import { rowText } from "../../pipeline/csvAndNdjson.ts"
import { asOf, blockHeaders, selectorOf } from "../asOf.ts"
import { costOfAll, decode } from "../list.ts"
import { chainSelectors, narrowed } from "../selectors.ts"
import { varies } from "../wholeList.ts"
import { which } from "./parameters.ts"

const parameters = { ...which, ...asOf }

export const portfolio: Endpoint = {
  id: "address/portfolio",
  path: `${chainPath}/address/{address}/portfolio`,
  style: "native",
  about: { kind: "address", takesAll: true },
  narrowed,
  ofLedger: true,
  doc: {
    tag: "Addresses",
    streamed: true,
    summary: "What all that an address holds is worth, by chain and in all",
    description:
      "Sums of the rows of `…/tokens` with the same parameters, to the last digit. What has no price is counted, and has no value. As NDJSON and CSV a row is a chain's part.",
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
    const selector = yield* Effect.fromResult(selectorOf(point, call.query))
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
    const answer: Answer = {
      asOf: found.asOf,
      chains: chains.length,
      leftOut: found.leftOut,
      ...askedNode(found),
      ...(found.ofNode === true ? { ofNode: true } : {}),
      headers: { ...suspectsHeader(found.suspects), ...varies, ...sourceHeader(found), ...blockHeaders(found) },
      body: found.value,
    }
    if (call.media === "json") return answer
    const headers = { ...answer.headers, "content-type": mediaTypes[call.media] }
    return { ...answer, headers, ...rowsOf(call.media, found.value.chains) }
  }),
}

/** A chain's part is a row: they are few, and all there before the first is sent. */
const rowsOf = (media: Exclude<MediaType, "json">, chains: Portfolio["chains"]): Pick<Answer, "body" | "chunks"> => {
  const { head, textOf } = rowText(media, ChainPortfolio)
  const texts = [`${head}${textOf(chains)}`].filter((text) => text !== "")
  return {
    body: undefined,
    chunks: { pull: Effect.sync(() => texts.shift()), close: Effect.void },
  }
}
