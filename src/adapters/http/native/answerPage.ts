/** How every native list answers once its parameters are good: cursor, rows, links; or all rows, one after the other. */
import { Effect, type Schema } from "effect"
import type { BalanceSource } from "../../../domain/audit/askNode.ts"
import {
  type AskedContract,
  type AuditRead,
  type AuditStatus,
  isSuspect,
  noAudit,
} from "../../../domain/audit/auditStatus.ts"
import type { ChainState } from "../../../model/audit.ts"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { Fault } from "../contract/faults.ts"
import { boundValues, type Decoded, defined, type Parameter, type Parameters } from "../contract/parameter.ts"
import type { Ports } from "../contract/ports.ts"
import { atLeast, type MinBlocks } from "../newEnough/minBlock.ts"
import { minBlocksOf, type OfBlocks, pointsPart } from "../newEnough/walkPoints.ts"
import { askedNode, auditHeader, sourceHeader, suspectsHeader } from "../pipeline/auditState.ts"
import {
  blockHeader,
  blockHeaders,
  placesOf,
  readAsked,
  readPlace,
  readPlaceAt,
  type SaidBlocks,
  selectorOf,
  takesBlock,
} from "./asOf.ts"
import type { CursorShape } from "./cursors.ts"
import { linkOf } from "./link.ts"
import { wantsCount } from "./selectors.ts"
import { answerWhole, refuseBackward, varies } from "./wholeList.ts"

export type NativeParameters = Parameters<InvalidParameter> & { readonly limit: Parameter<number, InvalidParameter> }

/** What a list's rows are, and where they come from. */
export interface ListRows<Place, P extends NativeParameters, Item, Key> {
  readonly id: string
  readonly record: Schema.Top
  /** The columns of its CSV, where they hang on what is asked. Absent = the record's. */
  readonly columns?: (parameters: Decoded<P>) => Schema.Top
  readonly parameters: P
  /** Names that the query of a first page may have which is read together with others'; absent = none is. */
  readonly joined?: ReadonlySet<string>
  /** Its rows have current balances, where no block is named. */
  readonly ofBalances?: true
  /** Whether all that its rows show is figures. Absent = some of it is learned beside them. */
  readonly ofFigures?: (parameters: Decoded<P>) => boolean
  /**
   * Of a list about a contract: the lowest block that its figures are of, which is the one they are worth least at; undefined = of now.
   * `goesOn`: the page is the first of a stream, and others follow. Absent = the block that the list is as of.
   */
  readonly lowestBlock?: (
    page: ListPage<Item, Key> & Said,
    parameters: Decoded<P>,
    goesOn: boolean,
  ) => number | undefined
  readonly cursor: (parameters: Decoded<P>) => CursorShape<Key>
  readonly list: (
    query: Place & { readonly page: PageRequest<Key>; readonly count: boolean },
    parameters: Decoded<P>,
    /** Of the contract that is asked about. */
    auditRead: AuditRead,
  ) => Effect.Effect<ListPage<Item, Key> & Said, Fault, Ports>
  /** Of a whole list: rows that are read at a time, where a page costs what all its rows do. */
  readonly rowsAtOnce?: number
}

/** What a page says beside its rows. */
export interface Said extends SaidBlocks {
  readonly source?: BalanceSource
  readonly ofNode?: true
  /** Of tokens in doubt that it counts, the worst state of each chain. */
  readonly suspects?: ReadonlyArray<ChainState>
}

/** What a call asks of a list. */
interface Asked<Place, P extends NativeParameters> {
  readonly parameters: Decoded<P>
  readonly place: Place
  /** What its cursors are bound to beside the chain and the parameters. */
  readonly bound: ReadonlyArray<unknown>
  /** Absent = it is not about one, and of no block but the newest. */
  readonly contract?: AskedContract | undefined
}

