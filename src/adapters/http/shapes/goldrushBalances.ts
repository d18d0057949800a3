/** GoldRush's `historical_balances`: fungible tokens of an address as of a block or the end of a day. */
import { Clock, Effect, Schema } from "effect"
import { dateTimeOf } from "../../../model/primitives.ts"
import type { WalletToken } from "../../../model/wallet/holdings.ts"
import type { Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { pathAddress } from "../contract/place.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { allHeld } from "./allHeld.ts"
import { goldrushNames, nameOf } from "./chainNames.ts"
import { decimalUsd, numberOrNull, prettyUsd, usdOfText } from "./figures.ts"
import {
  chainOf,
  checkCurrency,
  enveloped,
  goldrush,
  goldrushDocs,
  goldrushEnvelope,
  nativeContract,
} from "./goldrush.ts"

const Text = Schema.NullOr(Schema.String)
const Figure = Schema.NullOr(Schema.Finite)

export const GoldrushBalance = Schema.Struct({
  contract_decimals: Figure,
  contract_name: Text,
  contract_ticker_symbol: Text,
  contract_address: Schema.String,
  contract_display_name: Text,
  supports_erc: Schema.NullOr(Schema.Array(Schema.String)),
  logo_url: Text,
  block_height: Figure,
  last_transferred_block_height: Figure,
  last_transferred_at: Schema.Null.annotateKey({ description: "Not told" }),
  native_token: Schema.Boolean,
  type: Schema.Literals(["cryptocurrency"]),
  is_spam: Schema.Null.annotateKey({ description: "Not told" }),
  balance: Text.annotateKey({ description: "Raw subunits; null = the chain's node does not tell it at the moment" }),
  quote_rate: Figure.annotateKey({ description: "US dollars of one whole token then; null = no price is known" }),
  quote: Figure,
  pretty_quote: Text,
  protocol_metadata: Schema.Null,
  nft_data: Schema.Null,
})

export const GoldrushBalances = goldrushEnvelope(
  Schema.Struct({
    address: Schema.String,
    updated_at: Schema.String,
    quote_currency: Schema.Literals(["USD"]),
    chain_id: Schema.Finite,
    chain_name: Schema.String,
    items: Schema.Array(GoldrushBalance),
    pagination: Schema.Null,
  }),
  "GoldrushBalances",
)

const daySeconds = 86_400

/** The block; or the last second of the day, at most now. */
const askedOf = Effect.fnUntraced(function* (query: Query) {
  const height = firstValue(query, "block-height")
  const date = firstValue(query, "date")
  if (height !== undefined && height !== "latest") {
    const isBlock = /^\d{1,10}$/u.test(height) && Number(height) < 2 ** 31
    return isBlock
      ? { blockNumber: Number(height) }
      : yield* invalidParameter("block-height", height, "a block number, or latest")
  }
  if (date === undefined || height === "latest") return {}
  const isDate = /^\d{4}-\d{2}-\d{2}$/u.test(date)
  const start = isDate ? Date.parse(`${date}T00:00:00Z`) / 1000 : Number.NaN
  const isReal = Number.isFinite(start) && dateTimeOf(start).startsWith(date)
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  if (!isReal || start < 0 || start > now) return yield* invalidParameter("date", date, "a day up to today, YYYY-MM-DD")
  if (start + daySeconds > now) return {}
  return { selector: { by: "timestamp", time: start + daySeconds - 1 } as const }
})

const answer = Effect.fnUntraced(function* (call: Call) {
  const { query } = call
  const chainId = yield* chainOf(call)
  const holder = yield* pathAddress(call, "walletAddress")
  yield* checkCurrency(call)
  const asked = yield* askedOf(query)
  const { asOf, items, block } = yield* allHeld({
    chainId,
    holder,
    onlyTrusted: firstValue(query, "no-spam") === "true",
    ...asked,
  })
  const now = yield* Clock.currentTimeMillis
  const data = {
    address: holder,
    updated_at: new Date(now).toISOString(),
    quote_currency: "USD",
    chain_id: Number(chainId),
    chain_name: nameOf(goldrushNames, chainId),
    items: items.map((row) => itemOf(row, block)),
    pagination: null,
  }
  return { asOf, ofNode: true as const, fleeting: true as const, body: enveloped(data) }
})

const itemOf = (row: WalletToken, block: number | undefined) => ({
  contract_decimals: row.decimals ?? null,
  contract_name: row.name ?? null,
  contract_ticker_symbol: row.symbol ?? null,
  contract_address: row.tokenAddress ?? nativeContract,
  contract_display_name: row.name ?? null,
  supports_erc: row.tokenAddress === undefined ? null : ["erc20"],
  logo_url: row.logoUri ?? null,
  block_height: block ?? null,
  last_transferred_block_height: row.changedBlockNumber ?? null,
  last_transferred_at: null,
  native_token: row.tokenAddress === undefined,
  type: "cryptocurrency",
  is_spam: null,
  balance: row.balance ?? null,
  quote_rate: row.price === undefined ? null : Number(decimalUsd(row.price)),
  quote: numberOrNull(row.valueUsd),
  pretty_quote: row.valueUsd === undefined ? null : prettyUsd(usdOfText(row.valueUsd)),
  protocol_metadata: null,
  nft_data: null,
})

export const goldrushBalances: Endpoint = {
  id: "goldrush/historical_balances",
  path: "/v1/{chainName}/address/{walletAddress}/historical_balances/",
  style: "native",
  about: { kind: "address" },
  foreign: goldrush,
  doc: {
    tag: "Compatibility",
    summary: "Balances of an address as of a block or day, as GoldRush's clients ask them",
    query: {
      ...goldrushDocs,
      "no-spam": {
        description: "`true` = only contracts on a configured token list, and the native currency",
        schema: { type: "boolean", default: false },
      },
      "block-height": { description: "A block number, or `latest`", schema: { type: "string" } },
      date: {
        description: "The end of this day, UTC; today = now. Does not count beside `block-height`",
        schema: { type: "string", format: "date" },
      },
    },
    body: GoldrushBalances,
    faults: ["ChainNotSupported", "InvalidParameter", "HistoryNotAvailable", "BlockUnknown"],
  },
  cost: () => Effect.succeed("costly"),
  answer,
}
