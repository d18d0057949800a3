/** Dune Sim's `GET /v1/evm/balances/{address}`: fungible tokens of an address on all chains, with what they are worth. */
import { Clock, Effect } from "effect"
import { listWallet } from "../../../domain/wallet/holdings.ts"
import { decodeCursor, encodeCursor } from "../../../model/cursor.ts"
import { InvalidCursor } from "../../../model/errors.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { HeldStandard, WalletToken } from "../../../model/wallet/holdings.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import { isManyChains, isManyRows } from "../contract/cost.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { defined, type ParameterDocs } from "../contract/parameter.ts"
import { pathAddress } from "../contract/place.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { heldCursor } from "../native/wallet/heldCursor.ts"
import { suspectsHeader } from "../pipeline/auditState.ts"
import { fungible, steadyOrder } from "./allHeld.ts"
import { nameOf, simNames } from "./chainNames.ts"
import { decimalUsd } from "./figures.ts"
import { flagOf } from "./flag.ts"
import { hoursOf, pastPrices } from "./pastPrices.ts"
import { namedBy, wordsOf } from "./simChains.ts"
import { SimBalances, SimError } from "./simRecords.ts"
import { spamRule } from "./spam.ts"

const mostRows = 1000

/** undefined = it is no number of rows. */
const rowsOf = (text: string): number | undefined => {
  if (text === "") return mostRows
  return /^\d+$/u.test(text) && Number(text) > 0 ? Math.min(Number(text), mostRows) : undefined
}

const limitOf = Effect.fnUntraced(function* (query: Query) {
  const text = firstValue(query, "limit") ?? ""
  return (
    rowsOf(text) ??
    (yield* invalidParameter("limit", text, `a whole number from 1; more than ${mostRows} are ${mostRows}`))
  )
})

const standardsOf = Effect.fnUntraced(function* (query: Query) {
  const words = [...wordsOf(query, "filters"), ...wordsOf(query, "filter_type")]
  const unknown = words.find((word) => word !== "erc20" && word !== "native")
  if (unknown !== undefined) return yield* invalidParameter("filters", unknown, "erc20 or native")
  const found: ReadonlyArray<HeldStandard> = words.length === 0 ? fungible : fungible.filter((it) => words.includes(it))
  return found
})

/** A wider answer than was asked for would be summed up as if it were none. */
const refuseClasses = Effect.fnUntraced(function* (query: Query) {
  const text = firstValue(query, "asset_class") ?? ""
  if (text === "") return
  yield* invalidParameter("asset_class", text, "none: which tokens are stablecoins is not known here")
})

