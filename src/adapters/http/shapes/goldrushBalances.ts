/** GoldRush's `historical_balances`: fungible tokens of an address as of a block or the end of a day. */
import { Clock, Effect, Schema } from "effect"
import { InvalidParameter } from "../../../model/errors.ts"
import type { WalletToken } from "../../../model/wallet/holdings.ts"
import type { Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { secondsOf } from "../native/times.ts"
import { suspectsHeader } from "../pipeline/auditState.ts"
import { allHeld } from "./allHeld.ts"
import { decimalUsd, numberOrNull, prettyUsd, usdOfText } from "./figures.ts"
import {
  GoldrushFigure,
  GoldrushText,
  goldrush,
  goldrushDocs,
  goldrushList,
  listed,
  nativeContract,
  placeOf,
} from "./goldrush.ts"
import { spamRule } from "./spam.ts"

const GoldrushBalance = Schema.Struct({
  contract_decimals: GoldrushFigure,
  contract_name: GoldrushText,
  contract_ticker_symbol: GoldrushText,
  contract_address: Schema.String,
  contract_display_name: GoldrushText,
  supports_erc: Schema.NullOr(Schema.Array(Schema.String)),
  logo_url: GoldrushText,
  block_height: GoldrushFigure,
  last_transferred_block_height: GoldrushFigure,
  last_transferred_at: Schema.Null.annotateKey({ description: "Not told" }),
  native_token: Schema.Boolean,
  type: Schema.Literals(["cryptocurrency"]),
  is_spam: Schema.Null.annotateKey({ description: "Not told" }),
  balance: GoldrushText.annotateKey({
    description: "Raw subunits; null = the chain's node does not tell it at the moment",
  }),
  quote_rate: GoldrushFigure.annotateKey({
    description: "US dollars of one whole token then; null = no price is known",
  }),
  quote: GoldrushFigure,
  pretty_quote: GoldrushText,
  protocol_metadata: Schema.Null,
  nft_data: Schema.Null,
})

export const GoldrushBalances = goldrushList(GoldrushBalance, "GoldrushBalances")

const daySeconds = 86_400

/** The block; or the last second of the day, at most now. */
const askedOf = Effect.fnUntraced(function* (query: Query) {
  const height = firstValue(query, "block-height")
  const date = firstValue(query, "date")
  if (height !== undefined && date !== undefined) {
    return yield* invalidParameter("date", date, "none beside block-height: each names the block by itself")
  }
  if (height !== undefined && height !== "latest") {
    const isBlock = /^\d{1,10}$/u.test(height) && Number(height) < 2 ** 31
    return isBlock
      ? { blockNumber: Number(height) }
      : yield* invalidParameter("block-height", height, "a block number, or latest")
  }
  if (date === undefined) return {}
  const start = /^\d{4}-\d{2}-\d{2}$/u.test(date) ? secondsOf(date) : undefined
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  if (start === undefined || start > now) return yield* invalidParameter("date", date, "a day up to today, YYYY-MM-DD")
  if (start + daySeconds > now) return {}
  const given = { parameter: "date", text: date }
  return { selector: { by: "timestamp", time: start + daySeconds - 1, given } as const }
})

const answer = Effect.fnUntraced(function* (call: Call) {
  const { query } = call
  const place = yield* placeOf(call)
  const asked = yield* askedOf(query)
  const { onlyTrusted } = yield* spamRule(query, "no-spam", [place.chainId])
  const { asOf, items, suspects, block } = yield* allHeld({ ...place, onlyTrusted, ...asked }).pipe(
    Effect.catchTag("InvalidParameter", (fault) => Effect.fail(namedHere(fault))),
  )
  const body = yield* listed(
    place,
    items.map((row) => itemOf(row, block)),
  )
  return { asOf, ofNode: true as const, fleeting: true as const, headers: suspectsHeader(suspects), body }
})

/** Names of the own lists, as they are called here. */
const names: Readonly<Record<string, string>> = { blockNumber: "block-height" }

const namedHere = ({ parameter, value, wanted, asOf }: InvalidParameter) =>
  new InvalidParameter({ parameter: names[parameter] ?? parameter, value, wanted, ...(asOf && { asOf }) })

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
        description:
          "`true` = only contracts on a configured token list, and the native currency; everything where nothing of the chain is on one",
        schema: { type: "boolean", default: false },
      },
      "block-height": { description: "A block number, or `latest`", schema: { type: "string" } },
      date: {
        description: "The end of this day, UTC; today = now. Refused beside `block-height`",
        schema: { type: "string", format: "date" },
      },
    },
    body: GoldrushBalances,
    faults: ["ChainNotSupported", "InvalidParameter", "HistoryNotAvailable", "BlockUnknown"],
  },
  cost: () => Effect.succeed("costly"),
  answer,
}
