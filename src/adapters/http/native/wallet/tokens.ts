/** What addresses hold of all standards, on a chain or on all: of one address in the path, or of up to 50. */
import { Effect } from "effect"
import type { BlockSelector } from "../../../../domain/reads/askedBlock.ts"
import { selectChains } from "../../../../domain/reads/chains.ts"
import { listWallet } from "../../../../domain/wallet/holdings.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import { type HeldKey, WalletToken } from "../../../../model/wallet/holdings.ts"
import type { Call } from "../../contract/call.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { boundValues, defined, docsOf } from "../../contract/parameter.ts"
import { chainPath } from "../../contract/path.ts"
import { pathAddress } from "../../contract/place.ts"
import { answerPage, type ListRows } from "../answerPage.ts"
import { asOf, selectorOf } from "../asOf.ts"
import { costOfAll, decode, listCost } from "../list.ts"
import { listDoc } from "../listDoc.ts"
import { chainSelectors, narrowed } from "../selectors.ts"
import { heldCursor } from "./heldCursor.ts"
import { holders, listed } from "./parameters.ts"

/** Whose, and of which chains. */
interface Place {
  readonly chains: ReadonlyArray<ChainId>
  readonly holders: ReadonlyArray<Address>
  /** Of which block, where it is not named by its number. */
  readonly selector?: BlockSelector
}

const shared = { ...listed, ...asOf }

const rowsOf = (id: string): ListRows<Place, typeof shared, WalletToken, HeldKey> => ({
  id,
  record: WalletToken,
  parameters: shared,
  rowsAtOnce: 10_000,
  cursor: () => heldCursor,
  list: (
    { chains, holders, selector, page, count },
    { standard, trusted, tokenAddress: tokens, minValueUsd, sort, detail, blockNumber },
  ) =>
    listWallet({
      chains,
      holders,
      page,
      count,
      sort,
      standards: tokens === undefined ? standard : standard.filter((it) => it !== "native"),
      onlyTrusted: trusted,
      byId: detail,
      ...(minValueUsd === undefined ? {} : { minValue: BigInt(minValueUsd) }),
      ...defined({ blockNumber, selector, tokens }),
    }),
})

const description =
  "Balances above zero, each with its value where a price is known. ERC-721 are listed by collection, ERC-1155 by id. Of now, the native currency and tokens in doubt (`auditState`) have the node's word (`source`)."

const endpointOf = (
  spec: { readonly id: string; readonly path: string; readonly summary: string },
  own: { readonly address?: typeof holders },
): Endpoint => {
  const rows = rowsOf(spec.id)
  const parameters = { ...own, ...shared }
  return {
    id: spec.id,
    path: chainPath + spec.path,
    style: "native",
    about: { kind: "address", takesAll: true },
    narrowed,
    ofLedger: true,
    doc: listDoc(
      { summary: spec.summary, description, record: WalletToken, parameters },
      { tag: "Addresses", query: docsOf(chainSelectors), streamed: true, faults: ["ChainNotSupported"] },
    ),
    cost: (asked) => {
      const cost = listCost({ parameters }, asked)
      return cost === "cheap" && asked.param("chainId") === "all" ? costOfAll(asked) : Effect.succeed(cost)
    },
    answer: Effect.fnUntraced(function* (call: Call) {
      const [networkId, chainId] = [call.param("networkId"), call.param("chainId")]
      yield* selectChains(networkId, chainId, {})
      const whose =
        own.address === undefined ? [yield* pathAddress(call)] : (yield* decode({ address: holders }, call)).address
      const decoded = yield* decode(shared, call)
      const selector = yield* Effect.fromResult(selectorOf(decoded, call.query))
      const selectors = yield* decode(chainSelectors, call)
      const chains = yield* selectChains(networkId, chainId, defined(selectors))
      const answer = yield* answerPage(rows, call, {
        parameters: decoded,
        place: { chains, holders: whose, ...defined({ selector }) },
        bound: [...boundValues(chainSelectors, selectors), ["address", whose]],
      })
      return { ...answer, chains: chains.length }
    }),
  }
}

export const addressTokens = endpointOf(
  {
    id: "address/tokens",
    path: "/address/{address}/tokens",
    summary: "What an address holds, of all standards, with what it is worth",
  },
  {},
)

export const tokensOf = endpointOf(
  { id: "tokens-of", path: "/tokens-of", summary: "What up to 50 addresses hold, as one list" },
  { address: holders },
)