export const answerPage = Effect.fnUntraced(function* <Place, P extends NativeParameters, Item, Key>(
  rows: ListRows<Place, P, Item, Key>,
  call: Call,
  asked: Asked<Place, P>,
) {
  const { parameters, bound, contract } = asked
  const shape = rows.cursor(parameters)
  const binding = JSON.stringify([
    rows.id,
    call.param("networkId"),
    call.param("chainId"),
    boundValues(rows.parameters, parameters),
    bound,
  ])
  const start = { query: call.query, binding, shape, limit: parameters.limit as number }
  const takesOne = contract !== undefined && takesBlock(rows.parameters)
  const selector = takesOne ? yield* Effect.fromResult(selectorOf(parameters, call.query)) : undefined
  if (contract === undefined || selector === undefined) {
    const hadBlock = contract !== undefined && (parameters as OfBlocks).finality === true
    return yield* answerAt(rows, call, asked, { ...(yield* readPlace(start, hadBlock)), shape, binding })
  }
  const { page, points, blockNumber: going } = yield* readPlaceAt(start)
  const { chainId } = contract
  return yield* readAsked(chainId, selector, going, ({ blockNumber, rollbacks, ofNode }) => {
    const answer = answerAt(
      rows,
      call,
      { ...asked, parameters: { ...parameters, blockNumber } },
      { page: { ...defined({ rollbacks }), ...page }, points, shape: placesOf(shape, blockNumber), binding },
    )
    // Which block is meant hangs on others' blocks too.
    return Effect.map(answer, ({ figuresOf: _, ...made }) => ({
      ...made,
      ...(ofNode === true ? { ofNode } : {}),
      headers: { ...blockHeader(chainId, blockNumber), ...made.headers },
    }))
  })
})

/** A page as its cursor says, or all rows from there on. */
interface Start<Key> {
  readonly page: PageRequest<Key>
  /** The blocks that the page before spoke of. */
  readonly points: MinBlocks | undefined
  readonly shape: CursorShape<Key>
  readonly binding: string
}

const answerAt = Effect.fnUntraced(function* <Place, P extends NativeParameters, Item, Key>(
  rows: ListRows<Place, P, Item, Key>,
  call: Call,
  { parameters, place, contract }: Asked<Place, P>,
  start: Start<Key>,
) {
  if (call.media !== "json") yield* refuseBackward(start.page, call.media)
  const made = answerFrom(rows, call, { parameters, place, contract }, start)
  return yield* atLeast(minBlocksOf(start, place as OfBlocks, parameters as OfBlocks), made, {
    primaryIsEnough: true,
  })
})

const answerFrom = Effect.fnUntraced(function* <Place, P extends NativeParameters, Item, Key>(
  rows: ListRows<Place, P, Item, Key>,
  call: Call,
  { parameters, place, contract }: Omit<Asked<Place, P>, "bound">,
  { page: start, shape, binding }: Start<Key>,
) {
  const auditRead = contract === undefined ? noAudit : yield* call.readAudit(contract)
  const { blockNumber } = parameters as OfBlocks
  const { lowestBlock = () => blockNumber } = rows
  const stateOf = (auditStatus: AuditStatus | undefined, page: ListPage<Item, Key> & Said, goesOn = false) =>
    contract === undefined ? {} : auditHeader(contract, auditStatus, lowestBlock(page, parameters, goesOn))
  if (call.media !== "json") {
    // Before the rows: from there on, whatever ends the answer must close them.
    const auditStatus = yield* auditRead
    const isSuspectNow = rows.ofBalances === true && blockNumber === undefined && isSuspect(auditStatus)
    // Nobody asks a contract about all of its holders.
    const list = (page: PageRequest<Key>) => rows.list({ ...place, page, count: false }, parameters, noAudit)
    const record = rows.columns?.(parameters) ?? rows.record
    const rowsAtOnce = rows.rowsAtOnce
    const whole: Answer = yield* answerWhole({
      call,
      media: call.media,
      record,
      start,
      list,
      headersOf: (page, goesOn) => stateOf(auditStatus, page, goesOn),
      ...defined({ rowsAtOnce }),
    })
    return { ...whole, headers: { ...whole.headers, ...sourceHeader(isSuspectNow ? { source: "ledger" } : {}) } }
  }
  const page = yield* rows.list({ ...place, page: start, count: wantsCount(call.query) }, parameters, auditRead)
  // A walk as of a block has its blocks in its keys, and a list of the service is of no chains that a caller names.
  const isOfBlock = ((page.next ?? page.prev) as OfBlocks | undefined)?.pins !== undefined
  const points = isOfBlock || (place as OfBlocks).chains === undefined ? undefined : pointsPart(page.asOf)
  const answer: Answer = {
    asOf: page.asOf,
    ...askedNode(page),
    ...defined({ ofNode: page.ofNode, leftOut: page.leftOut }),
    ...(contract !== undefined && rows.ofFigures?.(parameters) === true
      ? { figuresOf: { token: contract.token } }
      : {}),
    headers: {
      ...stateOf(yield* auditRead, page),
      ...suspectsHeader(page.suspects),
      ...varies,
      ...sourceHeader(page),
      ...blockHeaders(page),
    },
    body: { items: page.items, ...page.count, link: yield* linkOf(call, binding, shape, page, points) },
  }
  return answer
})
