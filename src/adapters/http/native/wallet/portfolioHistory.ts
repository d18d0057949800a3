/** What an address was worth through time, on a chain or as one sum over all. */
import { Effect, Result } from "effect"
import { selectChains } from "../../../../domain/reads/chains.ts"
import {
  type Interval,
  intervals,
  listPortfolioHistory,
  listPortfolioOfNone,
  secondsOf,
} from "../../../../domain/wallet/portfolioHistory.ts"
import { listPortfolioOfAll, refuseInterval } from "../../../../domain/wallet/portfolioOfAll.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import { type PointKey, PortfolioPoint } from "../../../../model/wallet/histories.ts"
import { type SeriesStandard, seriesStandards } from "../../../../ports/TokenHistories.ts"
import type { Call } from "../../contract/call.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { boundValues, defined, docsOf } from "../../contract/parameter.ts"
import { chainPath } from "../../contract/path.ts"
import { pathAddress } from "../../contract/place.ts"
import { firstValue, listValues } from "../../contract/query.ts"
import { invalidParameter } from "../../contract/statuses.ts"
import { answerPage, type ListRows } from "../answerPage.ts"
import { decode, listCost } from "../list.ts"
import { listDoc } from "../listDoc.ts"
import { feedSort, limit, type NativeParameter } from "../parameters.ts"
import { chainSelectors, narrowed } from "../selectors.ts"
import { range, rangeOf } from "./histories.ts"
import { pointCursor } from "./historyCursors.ts"
import { trusted } from "./parameters.ts"

const interval: NativeParameter<Interval> = {
  bound: true,
  isCostly: () => true,
  doc: {
    description:
      "`1h`, `1d` = at the beginning of each hour or day of UTC; `block` = after each block that touched a balance of the address, of one chain",
    schema: { type: "string", enum: intervals, default: "1d" },
    example: "block",
  },
  decode: (query, name) => {
    const text = firstValue(query, name) ?? "1d"
    const found = intervals.find((known) => known === text)
    return found === undefined
      ? Result.fail(invalidParameter(name, text, `one of ${intervals.join(", ")}`))
      : Result.succeed(found)
  },
}

/** `isOfAll`: the path names no chain. `chainId`: the one that it names, where the selectors do not leave it out. */
interface Place {
  readonly chains: ReadonlyArray<ChainId>
  readonly owner: Address
  readonly isOfAll: boolean
  readonly chainId?: ChainId
}

const standard: NativeParameter<ReadonlyArray<SeriesStandard>> = {
  bound: true,
  doc: {
    description:
      "Of what: `erc20`, `native` (what gas is paid in, which an archive node tells), or both. With `interval=block` `erc20` must be among them",
    schema: { type: "array", items: { type: "string", enum: seriesStandards }, default: ["erc20"] },
    example: ["native", "erc20"],
  },
  decode: (query, name) => {
    const texts = listValues(query, name)
    if (texts.length === 0) return Result.succeed(["erc20"])
    const unknown = texts.find((text) => !seriesStandards.some((known) => known === text))
    return unknown === undefined
      ? Result.succeed(seriesStandards.filter((known) => texts.includes(known)))
      : Result.fail(invalidParameter(name, unknown, `one or more of ${seriesStandards.join(", ")}`))
  },
}

const parameters = { interval, standard, trusted, sort: feedSort, limit, ...range }

const pointCursors = { "1h": pointCursor(secondsOf["1h"]), "1d": pointCursor(secondsOf["1d"]), block: pointCursor(1) }

const rows: ListRows<Place, typeof parameters, PortfolioPoint, PointKey> = {
  id: "address/portfolio/history",
  record: PortfolioPoint,
  parameters,
  cursor: ({ interval }) => pointCursors[interval],
  list: ({ chains, chainId, isOfAll, ...asked }, { interval, standard: standards, trusted: onlyTrusted, ...given }) => {
    const { sort: direction, limit: _, ...range } = given
    const query = { ...asked, standards, onlyTrusted, direction, range: rangeOf(range) }
    if (chainId !== undefined) return listPortfolioHistory({ ...query, chainId, interval })
    if (!isOfAll) return listPortfolioOfNone({ ...query, interval })
    return interval === "block"
      ? Effect.fail(refuseInterval(interval))
      : listPortfolioOfAll({ ...query, chains, seconds: secondsOf[interval] })
  },
}

export const portfolioHistory: Endpoint = {
  id: rows.id,
  path: `${chainPath}/address/{address}/portfolio/history`,
  style: "native",
  about: { kind: "address", takesAll: true },
  narrowed,
  ofLedger: true,
  doc: listDoc(
    {
      summary: "What the ERC-20 tokens of an address, and its native currency, were worth, through time",
      description:
        "Each row names the block that its balances are of, and has the prices of the hour that begins then (`…/price/history`). Of `all` a row is the sum over the chains, at times of which each of their ledgers can speak. `count` is of hours and days.",
      record: PortfolioPoint,
      parameters,
    },
    { tag: "Addresses", query: docsOf(chainSelectors), streamed: true, faults: ["ChainNotSupported"] },
  ),
  cost: (asked) => Effect.succeed(listCost({ parameters }, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const [networkId, named] = [call.param("networkId"), call.param("chainId")]
    yield* selectChains(networkId, named, {})
    const owner = yield* pathAddress(call)
    const decoded = yield* decode(parameters, call)
    const selectors = yield* decode(chainSelectors, call)
    const chains = yield* selectChains(networkId, named, defined(selectors))
    const isOfAll = named === "all"
    const chainId = isOfAll ? undefined : chains[0]
    const answer = yield* answerPage(rows, call, {
      parameters: decoded,
      place: { chains, owner, isOfAll, ...defined({ chainId }) },
      bound: [...boundValues(chainSelectors, selectors), ["address", owner]],
    })
    return { ...answer, chains: chains.length }
  }),
}
