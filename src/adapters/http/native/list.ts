/** How every native list answers: chain, path, query, cursor, rows, links; the faults in this order. */
import { Effect, Schema } from "effect"
import { type AuditStatus, type BalanceSource, isSuspect } from "../../../domain/audit/current.ts"
import { selectChains } from "../../../domain/reads/chains.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import { type Address, addressOf, type ChainId } from "../../../model/primitives.ts"
import { type Answer, type Call, chainPath, type Endpoint, type EndpointDoc, type Ports } from "../contract/endpoint.ts"
import type { Fault } from "../contract/faults.ts"
import {
  boundValues,
  type Decoded,
  decodeParameters,
  defined,
  docsOf,
  type Parameter,
  type ParameterDocs,
  type Parameters,
} from "../contract/parameter.ts"
import { invalidParameter } from "../contract/problem.ts"
import { sourceHeader } from "../pipeline/auditState.ts"
import type { CursorShape } from "./cursors.ts"
import { cursorDocs, Link, linkOf, readCursor } from "./link.ts"
import { chainSelectors, countDoc, wantsCount } from "./selectors.ts"
import { answerWhole, varies } from "./wholeList.ts"

type NativeParameters = Parameters<InvalidParameter> & { readonly limit: Parameter<number, InvalidParameter> }

/** A list as data. `Place` is what the path says, `P` its parameters in the order of the contract's table. */
interface List<Place, P extends NativeParameters, Item, Key> {
  readonly id: string
  /** After the chain. */
  readonly path: string
  readonly summary: string
  readonly record: Schema.Top
  readonly parameters: P
  /** Its rows have current balances, where no block is named. */
  readonly ofBalances?: true
  readonly cursor: (parameters: Decoded<P>) => CursorShape<Key>
  readonly list: (
    query: Place & { readonly page: PageRequest<Key>; readonly count: boolean },
    parameters: Decoded<P>,
    /** Of the one contract that is asked about. */
    auditStatus: AuditStatus | undefined,
  ) => Effect.Effect<ListPage<Item, Key> & { readonly source?: BalanceSource }, Fault, Ports>
}

/** A list of one chain or of `all`, narrowed by the chain selectors. */
export const listOfChains = <P extends NativeParameters, Item, Key>(
  spec: List<{ readonly chains: ReadonlyArray<ChainId> }, P, Item, Key>,
): Endpoint => ({
  ...nativeEndpoint(spec, docsOf(chainSelectors)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const networkId = call.param("networkId")
    const chainId = call.param("chainId")
    yield* selectChains(networkId, chainId, {})
    const parameters = yield* decode(spec.parameters, call)
    const selectors = yield* decode(chainSelectors, call)
    const chains = yield* selectChains(networkId, chainId, defined(selectors))
    return yield* answerPage(spec, call, parameters, { chains }, boundValues(chainSelectors, selectors))
  }),
})

/** A list of one contract of one chain. */
export const listOfContract = <P extends NativeParameters, Item, Key>(
  spec: List<{ readonly chainId: ChainId; readonly token: Address }, P, Item, Key>,
): Endpoint => ({
  ...nativeEndpoint(spec, {}, ["HistoryNotAvailable"]),
  answer: Effect.fnUntraced(function* (call: Call) {
    const chainId = call.param("chainId")
    const [chain] = yield* selectChains(call.param("networkId"), chainId, {})
    if (chainId === "all" || chain === undefined)
      return yield* invalidParameter("chainId", chainId, "the id of one chain")
    const text = call.param("address")
    const token = addressOf(text)
    if (token === undefined) return yield* invalidParameter("address", text, "an address: 0x and 40 hex digits")
    const parameters = yield* decode(spec.parameters, call)
    return yield* answerPage(spec, call, parameters, { chainId: chain, token }, [["address", token]])
  }),
})

type Shown = Pick<List<never, NativeParameters, never, never>, "id" | "path" | "summary" | "record" | "parameters">

const nativeEndpoint = (
  { id, path, summary, record, parameters }: Shown,
  selectors: ParameterDocs,
  faults: ReadonlyArray<Fault["_tag"]> = [],
) => ({
  id,
  path: chainPath + path,
  style: "native" as const,
  doc: {
    summary,
    query: { ...docsOf(parameters), ...selectors, ...countDoc, ...cursorDocs },
    body: envelopeOf(record),
    streamed: true,
    faults: ["ChainNotSupported", "InvalidParameter", "InvalidCursor", ...faults],
  } satisfies EndpointDoc,
})

/** The list envelope around records. */
export const envelopeOf = (record: Schema.Top) =>
  Schema.Struct({
    items: Schema.Array(record).annotateKey({ description: "The rows of the page, in their order" }),
    count: Schema.optionalKey(
      Schema.Finite.annotate({ description: "Total over all pages; present if and only if `count=true`" }),
    ),
    countType: Schema.optionalKey(Schema.Literals(["exact", "lowerBound", "approx"])).annotateKey({
      description: "`lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated",
    }),
    link: Link,
  })

const decode = <P extends Parameters<InvalidParameter>>(parameters: P, call: Call) =>
  Effect.fromResult(decodeParameters<InvalidParameter, P>(parameters, call.query))

export const answerPage = Effect.fnUntraced(function* <Place, P extends NativeParameters, Item, Key>(
  spec: List<Place, P, Item, Key>,
  call: Call,
  parameters: Decoded<P>,
  place: Place,
  bound: ReadonlyArray<unknown>,
) {
  const shape = spec.cursor(parameters)
  const binding = JSON.stringify([
    spec.id,
    call.param("networkId"),
    call.param("chainId"),
    boundValues(spec.parameters, parameters),
    bound,
  ])
  const cursor = yield* readCursor(call.query, binding, shape)
  const list = (page: PageRequest<Key>, count: boolean, auditStatus?: AuditStatus) =>
    spec.list({ ...place, page, count }, parameters, auditStatus)
  const { blockNumber } = parameters
  const ofBlock = typeof blockNumber === "number" ? { ofBlock: blockNumber } : {}
  const start = { limit: parameters.limit as number, ...cursor }
  if (call.media !== "json") {
    // Nobody asks a contract about all of its holders.
    const isSuspectNow = spec.ofBalances === true && blockNumber === undefined && isSuspect(call.auditStatus)
    const whole: Answer = yield* answerWhole(call, call.media, spec.record, start, (page) => list(page, false))
    return {
      ...whole,
      ...ofBlock,
      headers: { ...whole.headers, ...sourceHeader(isSuspectNow ? { source: "ledger" } : {}) },
    }
  }
  const page = yield* list(start, wantsCount(call.query), call.auditStatus)
  const answer: Answer = {
    asOf: page.asOf,
    ...ofBlock,
    headers: { ...varies, ...sourceHeader(page) },
    body: { items: page.items, ...page.count, link: linkOf(call, binding, shape, page) },
  }
  return answer
})
