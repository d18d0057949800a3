/** GoldRush's `portfolio_v2`: what an address held of each token day by day, with what that was worth. */
import { Effect, Schema } from "effect"
import { usdText } from "../../../domain/prices/worth.ts"
import { type DailyToken, type HeldDay, type HeldPoint, listDailyTokens } from "../../../domain/wallet/dailyTokens.ts"
import { dateTimeOf } from "../../../model/primitives.ts"
import type { Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { suspectsHeader } from "../pipeline/auditState.ts"
import { prettyUsd } from "./figures.ts"
import { GoldrushFigure, GoldrushText, goldrush, goldrushDocs, goldrushList, listed, placeOf } from "./goldrush.ts"

const Point = Schema.Struct({
  balance: Schema.String.annotateKey({ description: "Raw subunits" }),
  quote: GoldrushFigure.annotateKey({ description: "US dollars then; null = no price is known" }),
  pretty_quote: GoldrushText,
})
const Day = Schema.Struct({
  timestamp: Schema.String.annotateKey({ description: "The beginning of the day, UTC" }),
  quote_rate: GoldrushFigure.annotateKey({
    description:
      "US dollars of one whole token at its end; null = no price is known, or none in the months in which it was held",
  }),
  open: Point,
  high: Point,
  low: Point,
  close: Point,
})

export const GoldrushPortfolio = goldrushList(
  Schema.Struct({
    contract_address: Schema.String,
    contract_decimals: GoldrushFigure,
    contract_name: GoldrushText,
    contract_ticker_symbol: GoldrushText,
    logo_url: GoldrushText,
    holdings: Schema.Array(Day).annotateKey({ description: "Newest first" }),
  }),
  "GoldrushPortfolio",
)

const usualDays = 30
const mostDays = 365

const daysOf = Effect.fnUntraced(function* (query: Query) {
  const text = firstValue(query, "days")
  if (text === undefined) return usualDays
  if (/^\d{1,3}$/u.test(text) && Number(text) >= 1 && Number(text) <= mostDays) return Number(text)
  return yield* invalidParameter("days", text, `a whole number from 1 to ${mostDays}`)
})

const answer = Effect.fnUntraced(function* (call: Call) {
  const place = yield* placeOf(call)
  const days = yield* daysOf(call.query)
  const { asOf, tokens, suspects } = yield* listDailyTokens({ ...place, days })
  const body = yield* listed(place, tokens.map(itemOf))
  return { asOf, fleeting: true as const, headers: suspectsHeader(suspects), body }
})

const itemOf = ({ tokenAddress, decimals, name, symbol, logoUri, days }: DailyToken) => ({
  contract_address: tokenAddress,
  contract_decimals: decimals ?? null,
  contract_name: name ?? null,
  contract_ticker_symbol: symbol ?? null,
  logo_url: logoUri ?? null,
  holdings: days.map(dayShown),
})

const dayShown = ({ time, open, high, low, close }: HeldDay) => ({
  timestamp: dateTimeOf(time),
  quote_rate: close.price === undefined ? null : Number(usdText(close.price)),
  open: pointShown(open),
  high: pointShown(high),
  low: pointShown(low),
  close: pointShown(close),
})

const pointShown = ({ balance, value }: HeldPoint) => ({
  balance: String(balance),
  quote: value === undefined ? null : Number(usdText(value)),
  pretty_quote: value === undefined ? null : prettyUsd(value),
})

export const goldrushPortfolio: Endpoint = {
  id: "goldrush/portfolio_v2",
  path: "/v1/{chainName}/address/{walletAddress}/portfolio_v2/",
  style: "native",
  about: { kind: "address" },
  foreign: goldrush,
  doc: {
    tag: "Compatibility",
    summary: "ERC-20 tokens of an address day by day, as GoldRush's clients ask them",
    description:
      "Days of UTC, the newest up to the newest block; those before the indexed history are left out. The native currency has no row.",
    query: {
      ...goldrushDocs,
      days: { description: "How many", schema: { type: "integer", minimum: 1, maximum: mostDays, default: usualDays } },
    },
    body: GoldrushPortfolio,
    faults: ["ChainNotSupported", "InvalidParameter"],
  },
  cost: () => Effect.succeed("costly"),
  answer,
}
