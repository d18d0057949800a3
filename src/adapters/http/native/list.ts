/** A list as data, and the endpoint that it makes: of chains, of a contract, or of the service itself. */
import { Effect } from "effect"
import { selectChains } from "../../../domain/reads/chains.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import { type Cost, costOf, hasOnly, isManyChains, mostJoinedRows } from "../contract/cost.ts"
import { standardNames, type Tag } from "../contract/documentation.ts"
import type { Asked, Endpoint } from "../contract/endpoint.ts"
import type { FaultKind } from "../contract/faults.ts"
import { boundValues, decodeParameters, defined, docsOf, type Parameters } from "../contract/parameter.ts"
import { chainPath } from "../contract/path.ts"
import { placeOf } from "../contract/place.ts"
import { firstValue, listValues, type Query } from "../contract/query.ts"
import { answerPage, type ListRows, type NativeParameters } from "./answerPage.ts"
import { listDoc, type ShownList } from "./listDoc.ts"
import { chainSelectors, narrowed, wantsCount } from "./selectors.ts"

/** A list as data. `Place` is what the path says, `P` its parameters in the order of the contract's table. */
export interface List<Place, P extends NativeParameters, Item, Key>
  extends ListRows<Place, P, Item, Key>,
    Pick<ShownList, "summary" | "description"> {
  /** Of a list of the service whole, of others after the chain. */
  readonly path: string
  /** Whether a node is asked, as a query stands: then whoever waits does so for the node. */
  readonly asksNode?: (query: Query) => boolean
}

/** A list of one chain or of `all`, narrowed by the chain selectors. */
export const listOfChains = <P extends NativeParameters, Item, Key>(
  list: List<{ readonly chains: ReadonlyArray<ChainId> }, P, Item, Key> & { readonly tag: Tag },
): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "chain", takesAll: true },
  narrowed,
  ofLedger: true,
  doc: listDoc(list, {
    tag: list.tag,
    query: docsOf(chainSelectors),
    streamed: true,
    faults: ["ChainNotSupported"],
  }),
  cost: (asked) => {
    if (asked.media === "json" && list.asksNode?.(asked.query) === true) return Effect.succeed("node")
    const cost = listCost(isOfOne(asked) ? list : { parameters: list.parameters }, asked)
    return cost === "cheap" && asked.param("chainId") === "all" ? costOfAll(asked) : Effect.succeed(cost)
  },
  answer: Effect.fnUntraced(function* (call: Call) {
    const networkId = call.param("networkId")
    const chainId = call.param("chainId")
    yield* selectChains(networkId, chainId, {})
    const parameters = yield* decode(list.parameters, call)
    const selectors = yield* decode(chainSelectors, call)
    const chains = yield* selectChains(networkId, chainId, defined(selectors))
    const answer = yield* answerPage(list, call, {
      parameters,
      place: { chains },
      bound: boundValues(chainSelectors, selectors),
    })
    return { ...answer, chains: chains.length }
  }),
})

/** A list of one contract of one chain, as one standard. */
export const listOfContract = <P extends NativeParameters, Item, Key>(
  list: List<{ readonly chainId: ChainId; readonly token: Address }, P, Item, Key> & { readonly standard: Standard },
): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "contract", standard: list.standard },
  ofLedger: true,
  doc: listDoc(list, { tag: standardNames[list.standard], streamed: true, faults: ["ChainNotSupported"] }),
  cost: (asked) => Effect.succeed(listCost(list, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const { chainId, address: token } = yield* placeOf(call)
    const parameters = yield* decode(list.parameters, call)
    return yield* answerPage(list, call, {
      parameters,
      place: { chainId, token },
      bound: [["address", token]],
      contract: { chainId, token, about: list.standard },
    })
  }),
})

/** A list of one address of one chain, whoever it is. */
export const listOfAddress = <P extends NativeParameters, Item, Key>({
  tag,
  faults,
  ...list
}: List<{ readonly chainId: ChainId; readonly owner: Address }, P, Item, Key> & {
  readonly tag: Tag
  readonly faults: ReadonlyArray<FaultKind>
}): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "address" },
  doc: listDoc(list, { tag, streamed: true, faults: ["ChainNotSupported", ...faults] }),
  cost: (asked) => Effect.succeed(listCost(list, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const { chainId, address: owner } = yield* placeOf(call)
    const parameters = yield* decode(list.parameters, call)
    return yield* answerPage(list, call, { parameters, place: { chainId, owner }, bound: [["address", owner]] })
  }),
})

/** A list of the service itself: of pages alone. */
export const listOfService = <P extends NativeParameters, Item, Key>(
  list: List<object, P, Item, Key> & { readonly tag: Tag },
): Endpoint => ({
  id: list.id,
  path: list.path,
  style: "native",
  about: { kind: "service" },
  doc: listDoc(list, { tag: list.tag }),
  cost: (asked) =>
    Networks.use(({ chains }) =>
      Effect.succeed(isManyChains(chains.length) ? "costly" : listCost(list, { ...asked, media: "json" })),
    ),
  answer: Effect.fnUntraced(function* (call: Call) {
    const parameters = yield* decode(list.parameters, call)
    return yield* answerPage(list, { ...call, media: "json" }, { parameters, place: {}, bound: [] })
  }),
})

export const listCost = (
  {
    parameters,
    joined,
  }: Pick<ListRows<never, NativeParameters, unknown, never>, "joined"> & {
    readonly parameters: Parameters<InvalidParameter>
  },
  { query, media }: Asked,
): Cost => {
  if (media !== "json") return "stream"
  const cost = costOf(parameters, query, wantsCount(query))
  return cost === "cheap" && joined !== undefined && isJoinedPage(query, joined) ? "joined" : cost
}

/** One chain, or one contract of it: then others ask the same, or the same of others. */
const isOfOne = ({ param, query }: Asked): boolean =>
  param("chainId") !== "all" && listValues(query, "tokenAddress").length <= 1

const isJoinedPage = (query: Query, names: ReadonlySet<string>): boolean =>
  hasOnly(query, names) && Number(firstValue(query, "limit") ?? 0) <= mostJoinedRows

/** Of `all`: by how many chains the selectors leave. What they refuse costs nothing. */
export const costOfAll = Effect.fnUntraced(
  function* ({ param, query }: Asked) {
    const selectors = yield* Effect.fromResult(
      decodeParameters<InvalidParameter, typeof chainSelectors>(chainSelectors, query),
    )
    const chains = yield* selectChains(param("networkId"), "all", defined(selectors))
    return isManyChains(chains.length) ? ("costly" as const) : ("cheap" as const)
  },
  Effect.orElseSucceed(() => "cheap" as const),
)

export const decode = <P extends Parameters<InvalidParameter>>(parameters: P, call: Call) =>
  Effect.fromResult(decodeParameters<InvalidParameter, P>(parameters, call.query))