const answer = Effect.fnUntraced(function* (call: Call) {
  const began = yield* Clock.currentTimeMillis
  const { query } = call
  const { chains: followed } = yield* Networks
  const holder = yield* pathAddress(call)
  const standards = yield* standardsOf(query)
  const hours = yield* hoursOf(firstValue(query, "historical_prices"))
  const { chains, unknown } = namedBy(query, followed)
  if (chains.length === 0) {
    return yield* invalidParameter(
      "chain_ids",
      wordsOf(query, "chain_ids").join(),
      "chains that are followed here, by id or by name",
    )
  }
  const spam = yield* spamRule(query, "exclude_spam_tokens", chains)
  const { onlyTrusted } = spam
  const onlyPriced = yield* flagOf(query, "exclude_unpriced")
  yield* refuseClasses(query)
  const limit = yield* limitOf(query)
  const binding = JSON.stringify(["sim/balances", holder, chains, standards, onlyTrusted, onlyPriced])
  const after = yield* placeOf(firstValue(query, "offset"), binding)
  const page = yield* listWallet({
    chains,
    holders: [holder],
    standards,
    onlyTrusted,
    // Whatever has a value, were it none.
    ...(onlyPriced ? { minValue: 0n } : {}),
    byId: false,
    sort: steadyOrder,
    count: false,
    page: { limit, ...defined({ after }) },
  })
  const told = page.items.filter((row): row is Told => row.balance !== undefined)
  const untold = page.items.filter(({ balance }) => balance === undefined)
  const past = yield* pastPrices(told, hours, began / 1000, followed)
  const withLogo = wordsOf(query, "metadata").includes("logo")
  const warnings = [
    ...(unknown.length === 0 ? [] : [unknownChains(unknown)]),
    ...(spam.isAsked && !onlyTrusted ? [unknownSpam(chains)] : []),
  ]
  return {
    asOf: page.asOf,
    chains: chains.length,
    ofNode: true as const,
    fleeting: true as const,
    headers: suspectsHeader(page.suspects),
    body: {
      wallet_address: holder,
      balances: told.map((row, index) => balanceOf(row, { withLogo, past: past?.[index] })),
      ...(untold.length === 0 ? {} : { errors: errorsOf(untold) }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(page.next && { next_offset: encodeCursor(binding, "next", heldCursor.toParts(page.next)) }),
      request_time: new Date(began).toISOString(),
      response_time: new Date(yield* Clock.currentTimeMillis).toISOString(),
    },
  }
})

const placeOf = Effect.fnUntraced(function* (token: string | undefined, binding: string) {
  if (token === undefined || token === "") return undefined
  const parts = decodeCursor(binding, "next", token)
  const place = parts && heldCursor.fromParts(parts)
  if (place !== undefined) return place
  return yield* new InvalidCursor({ message: "offset: expected next_offset of a page of this very query" })
})

type Told = WalletToken & { readonly balance: string }

interface Beside {
  readonly withLogo: boolean
  readonly past: ReadonlyArray<{ readonly offset_hours: number; readonly price_usd: number }> | undefined
}

const balanceOf = (row: Told, { withLogo, past }: Beside) => ({
  chain: nameOf(simNames, row.chainId),
  chain_id: Number(row.chainId),
  address: addressText(row.tokenAddress),
  amount: row.balance,
  ...defined({ symbol: row.symbol, name: row.name, decimals: row.decimals }),
  ...(row.price === undefined ? {} : { price_usd: Number(decimalUsd(row.price)) }),
  ...(row.valueUsd === undefined ? {} : { value_usd: Number(row.valueUsd) }),
  ...(withLogo ? { token_metadata: defined({ logo: row.logoUri }) } : {}),
  ...(past === undefined ? {} : { historical_prices: past }),
})

const addressText = (address: Address | undefined): string => address ?? "native"

const errorsOf = (rows: ReadonlyArray<WalletToken>) => ({
  error_message: "the node of a chain does not tell all balances at the moment",
  token_errors: rows.map(({ chainId, tokenAddress }) => ({
    chain_id: Number(chainId),
    address: addressText(tokenAddress),
    description: "not told by the chain's node at the moment",
  })),
})

const unknownSpam = (chains: ReadonlyArray<ChainId>) => ({
  code: "SPAM_NOT_KNOWN",
  message: "Nothing of these chains is on a token list here: what is spam is not known, and nothing was left out.",
  chain_ids: chains.map(Number),
})

const unknownChains = (unknown: ReadonlyArray<string>) => ({
  code: "UNSUPPORTED_CHAIN_IDS",
  message: `Some requested chain_ids are not supported: ${unknown.join(", ")}. Balances are returned only for supported chains.`,
  chain_ids: unknown.filter((word) => /^\d{1,15}$/u.test(word)).map(Number),
})

const text = (description: string) => ({ description, schema: { type: "string" } })
const docs: ParameterDocs = {
  chain_ids: text(
    "Ids or names of chains, comma-joined; or `default`, `all`, the name of a network. Absent = `default`: all but testnets",
  ),
  filters: { description: "One kind only", schema: { type: "string", enum: ["erc20", "native"] } },
  filter_type: { description: "The same as `filters`", schema: { type: "string", enum: ["erc20", "native"] } },
  metadata: text("`logo` = with the logo's URL; other words add nothing"),
  exclude_spam_tokens: {
    description:
      "`true` = only contracts on a configured token list, and the native currency; everything, with a warning, where nothing of the chains is on one",
    schema: { type: "boolean", default: false },
  },
  exclude_unpriced: {
    description: "`true` = only what has a value",
    schema: { type: "boolean", default: false },
  },
  historical_prices: text(
    "Up to three numbers of hours, comma-joined: what it cost so long ago; unknown ones are left out",
  ),
  offset: text("`next_offset` of the page before"),
  limit: { description: "Rows; more than 1000 are 1000", schema: { type: "integer", minimum: 1, default: mostRows } },
}

export const simBalances: Endpoint = {
  id: "sim/balances",
  path: "/v1/evm/balances/{address}",
  style: "native",
  about: { kind: "address", takesAll: true },
  foreign: {
    keyOf: ({ headers }) => headers.get("x-sim-api-key") ?? undefined,
    chainsOf: ({ query }, followed) => namedBy(query, followed).chains,
    refusal: ({ status, message }) => (status === 401 || status === 429 ? { error: message } : { message }),
    docs: { refusal: SimError },
  },
  doc: {
    tag: "Compatibility",
    summary: "Balances of an address, as Dune Sim's clients ask them",
    description: "`pool_size` and `low_liquidity` are never given: absent is what is not known.",
    query: docs,
    body: SimBalances,
    faults: ["InvalidParameter", "InvalidCursor"],
  },
  cost: ({ query }) =>
    Networks.useSync(({ chains }) =>
      isManyRows(rowsOf(firstValue(query, "limit") ?? "") ?? 0) ||
      firstValue(query, "historical_prices") !== undefined ||
      isManyChains(namedBy(query, chains).chains.length)
        ? "costly"
        : "cheap",
    ),
  answer,
}
